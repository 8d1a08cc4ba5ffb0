import { z } from 'zod'
import { limit } from '../../../contract/limits.ts'
import { connectionText } from '../../../features/machines/rules/connection-text.ts'
import { sizeText } from '../../../lib/text.ts'
import type { Operation } from '../../client/calls.ts'
import { readingTool, type Tool, tool } from '../tool.ts'
import { endpointId, logText, rows, when } from './shared.ts'

export const SERVICE_TOOLS: readonly Tool[] = [
  readingTool({
    name: 'service_status',
    title: 'Check the service',
    description:
      'Finds problems of the service and its machine, with fixes: disk, Docker, GPUs, Python, crashing endpoints. Use it first when several things fail, or nothing explains a failure.',
    input: {},
    async run(_input, { client }) {
      const [info, { rows: checks }, disk, { gpus, gpuFault, workers, engine }] = await Promise.all([
        client.call('info'),
        client.call('doctorRead'),
        client.call('diskRead'),
        client.call('machineRead'),
      ])
      const problems = checks.filter(({ state }) => state !== 'ok')
      return {
        data: {
          says:
            problems.length === 0
              ? ['No check found a problem.']
              : problems.map(({ check, state, found, fix }) => `${check} (${state}): ${found}. ${fix ?? ''}`.trim()),
          version: info.version,
          url: info.url,
          startedAt: when(info.startedAt),
          endpoints: info.endpoints,
          jobs: info.jobs,
          disk: { free: sizeText(disk.freeBytes), of: sizeText(disk.totalBytes), folder: disk.folder },
          docker: engine.state === 'connected' ? `connected, ${engine.version ?? ''}` : (engine.reason ?? engine.state),
          gpus: gpus.map(({ name, heldBy }) => ({ name, usedBy: heldBy.map(({ endpointId: id }) => id) })),
          gpuFault,
          workers,
          checksPassed: checks.filter(({ state }) => state === 'ok').map(({ check }) => check),
        },
      }
    },
  }),
  readingTool({
    name: 'worker_list',
    title: 'List workers',
    description: 'The workers, with their state, why they are in it, what they run, and when they started.',
    input: { endpointId: endpointId.optional() },
    rest: 'Give an endpointId.',
    async run({ endpointId: endpoint }, { client }) {
      const { workers } = await client.call('workerList', { query: { endpoint } })
      return {
        data: {
          workers: workers.slice(0, limit('mcpRows')).map(({ startedAt, lastSeenAt, jobs, ...worker }) => ({
            ...worker,
            startedAt: when(startedAt),
            lastSeenAt: lastSeenAt === undefined ? undefined : when(lastSeenAt),
            jobs: jobs.slice(0, SHOWN_JOBS),
          })),
        },
        more: workers.length > limit('mcpRows') ? `There are ${workers.length}. Give an endpointId.` : undefined,
      }
    },
  }),
  tool({
    name: 'worker_replace',
    title: 'Replace a worker',
    description:
      'Replaces a worker by a new one; it ends its jobs first. For a worker that hangs or holds stale state.',
    input: { workerId: z.string().max(100).describe('id of the worker, as worker_list has it') },
    role: 'deploy',
    effect: 'dangerous',
    run: async ({ workerId }, { client }) => ({ data: await client.call('workerReplace', { path: { workerId } }) }),
  }),
  readingTool({
    name: 'machine_list',
    title: 'List machines',
    description: 'The other computers that run workers of this service, with what they have and whether they answer.',
    input: {},
    async run(_input, { client }) {
      const { machines } = await client.call('machineList')
      return { data: { machines: machines.map(({ way, ...machine }) => ({ ...machine, way: connectionText(way) })) } }
    },
  }),
  readingTool({
    name: 'log_read',
    title: 'Read logs',
    description:
      'Log lines of an endpoint, a worker or a job, oldest first: what handlers print, tracebacks, lines of the service about the worker. Give exactly one of endpointId, workerId and jobId.',
    input: {
      endpointId: endpointId.optional(),
      workerId: z.string().max(100).optional(),
      jobId: z.string().max(100).optional(),
      lines: z.number().int().min(1).max(limit('mcpLogLines')).default(50).describe('the newest of them'),
      contains: z.string().max(200).optional().describe('only lines with this text, in any case'),
      after: z.number().int().min(0).optional().describe('only lines after this one: `last` of an earlier answer'),
    },
    rest: 'Ask for fewer `lines`, or for those that contain a text.',
    async run({ lines: count, contains, after, ...of }, { client }) {
      const given = LOGS.flatMap(([name, operation]) =>
        of[name] === undefined ? [] : [{ name, operation, id: of[name] }],
      )
      const [only] = given
      if (only === undefined || given.length > 1) throw new Error('Give exactly one of endpointId, workerId and jobId.')
      const tail = contains === undefined ? count : SEARCHED_LINES
      const { lines } = (await client.call(
        only.operation as Operation,
        {
          path: { [only.name]: only.id },
          query: { tail, after },
        } as never,
      )) as { readonly lines: Parameters<typeof logText>[0] }
      const wanted = contains?.toLowerCase()
      const found = wanted === undefined ? lines : lines.filter(({ line }) => line.toLowerCase().includes(wanted))
      const shown = found.slice(-count)
      return {
        data: { lines: logText(shown), last: shown.at(-1)?.id },
        more:
          found.length > shown.length || lines.length === tail
            ? `These are the newest ${shown.length}. There may be older ones: ask for more \`lines\`, or for those that contain a text.`
            : undefined,
      }
    },
  }),
  readingTool({
    name: 'event_list',
    title: 'List events',
    description: 'Events of endpoints and workers, newest first: starts, crashes, deploys, changes of settings.',
    input: {
      endpointId: endpointId.optional(),
      rows: rows(30),
      before: z.number().int().min(0).optional().describe('only events before this one: an `id` of an earlier answer'),
    },
    rest: 'Ask for fewer rows, and go on with `before`.',
    async run({ endpointId: endpoint, rows: count, before }, { client }) {
      const { events, more } = await client.call('fleetEventList', { query: { endpoint, limit: count, before } })
      return {
        data: { events: events.map(({ at, ...event }) => ({ at: when(at), ...event })) },
        more: more === undefined ? undefined : `Older ones: before=${events.at(-1)?.id}.`,
      }
    },
  }),
]

const SHOWN_JOBS = 10

const SEARCHED_LINES = 10_000
const LOGS = [
  ['endpointId', 'endpointLogs'],
  ['workerId', 'workerLogs'],
  ['jobId', 'jobLogs'],
] as const
