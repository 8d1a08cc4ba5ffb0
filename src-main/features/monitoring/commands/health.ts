import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError } from '../../../app/cli/cli-error.ts'
import type { Output } from '../../../app/cli/output.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ResponseOf } from '../../../app/client/calls.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import type { HealthRecord } from '../../../contract/job.ts'
import { ago } from '../../../lib/text.ts'
import { noteText } from '../../endpoints/commands/show-endpoint.ts'

export function addHealth(health: CliCommand, surroundings: Surroundings): void {
  health
    .argument('[endpoint]', 'id of the endpoint (default: all)')
    .examples('drydock health', 'drydock health hello --json')
    .onSession(async ({ client, output }, endpointId: string | undefined) => {
      if (endpointId !== undefined) {
        const health = await client.call('health', { path: { endpointId } })
        if (output.json) return output.document(health)
        showCounters(output, [[endpointId, health]])
        if (health.jobs.inQueue + health.workers.unhealthy + (health.batchWorkers?.unhealthy ?? 0) > 0)
          showReasons(output, [await readIfAllowed(client, endpointId)], surroundings.now())
        return
      }
      const [service, { endpoints }] = await Promise.all([client.call('info'), client.call('endpointList')])
      const counters = await Promise.all(
        endpoints.map(async ({ id }) => [id, await client.call('health', { path: { endpointId: id } })] as const),
      )
      if (output.json) return output.document({ service, endpoints: Object.fromEntries(counters) })
      showService(output, service, surroundings.now())
      if (counters.length === 0) return
      output.line()
      showCounters(output, counters)
      showReasons(output, endpoints, surroundings.now())
    })
}

type Endpoint = ResponseOf<'endpointRead'>

// An endpoint's key gives access to counters but not to the management API.
async function readIfAllowed(client: ServiceClient, endpointId: string): Promise<Endpoint | undefined> {
  try {
    return await client.call('endpointRead', { path: { endpointId } })
  } catch (error) {
    if (error instanceof CliError && error.status === 403) return undefined
    throw error
  }
}

function showReasons(output: Output, endpoints: readonly (Endpoint | undefined)[], now: number): void {
  for (const endpoint of endpoints) {
    if (endpoint?.state === 'crashing') {
      output.hint(`${endpoint.id} is crashing: ${noteText(endpoint, now)}`)
      continue
    }
    if (endpoint?.waitingReason !== undefined) output.hint(`${endpoint.id} waits: ${endpoint.waitingReason}`)
  }
}

function showService(output: Output, service: ResponseOf<'info'>, now: number): void {
  output.fields([
    ['service', service.url],
    ['version', service.version],
    ['process', `${service.pid}, started ${ago(service.startedAt, now)}`],
    ['data', service.data],
    ['endpoints', String(service.endpoints)],
    ['jobs', `${service.jobs.inQueue} in queue, ${service.jobs.inProgress} in progress`],
    ['late results', service.lateResults === 0 ? undefined : `${service.lateResults} dropped`],
  ])
}

function showCounters(output: Output, counters: readonly (readonly [id: string, health: HealthRecord])[]): void {
  output.table(
    [
      ...['ENDPOINT', 'IN QUEUE', 'IN PROGRESS', 'COMPLETED', 'FAILED', 'RETRIED'],
      ...['WORKERS READY', 'RUNNING', 'IDLE', 'INITIALIZING', 'THROTTLED', 'UNHEALTHY'],
    ],
    counters.flatMap(([id, { jobs, workers, batchWorkers }]) => [
      [
        ...[id, ...[jobs.inQueue, jobs.inProgress, jobs.completed, jobs.failed, jobs.retried].map(String)],
        ...workerCells(workers),
      ],
      ...(batchWorkers === undefined ? [] : [['  batch workers', '', '', '', '', '', ...workerCells(batchWorkers)]]),
    ]),
  )
}

function workerCells(workers: HealthRecord['workers']): readonly string[] {
  const { ready, running, idle, initializing, throttled, unhealthy } = workers
  return [ready, running, idle, initializing, throttled, unhealthy].map(String)
}
