import type { RunDetail, RunView } from '../../contract/workflows.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import { CliError } from '../cli-error.ts'
import type { ServiceClient } from '../client.ts'
import type { Surroundings } from '../surroundings.ts'

// Twice a second is what a person sees of a bar; a worker reports a few times a second.
const LOOK_EVERY_MS = 500
// Results are kept within moments of the end of the job.
const RESULTS_EVERY_MS = 100

/**
 * Follows a run to its end.
 * @param show shows how far it is, for a person; an empty text clears it
 * @returns the run with its results
 * @throws CliError WAITS_IN_VAIN when its job waits for what cannot come by waiting
 */
export async function followRun(
  client: ServiceClient,
  { id, endpointId }: Pick<RunView, 'id' | 'endpointId'>,
  {
    show,
    pause,
    nodes,
  }: Pick<Surroundings, 'pause'> & { readonly show: (text: string) => void; readonly nodes: number },
): Promise<RunDetail> {
  for (;;) {
    const run = await client.call('runRead', { path: { runId: id } })
    if (run.endedAt !== undefined) {
      show('')
      return run
    }
    const job = await client.call('jobRead', { path: { jobId: id } })
    if (isFinal(job.status)) {
      await pause(RESULTS_EVERY_MS)
      continue
    }
    if (job.waitingNeedsChange === true) {
      show('')
      throw new CliError('WAITS_IN_VAIN', { jobId: id, why: job.waitingReason ?? '' })
    }
    const waits = job.status === 'IN_QUEUE' || job.waitingReason !== undefined
    show(waits ? `waits${reason(job.waitingReason)}` : progressText(job.output, nodes))
    // Ends at once when the job does, so that a short one need not wait for the next look.
    await Promise.race([client.call('statusSync', { path: { endpointId, jobId: id } }), pause(LOOK_EVERY_MS)])
  }
}

const reason = (text: string | undefined) => (text === undefined ? '' : `: ${text}`)

/** What a worker tells of how far it is, in a line. Source: image-workflows, Running a graph. */
function progressText(output: unknown, nodes: number): string {
  if (typeof output !== 'object' || output === null) return 'runs'
  const { node, step, steps, done } = output as Readonly<Record<string, unknown>>
  const count = Array.isArray(done) ? `${done.length} of ${nodes} nodes` : ''
  const at = typeof node === 'string' ? `node ${node}` : ''
  const bar = typeof step === 'number' && typeof steps === 'number' ? `step ${step} of ${steps}` : ''
  return ['runs', count, at, bar].filter((part) => part !== '').join(', ')
}
