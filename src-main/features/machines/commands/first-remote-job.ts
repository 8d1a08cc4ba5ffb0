import { ensureSample } from '../../../app/cli/ensure-sample.ts'
import type { Session } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { HELLO } from '../../../contract/catalog.ts'
import { plainId } from '../../endpoints/rules/ids.ts'
import { runShown, showOutcome } from '../../jobs/commands/follow-job.ts'

// ms. The first job builds its worker's image there, perhaps over a slow network. Source: ours.
const FIRST_JOB_MS = 20 * 60_000

export async function runFirstJob({ client, output }: Session, surroundings: Surroundings, machine: string) {
  const endpointId = plainId(`${HELLO}-${machine}`)
  await ensureSample(client, {
    id: endpointId,
    handler: 'examples/hello/handler.py',
    settings: { container: { machine } },
  })
  await client.call('endpointUpdate', { path: { endpointId }, body: { container: { machine } } })
  const request = { endpointId, body: { input: { name: machine } }, waitMs: FIRST_JOB_MS }
  const followed = await runShown(client, request, `a first job on ${machine}`, { output, surroundings })
  showOutcome(output, endpointId, followed)
  if (!output.json) output.hint(`Endpoint ${endpointId} stays. Another job: drydock runsync ${endpointId} '{}'`)
}
