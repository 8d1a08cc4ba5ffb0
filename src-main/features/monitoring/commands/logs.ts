import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { usageError } from '../../../app/cli/cli-error.ts'
import { following } from '../../../app/cli/interrupt.ts'
import { wholeNumber } from '../../../app/cli/option-values.ts'
import type { Output } from '../../../app/cli/output.ts'
import { followToEnd, openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { Operation } from '../../../app/client/calls.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import { AppError } from '../../../contract/errors.ts'
import type { LogLine } from '../../../contract/management.ts'
import { jobContinues } from '../../jobs/commands/follow-job.ts'

type LogOptions = { readonly job?: string; readonly worker?: string; readonly tail: number; readonly follow?: true }

export function addLogs(logs: CliCommand, surroundings: Surroundings): void {
  logs
    .argument('[endpoint]', 'id of the endpoint')
    .option('--job <id>', 'lines of one job')
    .option('--worker <id>', 'lines of one worker')
    .option('-n, --tail <lines>', 'only the newest lines', wholeNumber, 200)
    .option('-f, --follow', 'keep printing new lines as they arrive')
    .details(`
Examples:
  $ drydock logs hello -f
  $ drydock logs hello --tail 20
  $ drydock logs --job 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock logs --worker w1a2b3c4d5e6f7 --json`)
    .action(async (endpointId: string | undefined, options: LogOptions, command: CliCommand) => {
      const { operation, id } = sourceOf(endpointId, options)
      const path = { endpointId: id, workerId: id, jobId: id }
      const { client, output } = await openSession(command, surroundings)
      if (options.follow !== true) {
        const page = await client.call(operation, { path, query: { tail: options.tail } })
        if (page.lines.length === 0) await expectSource(client, { operation, id })
        if (output.json) output.document(page)
        else if (page.lines.length === 0) output.note('There are no log lines yet. Use -f to wait for them.')
        else for (const line of page.lines) showLine(output, line)
        if (page.more === true) output.note('There are older lines: --tail N shows more of them.')
        return
      }
      if (!output.json || operation !== 'endpointLogs') {
        const { lines } = await client.call(operation, { path, query: { tail: 1 } })
        if (lines.length === 0) await expectSource(client, { operation, id })
        if (lines.length === 0 && !output.json)
          output.note('There are no log lines yet. New lines appear here; Ctrl+C stops.')
      }
      const { logLine } = await import('../../../contract/management.ts')
      const lines = followToEnd(client, operation, (after) => ({
        path,
        query: { follow: 'true', ...(after === undefined ? { tail: options.tail } : { after }) },
      }))
      const print = async () => {
        for await (const { event, data } of lines) {
          if (event === 'end') return
          const line = logLine.parse(JSON.parse(data))
          output.result(line, () => showLine(output, line))
        }
      }
      // Nobody expects an endpoint or a worker to end with its log.
      if (operation === 'jobLogs') await following(() => jobContinues(id), { output, surroundings }, print)
      else await print()
    })
}

type LogSource = {
  readonly operation: Extract<Operation, 'endpointLogs' | 'workerLogs' | 'jobLogs'>
  readonly id: string
}

function sourceOf(endpointId: string | undefined, { job, worker }: LogOptions): LogSource {
  // A job or worker implies its endpoint, so naming the endpoint as well is no contradiction.
  if (job !== undefined && worker === undefined) return { operation: 'jobLogs', id: job }
  if (worker !== undefined && job === undefined) return { operation: 'workerLogs', id: worker }
  if (job === undefined && endpointId !== undefined) return { operation: 'endpointLogs', id: endpointId }
  throw usageError('Name one source: an endpoint, --job ID or --worker ID.')
}

/**
 * Tells a source without lines from a mistyped id; the service refuses an unknown endpoint itself.
 * @throws CliError SERVICE_REFUSED, AppError WORKER_NOT_FOUND
 */
async function expectSource(client: ServiceClient, { operation, id }: LogSource): Promise<void> {
  if (operation === 'jobLogs') await client.call('jobProgress', { path: { jobId: id } })
  if (operation !== 'workerLogs') return
  const { workers } = await client.call('workerList', { query: {} })
  if (!workers.some((worker) => worker.id === id)) throw new AppError('WORKER_NOT_FOUND', { workerId: id })
}

function showLine(output: Output, { at, workerId, level, line }: LogLine): void {
  const time = new Date(at).toTimeString().slice(0, 8)
  const text = level === 'ERROR' ? output.paint('red', line) : line
  output.line(`${output.paint('gray', `${time} ${workerId}`)}  ${text}`)
}
