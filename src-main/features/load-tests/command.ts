import type { CliCommand } from '../../app/cli/cli-command.ts'
import { CliError, isUnreachable } from '../../app/cli/cli-error.ts'
import { SIGNAL_EXITS, stoppingFirst } from '../../app/cli/interrupt.ts'
import { wholeNumber } from '../../app/cli/option-values.ts'
import { duration, type Output } from '../../app/cli/output.ts'
import { withSpinner } from '../../app/cli/progress-line.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../app/client/service-client.ts'
import type { LoadTest, Spans } from '../../contract/requests.ts'
import { writeExact } from '../../lib/json/plain.ts'
import { counted } from '../../lib/text.ts'
import { buildRequest, type RequestOptions } from '../jobs/commands/job-request.ts'

type LoadTestOptions = Pick<RequestOptions, 'inputFile'> & {
  readonly requests: number
  readonly concurrency: number
  readonly operation: string
  readonly method?: string
  readonly path?: string
}

const ABOUT = `
The service sends the requests. Ctrl+C stops the test and prints the results so far, but leaves its jobs in
the queue. The exit code is 0 only if all requests were sent and succeeded, and 4 if any of them or their jobs failed.`

const EXAMPLES = `
Examples:
  $ drydock load-test hello '{"name": "Ada"}' --requests 1000 --concurrency 32
  $ drydock load-test web --operation request --path /search?q=boat
  $ drydock load-test stop hello`

export function addLoadTest(loadTest: CliCommand, surroundings: Surroundings): void {
  loadTest
    .usage('[options] <endpoint> [input] | <command>')
    .details(`${ABOUT}\nAll options: drydock load-test start --help\n${EXAMPLES}`)

  loadTest
    .command('start', { isDefault: true })
    .description('send many requests to an endpoint and measure the results')
    .argument('<endpoint>', 'id of the endpoint')
    .argument('[input]', 'JSON object, or - to read it from standard input (default: {})')
    .option('--input-file <file>', 'read the input from a JSON file')
    .option('--requests <count>', 'number of requests, 1 to 100000', wholeNumber, 200)
    .option('--concurrency <count>', 'number of concurrent requests, 1 to 256', wholeNumber, 8)
    .option('--operation <operation>', 'runsync, run, or request for a load-balanced endpoint', 'runsync')
    .option('--method <method>', 'method of a request to a load-balanced endpoint')
    .option('--path <path>', 'path of a request to a load-balanced endpoint')
    .details(`${ABOUT}\n${EXAMPLES}`)
    .onSession(async ({ client, output }, endpointId: string, input: string | undefined, options: LoadTestOptions) => {
      const { operation, requests, concurrency, method, path } = options
      const isJob = operation !== 'request'
      const sends = isJob || input !== undefined || options.inputFile !== undefined
      const built = sends ? await buildRequest(input, options, surroundings) : undefined
      const value = isJob ? built : built?.input
      const body = { operation, requests, concurrency, method, path, body: value && writeExact(value) }
      const terminal = { output, surroundings }
      const { result: test, signal } = await withSpinner(`load test of ${endpointId}`, terminal, async () => {
        const { id } = await client.call('loadTestCreate', { path: { endpointId }, bodyText: writeExact(body) })
        const address = { endpointId, loadTestId: id }
        const stop = () => client.call('loadTestStop', { path: address })
        const note = `stopping the load test of ${endpointId}; Ctrl+C again leaves at once ...`
        return stoppingFirst(terminal, { note, stop }, (over) => followLoadTest(client, address, over))
      })
      output.result(test, () => showLoadTest(output, test))
      if (signal === undefined) return expectAll(test)
      await noteQueued(client, output, test)
      surroundings.exitNow(SIGNAL_EXITS[signal])
    })

  loadTest
    .command('stop')
    .description('stop the running load test of an endpoint, and print its results so far')
    .argument('<endpoint>', 'id of the endpoint')
    .examples('drydock load-test stop hello')
    .onSession(async ({ client, output }, endpointId: string) => {
      const { loadTests } = await client.call('loadTestList', { path: { endpointId } })
      const running = loadTests.find(({ state }) => state === 'running')
      if (running === undefined) throw new CliError('NO_LOAD_TEST', { endpointId })
      const test = await client.call('loadTestStop', { path: { endpointId, loadTestId: running.id } })
      output.result(test, () => showLoadTest(output, test))
      await noteQueued(client, output, test)
    })
}

// A job does not record that a load test sent it, so the user decides what to cancel.
async function noteQueued(client: ServiceClient, output: Output, { endpointId, plan }: LoadTest): Promise<void> {
  if (plan.operation === 'request') return
  const { jobs } = await client.call('health', { path: { endpointId } })
  if (jobs.inQueue > 0)
    output.note(
      `The queue of ${endpointId} still has ${counted(jobs.inQueue, 'job')}; \`drydock purge ${endpointId}\` cancels all of them.`,
    )
}

async function followLoadTest(
  client: ServiceClient,
  path: { readonly endpointId: string; readonly loadTestId: string },
  signal: AbortSignal,
): Promise<LoadTest> {
  try {
    for await (const _event of client.follow('loadTestRead', { path, query: { follow: 'true' }, signal })) {
      // Each event has the whole test, so only the last one counts, read below.
    }
  } catch (error) {
    if (!isUnreachable(error)) throw error
  }
  return client.call('loadTestRead', { path, signal })
}

function expectAll({ state, reason, result: { done, failed } }: LoadTest): void {
  if (failed > 0) throw new CliError('LOAD_TEST_FAILED', { failed, of: counted(done, 'request') })
  if (state === 'stopped') throw new CliError('ABANDONED', { why: `The load test was stopped: ${reason}.` })
}

function showLoadTest(output: Output, { state, reason, plan, result }: LoadTest): void {
  const { done, failed, elapsedMs, statuses, latency, delay, execution, errors } = result
  output.fields([
    ['state', reason === undefined ? state : `${state}: ${reason}`],
    ['requests', `${done} of ${plan.requests} in ${duration(elapsedMs)}, ${failed} failed`],
    ['jobs', plan.operation === 'runsync' && done > 0 ? `${done - failed} completed, ${failed} not` : undefined],
    ['throughput', elapsedMs === 0 ? undefined : `${((done * 1000) / elapsedMs).toFixed(1)} / s`],
    ['HTTP', done === 0 ? undefined : statusText(statuses)],
    ['latency', spansText(latency)],
    ['waited', spansText(delay)],
    ['ran', spansText(execution)],
    ['errors', errors.length === 0 ? undefined : errors.map(({ text, count }) => `${count} × ${text}`).join('\n')],
  ])
}

const statusText = (statuses: Readonly<Record<string, number>>) =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')

function spansText(spans: Spans | undefined): string | undefined {
  if (spans === undefined) return undefined
  const { p50, p90, p99, max } = spans
  return `p50 ${duration(p50)}, p90 ${duration(p90)}, p99 ${duration(p99)}, max ${duration(max)}`
}
