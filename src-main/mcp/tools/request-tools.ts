/** Tools about requests that people saved, and load tests. */
import { z } from 'zod'
import type { ResponseOf } from '../../client/calls.ts'
import { loadTestCreate } from '../../contract/requests.ts'
import { durationText } from '../../domain/text.ts'
import { type Tool, tool } from '../tool.ts'
import { endpointId, preview, when } from './shared.ts'

const loadTestId = z.string().max(100).describe('id of the load test')

// What an agent may send by itself; more is a person's to ask for.
const REQUESTS_MAX = 10_000
const CONCURRENCY_MAX = 64

/** Part of the table. */
export const REQUEST_TOOLS: readonly Tool[] = [
  tool({
    name: 'saved_request_list',
    title: 'List saved requests',
    description: 'The requests that people saved for an endpoint under a name.',
    input: { endpointId },
    role: 'read',
    effect: 'reads',
    async run(path, { client }) {
      const { requests } = await client.call('savedRequestList', { path })
      return {
        data: {
          requests: requests.map(({ id, name, request, updatedAt }) => ({
            ...{ id, name, operation: request.operation, body: preview(request.body, BODY_LENGTH) },
            updatedAt: when(updatedAt),
          })),
        },
      }
    },
  }),
  tool({
    name: 'saved_request_run',
    title: 'Run a saved request',
    description: 'Sends a saved request as a job and gives its id; wait for it with job_wait.',
    input: { endpointId, name: z.string().max(100).describe('name of the saved request') },
    role: 'run',
    effect: 'writes',
    async run({ endpointId: id, name }, { client }) {
      const path = { endpointId: id }
      const { requests } = await client.call('savedRequestList', { path })
      const found = requests.find((one) => one.name === name)
      if (found === undefined) throw new Error(`${id} has no saved request ${name}. saved_request_list lists them.`)
      if (found.request.operation === 'request')
        throw new Error(`${name} is an HTTP request to a load-balanced endpoint, which makes no job.`)
      return { data: await client.call('run', { path, bodyText: found.request.body }) }
    },
  }),
  tool({
    name: 'load_test_start',
    title: 'Start a load test',
    description:
      'Sends many requests to an endpoint at once, and measures. One can run at a time. Read it with load_test_read; the jobs are real.',
    input: {
      endpointId,
      operation: loadTestCreate.shape.operation.default('runsync'),
      requests: z.number().int().min(1).max(REQUESTS_MAX),
      concurrency: z.number().int().min(1).max(CONCURRENCY_MAX),
      input: z.record(z.string(), z.unknown()).optional().describe('of jobs: what the handler gets'),
      method: loadTestCreate.shape.method,
      path: loadTestCreate.shape.path,
    },
    role: 'run',
    effect: 'writes',
    async run({ endpointId: id, input, ...plan }, { client }) {
      const body = {
        ...plan,
        ...(plan.operation === 'request' ? {} : { body: JSON.stringify({ input: input ?? {} }) }),
      }
      return { data: viewOf(await client.call('loadTestCreate', { path: { endpointId: id }, body })) }
    },
  }),
  tool({
    name: 'load_test_read',
    title: 'Read load tests',
    description: 'The figures of a load test, or of the newest ones of an endpoint.',
    input: { endpointId, loadTestId: loadTestId.optional() },
    role: 'read',
    effect: 'reads',
    async run({ endpointId: id, loadTestId: test }, { client }) {
      const path = { endpointId: id }
      if (test !== undefined)
        return { data: viewOf(await client.call('loadTestRead', { path: { ...path, loadTestId: test } })) }
      const { loadTests } = await client.call('loadTestList', { path })
      return { data: { loadTests: loadTests.slice(0, NEWEST).map(viewOf) } }
    },
  }),
  tool({
    name: 'load_test_stop',
    title: 'Stop a load test',
    description: 'Sends no further request; what was measured stays.',
    input: { endpointId, loadTestId },
    role: 'run',
    effect: 'writes',
    isIdempotent: true,
    run: async (path, { client }) => ({ data: viewOf(await client.call('loadTestStop', { path })) }),
  }),
]

const BODY_LENGTH = 1000
const NEWEST = 10

type LoadTest = ResponseOf<'loadTestRead'>
type Spans = NonNullable<LoadTest['result']['latency']>

function viewOf({ id, endpointId: endpoint, state, reason, plan, startedAt, result }: LoadTest) {
  const { elapsedMs, latency, delay, execution, ...counts } = result
  return {
    ...{ id, endpointId: endpoint, state, reason, plan },
    startedAt: when(startedAt),
    elapsed: durationText(elapsedMs),
    perSecond: elapsedMs === 0 ? undefined : Math.round((counts.done / elapsedMs) * 10_000) / 10,
    ...counts,
    ...{ latency: spansText(latency), delay: spansText(delay), execution: spansText(execution) },
  }
}

const spansText = (spans: Spans | undefined) =>
  spans &&
  `p50 ${durationText(spans.p50)}, p90 ${durationText(spans.p90)}, p99 ${durationText(spans.p99)}, longest ${durationText(spans.max)}`
