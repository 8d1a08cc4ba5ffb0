import { DONE, type ManagementOperations } from '../../http/operation.ts'
import type { JsonBody } from '../../http/read-request.ts'
import { cutText, rawFields } from '../../lib/json/scan.ts'
import { requireQueue } from '../endpoints/kinds/endpoint-kinds.ts'
import { endpointOf } from '../endpoints/routes.ts'
import type { ServiceBase } from '../service-context.ts'
import type { Schedules } from './schedules.ts'

type Services = ServiceBase & { readonly schedules: Schedules }

export const SCHEDULE_OPERATIONS = {
  scheduleList: ({ query }, { schedules }) => ({ schedules: [...schedules.list(query.endpoint)] }),
  async scheduleCreate({ path, body, sent }, service) {
    const endpoint = endpointOf(path, service)
    requireQueue(endpoint, service)
    const { webhook, policy } = body.request
    return await service.schedules.add(endpoint, { ...body, request: { webhook, policy, input: inputIn(sent) } })
  },
  scheduleRead: ({ path }, { schedules }) => schedules.read(path.endpointId, path.scheduleId),
  scheduleUpdate: async ({ path, body }, { schedules }) =>
    await schedules.setPaused(path.endpointId, path.scheduleId, body.paused),
  async scheduleRunNow({ path }, { schedules }) {
    const { id } = await schedules.runNow(path.endpointId, path.scheduleId)
    return { jobId: id }
  },
  async scheduleDelete({ path }, { schedules }) {
    await schedules.remove(path.endpointId, path.scheduleId)
    return DONE
  },
} as const satisfies Partial<ManagementOperations<Services>>

// Unchanged text, so that a seed of twenty digits keeps them.
function inputIn(sent: JsonBody): string {
  const request = sent.raw('request') ?? '{}'
  return rawFields(request, cutText(request))('input') ?? '{}'
}
