import { z } from 'zod'
import type { ServiceClient } from '../../app/client/service-client.ts'
import { HIDDEN } from '../../app/mcp/answer-text.ts'
import { readingTool, type Tool, tool } from '../../app/mcp/tool.ts'
import { endpointId, when } from '../../app/mcp/tools/shared.ts'
import { endpointConfig, endpointUpdate } from '../../contract/endpoint.ts'
import { ALL_FAULTS_OFF, faults } from '../../contract/faults.ts'
import { counted, durationText, withFullStop } from '../../lib/text.ts'
import { HOUR_MS } from '../../lib/units.ts'
import { errorLine } from '../jobs/rules/read-error.ts'
import { faultsText } from '../workers/rules/faults.ts'
import { workerOf } from '../workers/rules/pools.ts'
import { endpointHealth } from './rules/endpoint-health.ts'

const SETTINGS_NOTE =
  'Spans are in ms. Omitted settings have their defaults. A handler is an absolute path of a Python or TypeScript file; a command is a command line; an image is container.image.'

const creatable = endpointUpdate.omit({ faults: true }).shape

export const ENDPOINT_TOOLS: readonly Tool[] = [
  readingTool({
    name: 'endpoint_list',
    title: 'List endpoints',
    description: 'All endpoints with their state, why their jobs wait, and their address.',
    input: {},
    rest: 'Read one with endpoint_read.',
    async run(_input, { client }) {
      const { endpoints } = await client.call('endpointList')
      return { data: { endpoints: endpoints.map(rowOf) } }
    },
  }),
  readingTool({
    name: 'endpoint_read',
    title: 'Read an endpoint',
    description: 'All settings of an endpoint and its state. Values of variables are hidden.',
    input: { endpointId },
    run: async (path, { client }) => ({ data: await client.call('endpointRead', { path }) }),
  }),
  readingTool({
    name: 'why_waiting',
    title: 'Find out why an endpoint waits or fails',
    description:
      'Why jobs of an endpoint wait or fail, in sentences: crash loops with the exception, workers that start and for how long, a full queue, no capacity, throttling, fault injection, failures and cold starts of the last hour. Use it before logs.',
    input: { endpointId },
    run: async ({ endpointId: id }, { client, now }) => ({ data: await explainEndpoint(client, id, now()) }),
  }),
  tool({
    name: 'endpoint_create',
    title: 'Create an endpoint',
    description: `Creates an endpoint of a handler file, a command or an image. ${SETTINGS_NOTE} Its key is not shown; calls can use any key with the role run.`,
    input: { id: endpointConfig.shape.name.max(40).describe('id: a-z, 0-9 and inner hyphens'), ...creatable },
    role: 'deploy',
    effect: 'dangerous',
    async run({ id, name = id, ...settings }, { client }) {
      const body = { id, name, ...settings } as never
      const made = await client.call('endpointCreate', { body })
      return { data: { ...made, key: HIDDEN } }
    },
  }),
  tool({
    name: 'endpoint_update',
    title: 'Change settings of an endpoint',
    description: `Changes settings of an endpoint; its workers are replaced where they must be. ${SETTINGS_NOTE}`,
    input: { endpointId, ...creatable },
    role: 'deploy',
    effect: 'dangerous',
    isIdempotent: true,
    run: async ({ endpointId: id, ...body }, { client }) => ({
      data: await client.call('endpointUpdate', { path: { endpointId: id }, body }),
    }),
  }),
  tool({
    name: 'endpoint_pause',
    title: 'Pause or resume an endpoint',
    description:
      'Pauses an endpoint (new jobs wait), or resumes it, which also clears a crash loop so that the next worker starts at once.',
    input: { endpointId, paused: z.boolean() },
    role: 'deploy',
    effect: 'dangerous',
    isIdempotent: true,
    run: async ({ endpointId: id, paused }, { client }) => ({
      data: rowOf(await client.call(paused ? 'endpointPause' : 'endpointResume', { path: { endpointId: id } })),
    }),
  }),
  tool({
    name: 'endpoint_purge',
    title: 'Empty a queue',
    description: 'Cancels all waiting jobs of an endpoint. They cannot be brought back.',
    input: { endpointId },
    role: 'run',
    effect: 'dangerous',
    run: async (path, { client }) => ({ data: await client.call('purgeQueue', { path }) }),
  }),
  tool({
    name: 'endpoint_delete',
    title: 'Delete an endpoint',
    description: 'Stops the workers of an endpoint, cancels its jobs and deletes it. It cannot be brought back.',
    input: { endpointId, confirm: z.string().describe('the id of the endpoint once more') },
    role: 'deploy',
    effect: 'dangerous',
    async run({ endpointId: id, confirm }, { client }) {
      if (confirm !== id) throw new Error(`Nothing was deleted: confirm must be ${id}.`)
      return { data: await client.call('endpointDelete', { path: { endpointId: id } }) }
    },
  }),
  tool({
    name: 'fault_switches',
    title: 'Set fault injection',
    description:
      'Makes an endpoint fail on purpose, to test clients: delay jobs, fail a percentage, kill workers, report out of memory, throttle, cold starts. Switches that are not given stay as they are; off=true ends all.',
    input: { endpointId, ...faults.shape, off: z.boolean().default(false) },
    role: 'deploy',
    effect: 'dangerous',
    isIdempotent: true,
    async run({ endpointId: id, off, ...given }, { client }) {
      const body = { faults: off ? { ...ALL_FAULTS_OFF, ...given } : given }
      const { faults: on } = await client.call('endpointUpdate', { path: { endpointId: id }, body })
      return { data: { endpointId: id, faults: on ?? {}, says: faultsText(on) || 'Fault injection is off.' } }
    },
  }),
]

type Endpoint = Awaited<ReturnType<typeof readEndpoint>>

const readEndpoint = (client: ServiceClient, id: string) => client.call('endpointRead', { path: { endpointId: id } })

function rowOf({ id, name, state, url, crash, handler, command, container, ...reasons }: Endpoint) {
  const { waitingReason, throttledReason, brokenReason } = reasons
  return {
    ...{ id, name, state, url, waitingReason, throttledReason, brokenReason },
    crash: crash?.lastWords,
    runs: handler ?? command ?? container?.image,
  }
}

const NEWEST_ERRORS = 5
const NEWEST_EVENTS = 15

async function explainEndpoint(client: ServiceClient, id: string, now: number) {
  const path = { endpointId: id }
  const [endpoint, health, metrics, failed, { workers }, { events }] = await Promise.all([
    readEndpoint(client, id),
    client.call('health', { path }),
    client.call('endpointMetrics', { path, query: { from: now - HOUR_MS, points: 60 } }),
    client.call('jobList', { query: { endpoint: id, status: 'FAILED,TIMED_OUT', limit: NEWEST_ERRORS } }),
    client.call('workerList', { query: { endpoint: id } }),
    client.call('fleetEventList', { query: { endpoint: id, limit: NEWEST_EVENTS } }),
  ])
  const { waitingReason, throttledReason, brokenReason, state, loadBalanced } = endpoint
  const { inQueue, inProgress } = health.jobs
  const stats = { totals: metrics.totals, points: metrics.points, range: 'hour' }
  const [newest] = failed.requests
  const verdict = endpointHealth({
    ...{ state, inQueue, inProgress, waitingReason, throttledReason, brokenReason, stats },
    loadBalanced: loadBalanced !== undefined,
    lastError: newest?.error && errorLine(newest.error),
  })
  const { coldStarts, delay, execution } = metrics.totals
  return {
    says: [
      ...(verdict === undefined ? [] : [`${verdict.text}. ${verdict.reason}`]),
      ...crashText(endpoint, now),
      ...queueText(endpoint, { inQueue, running: health.workers.running }),
      ...(faultsText(endpoint.faults) === '' ? [] : [`Fault injection is on: ${faultsText(endpoint.faults)}.`]),
      ...(coldStarts === 0 ? [] : [`${counted(coldStarts, 'worker')} started in the last hour.`]),
    ],
    ...{ state, jobs: health.jobs, workers: health.workers, batchWorkers: health.batchWorkers },
    lastHour: {
      waiting:
        delay === undefined
          ? undefined
          : `half within ${durationText(delay.p50)}, 99 % within ${durationText(delay.p99)}`,
      execution:
        execution === undefined
          ? undefined
          : `half within ${durationText(execution.p50)}, 99 % within ${durationText(execution.p99)}`,
    },
    settings: {
      ...{ workersMin: endpoint.workersMin, workersMax: endpoint.workersMax, concurrency: endpoint.concurrency },
      ...{ idleTimeoutMs: endpoint.idleTimeoutMs, scaler: endpoint.scaler },
    },
    lives: workers
      .filter((worker) => worker.state !== 'ended')
      .map((worker) => ({
        ...{ id: worker.id, state: worker.state, reason: worker.reason, jobs: worker.jobs.length },
        since: when(worker.startedAt),
      })),
    failures: failed.requests.map(({ id, status, error }) => ({ id, status, error: error && errorLine(error) })),
    events: events.map(({ at, event, workerId, reason }) => ({ at: when(at), event, workerId, reason })),
  }
}

function crashText({ crash }: Endpoint, now: number): readonly string[] {
  if (crash === undefined) return []
  const { pool, count, lastWords, nextTryAt, needsChange } = crash
  const next =
    nextTryAt === undefined || nextTryAt <= now ? '' : ` The next try is in ${durationText(nextTryAt - now)}.`
  const change = needsChange ? ' Further tries will fail too until something is changed.' : ''
  return [`${counted(count, workerOf(pool))} crashed in a row: ${withFullStop(lastWords)}${next}${change}`]
}

function queueText(
  { workersMax, concurrency }: Endpoint,
  { inQueue, running }: { readonly inQueue: number; readonly running: number },
): readonly string[] {
  if (inQueue === 0 || running < workersMax || workersMax === 0) return []
  const places = workersMax * concurrency
  return [
    `The queue is full: ${counted(inQueue, 'job')} wait for ${counted(places, 'place')} (workersMax ${workersMax}, concurrency ${concurrency}), and all workers are busy. Raise workersMax or concurrency, or send less.`,
  ]
}
