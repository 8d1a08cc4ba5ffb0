import { HELLO } from '../contract/catalog.ts'
import { plainId } from '../domain/ids.ts'
import { ensureSample } from './ensure-sample.ts'
import { runAndWait, showOutcome } from './follow-job.ts'
import { withSpinner } from './progress-line.ts'
import type { Session } from './session.ts'
import type { Surroundings } from './surroundings.ts'

// The image of its worker is made there first, over a slow network perhaps, ms; source: ours.
const FIRST_JOB_MS = 20 * 60_000

/**
 * Runs the sample on a machine, as the first job there; its endpoint stays, to be looked at.
 * @throws CliError where the job fails or cannot start
 */
export async function runFirstJob({ client, output }: Session, surroundings: Surroundings, machine: string) {
  const endpointId = plainId(`${HELLO}-${machine}`)
  await ensureSample(client, {
    id: endpointId,
    handler: 'examples/hello/handler.py',
    settings: { container: { machine } },
  })
  // Where it was there, it may have been moved since.
  await client.call('endpointUpdate', { path: { endpointId }, body: { container: { machine } } })
  const request = { endpointId, body: { input: { name: machine } }, waitMs: FIRST_JOB_MS }
  const { now } = surroundings
  const followed = await withSpinner(`a first job on ${machine}`, { output, surroundings }, (show) =>
    runAndWait(client, request, { show, now }),
  )
  showOutcome(output, endpointId, followed)
  if (!output.json) output.hint(`Endpoint ${endpointId} stays. Another job: drydock runsync ${endpointId} '{}'`)
}
