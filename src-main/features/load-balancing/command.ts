import type { CliCommand } from '../../app/cli/cli-command.ts'
import { wholeNumber } from '../../app/cli/option-values.ts'
import { duration, type Output, size } from '../../app/cli/output.ts'
import { followToEnd } from '../../app/cli/session.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../app/client/service-client.ts'
import type { ProxiedRequest } from '../../contract/management.ts'
import { ago, momentText } from '../../lib/text.ts'

type RequestOptions = {
  readonly status?: string
  readonly limit?: number
  readonly cursor?: string
  readonly follow?: true
}

export function addRequests(requests: CliCommand, surroundings: Surroundings): void {
  requests
    .argument('<endpoint>', 'id of the endpoint')
    .option('--status <status>', 'only this status, like 502, or this class, like 5xx')
    .option('--limit <count>', 'requests per page, 1 to 500 (default 50)', wholeNumber)
    .option('--cursor <cursor>', 'continue after the page that printed this cursor')
    .option('-f, --follow', 'print new requests as they end')
    .examples('drydock requests web', 'drydock requests web -f --status 5xx')
    .onSession(async ({ client, output }, endpointId: string, { follow, status, ...page }: RequestOptions) => {
      const path = { endpointId }
      if (follow !== true) {
        const found = await client.call('endpointRequests', { path, query: { status, ...page } })
        const isEmptyQueue = found.requests.length === 0 && !output.json && (await takesJobsInstead(client, path))
        if (isEmptyQueue) output.hint(takesJobs(endpointId))
        else showPage(output, found, surroundings.now())
        return
      }
      if (!output.json) {
        if (await takesJobsInstead(client, path)) output.note(takesJobs(endpointId))
        else output.note('There are no requests yet. Each appears here when it ends; Ctrl+C stops.')
      }
      const { proxiedRequest } = await import('../../contract/management.ts')
      const requests = followToEnd(client, 'endpointRequests', (after) => ({
        path,
        query: { follow: 'true', status, after },
      }))
      for await (const { event, data } of requests) {
        if (event === 'end') return
        if (event !== 'request') continue
        const request = proxiedRequest.parse(JSON.parse(data))
        output.result(request, lineOf(output, request))
      }
    })
}

const takesJobs = (id: string) => `${id} takes jobs, not requests: drydock jobs list --endpoint ${id}`

async function takesJobsInstead(client: ServiceClient, path: { readonly endpointId: string }): Promise<boolean> {
  return (await client.call('endpointRead', { path })).loadBalanced === undefined
}

function showPage(
  output: Output,
  page: { readonly requests: readonly ProxiedRequest[]; readonly cursor?: string | undefined },
  now: number,
): void {
  output.list(
    page,
    'There are no requests.',
    ['WHEN', 'METHOD', 'PATH', 'STATUS', 'WAITED', 'FIRST BYTE', 'TOTAL', 'IN', 'OUT', 'WORKER', 'ERROR'],
    page.requests.map((request) => [
      ago(request.at, now),
      request.method,
      request.path,
      statusText(output, request),
      duration(request.waitedMs),
      request.firstByteMs === undefined ? '' : duration(request.firstByteMs),
      duration(request.durationMs),
      size(request.bytesIn),
      size(request.bytesOut),
      request.workerId ?? '',
      request.error ?? '',
    ]),
  )
  if (page.cursor !== undefined && !output.json) output.note(`For older requests, add --cursor ${page.cursor}`)
}

function lineOf(output: Output, request: ProxiedRequest): string {
  const { method, path, durationMs, workerId = '-', error = '' } = request
  return `${momentText(request.at)}  ${method} ${path}  ${statusText(output, request)}  ${duration(durationMs)}  ${workerId}  ${error}`.trimEnd()
}

function statusText(output: Output, { status }: ProxiedRequest): string {
  if (status === undefined) return 'left'
  return output.paint(status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green', String(status))
}
