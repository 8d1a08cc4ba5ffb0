import { followView } from '../../http/follow-view.ts'
import { DONE, type ManagementOperations } from '../../http/operation.ts'
import type { ServiceBase } from '../service-context.ts'
import type { TargetDeploys } from './deploys.ts'
import type { SendToTarget } from './ports.ts'
import { probeTarget } from './probe-target.ts'
import { readApp, viewTargetApp } from './read-target.ts'
import { createTargetClient } from './target-client.ts'
import { listTargets, putTarget, removeTarget, requireTarget } from './targets.ts'

type Services = ServiceBase & { readonly targetDeploys: TargetDeploys; readonly send: SendToTarget }

export const TARGET_OPERATIONS = {
  targetList: (_request, { storage }) => ({ targets: [...listTargets(storage)] }),
  targetPut: async ({ body }, service) => await putTarget(service, body),
  async targetRemove({ path }, { storage }) {
    await removeTarget(storage, path.target)
    return DONE
  },
  async targetProbe({ path }, { storage, send, readInThread, stopping }) {
    return { answers: await probeTarget({ send, readInThread }, requireTarget(storage, path.target), stopping) }
  },
  async targetAppRead({ path }, { storage, clock, send, readInThread, stopping }) {
    const access = requireTarget(storage, path.target)
    const client = createTargetClient({ send, clock, readInThread }, access, stopping)
    return viewTargetApp(await readApp(client, path.app))
  },
  targetPlan: async ({ path, body }, { targetDeploys }) => await targetDeploys.plan(path, body),
  targetDeployList: ({ path }, { targetDeploys }) => ({ deploys: [...targetDeploys.list(path)] }),
  targetDeployCreate: async ({ path, body }, { targetDeploys }) => await targetDeploys.create(path, body),
  targetUndeploy: async ({ path }, { targetDeploys }) => await targetDeploys.undeploy(path),
  targetDeployRead({ c, path, query }, { targetDeploys, stopping }) {
    const view = () => targetDeploys.read(path.deployId)
    if (query.follow !== 'true') return view()
    view()
    const { notifier } = targetDeploys
    return followView(c, { notifier, stopping, event: 'deploy', view, isLast: ({ state }) => state !== 'running' })
  },
  targetDeployCancel: async ({ path }, { targetDeploys }) => await targetDeploys.cancel(path.deployId),
} as const satisfies Partial<ManagementOperations<Services>>
