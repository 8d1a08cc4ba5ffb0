import type { CliCommand } from '../../app/cli/cli-command.ts'
import { wholeNumber } from '../../app/cli/option-values.ts'
import { duration, type Output } from '../../app/cli/output.ts'
import { withSpinner } from '../../app/cli/progress-line.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../app/client/service-client.ts'
import type { LoadTest, Spans } from '../../contract/requests.ts'
import { writeExact } from '../../lib/json.ts'
import { buildRequest, type RequestOptions } from '../jobs/commands/job-request.ts'

type LoadTestOptions = Pick<RequestOptions, 'inputFile'> & {
  readonly requests: number
  readonly concurrency: number
  readonly operation: string
  readonly method?: string
  readonly path?: string
}

export function addLoadTest(loadTest: CliCommand, surroundings: Surroundings): void {
  loadTest
    .argument('<endpoint>', 'id of the endpoint')
    .argument('[input]', 'JSON object, or - to read it from standard input (default: {})')
    .option('--input-file <file>', 'read the input from a JSON file')
    .option('--requests <count>', 'number of requests, 1 to 100000', wholeNumber, 200)
    .option('--concurrency <count>', 'number of concurrent requests, 1 to 256', wholeNumber, 8)
    .option('--operation <operation>', 'runsync, run, or request for a load-balanced endpoint', 'runsync')
    .option('--method <method>', 'method of a request to a load-balanced endpoint')
    .option('--path <path>', 'path of a request to a load-balanced endpoint')
    .details(`
The service sends the requests and continues if this command is interrupted; the web pages show the test and can stop it.

Examples:
  $ drydock load-test hello '{"name": "Ada"}' --requests 1000 --concurrency 32
  $ drydock load-test web --operation request --path /search?q=boat`)
    .onSession(async ({ client, output }, endpointId: string, input: string | undefined, options: LoadTestOptions) => {
      const { operation, requests, concurrency, method, path } = options
      const isJob = operation !== 'request'
      const sends = isJob || input !== undefined || options.inputFile !== undefined
      const built = sends ? await buildRequest(input, options, surroundings) : undefined
      const value = isJob ? built : built?.input
      const body = { operation, requests, concurrency, method, path, body: value && writeExact(value) }
      const test = await withSpinner(`load test of ${endpointId}`, { output, surroundings }, async () => {
        const { id } = await client.call('loadTestCreate', { path: { endpointId }, bodyText: writeExact(body) })
        return followLoadTest(client, { endpointId, loadTestId: id })
      })
      output.result(test, () => showLoadTest(output, test))
    })
}

async function followLoadTest(
  client: ServiceClient,
  path: { readonly endpointId: string; readonly loadTestId: string },
): Promise<LoadTest> {
  for await (const _event of client.follow('loadTestRead', { path, query: { follow: 'true' } })) {
    // Each event has the whole test, so only the last one counts, read below.
  }
  return client.call('loadTestRead', { path })
}

function showLoadTest(output: Output, { state, reason, result }: LoadTest): void {
  const { done, failed, elapsedMs, statuses, latency, delay, execution, errors } = result
  output.fields([
    ['state', reason === undefined ? state : `${state}: ${reason}`],
    ['requests', `${done} in ${duration(elapsedMs)}, ${failed} failed`],
    ['throughput', elapsedMs === 0 ? undefined : `${((done * 1000) / elapsedMs).toFixed(1)} / s`],
    ['status', done === 0 ? undefined : statusText(statuses)],
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
