import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { ResponseOf } from '../../app/client/calls.ts'
import type { ServiceClient } from '../../app/client/service-client.ts'
import { cutText } from '../../app/mcp/answer-text.ts'
import { readingTool, type Tool, tool } from '../../app/mcp/tool.ts'
import { endpointId, jobId, rows, when } from '../../app/mcp/tools/shared.ts'
import { COMPARISON_ROUTES } from '../../contract/compare.ts'
import { type BatchView, jobFilterBody } from '../../contract/job-routes.ts'
import { limit } from '../../contract/limits.ts'
import { writeExact } from '../../lib/json/plain.ts'
import { counted, cutLines } from '../../lib/text.ts'
import { endedIn } from './rules/counts.ts'

// Limit of one call, which is one piece of an upload; a person submits files.
const INPUTS_MAX = limit('batchPieceLines')

const batchId = z.string().max(100).describe('id of the batch')
const comparisonId = z.string().max(100).describe('id of the comparison')
const inputs = z.array(z.record(z.string(), z.unknown())).min(1).max(INPUTS_MAX)
const offset = z.number().int().min(0).default(0)

const { name, mode, versions, rules } = COMPARISON_ROUTES.comparisonCreate.body.shape

export const BATCH_TOOLS: readonly Tool[] = [
  tool({
    name: 'batch_submit',
    title: 'Submit a batch',
    description:
      'Submits many inputs as one batch: each becomes a job, and they are counted and retried together. Submitting the same inputs again resumes a batch that was interrupted. Follow it with batch_read.',
    input: { endpointId, name: z.string().trim().min(1).max(100), inputs: inputs.describe('what the handler gets') },
    role: 'run',
    effect: 'writes',
    async run({ endpointId: endpoint, name: named, inputs: given }, { client }) {
      const lines = given.map((input) => `${writeExact({ input })}\n`).join('')
      const fingerprint = `agent ${createHash('sha256').update(lines).digest('hex')}`
      const body = { name: named, total: given.length, fingerprint }
      const path = { batchId: (await client.call('batchCreate', { path: { endpointId: endpoint }, body })).id }
      // Lines that arrived before an interruption are known by number.
      await client.call('batchAppend', { path, query: { from: 1 }, bytes: Readable.from([Buffer.from(lines)]) })
      await client.call('batchFinalize', { path })
      return { data: batchText(await client.call('batchRead', { path })) }
    },
  }),
  readingTool({
    name: 'batch_read',
    title: 'Read batches',
    description:
      'A batch with its counts, why inputs failed, and when it will end; or all batches of an endpoint, newest first.',
    input: { batchId: batchId.optional(), endpointId: endpointId.optional() },
    async run({ batchId: id, endpointId: endpoint }, { client }) {
      if (id !== undefined) return { data: batchText(await client.call('batchRead', { path: { batchId: id } })) }
      const { batches } = await client.call('batchList', { query: { endpoint } })
      return { data: { batches: batches.map(batchText) } }
    },
  }),
  readingTool({
    name: 'batch_results',
    title: 'Read the results of a batch',
    description: 'Results of a batch so far, in the order of its inputs: state, output or error of each.',
    input: { batchId, line: z.number().int().min(1).default(1).describe('the first line, from 1'), rows: rows(20) },
    rest: 'Ask for fewer rows; read a long output with job_payload.',
    async run({ batchId: id, line: from, rows: count }, { client }) {
      const results: unknown[] = []
      for await (const text of exportedFrom(client, id, from)) {
        if (results.length === count) return { data: { results }, more: `More results: line=${JSON.parse(text).line}.` }
        results.push(text.length <= RESULT_LENGTH ? JSON.parse(text) : cutText(text, RESULT_LENGTH))
      }
      return { data: { results } }
    },
  }),
  ...(
    [
      ['batch_retry', 'batchRetry', 'Retry the failed of a batch', 'Queues its failed and timed out jobs again.'],
      ['batch_cancel', 'batchCancel', 'Cancel a batch', 'Cancels its jobs that have not ended; results stay.'],
    ] as const
  ).map(([toolName, operation, title, description]) =>
    tool({
      ...{ name: toolName, title, description },
      input: { batchId },
      role: 'run',
      effect: 'writes',
      run: async (path, { client }) => ({ data: await client.call(operation, { path }) }),
    }),
  ),
  tool({
    name: 'batch_delete',
    title: 'Delete a batch',
    description: 'Deletes a batch. Its jobs stay; the requests of a draft are deleted with it.',
    input: { batchId },
    role: 'run',
    effect: 'writes',
    run: async (path, { client }) => ({ data: await client.call('batchDelete', { path }) }),
  }),
  tool({
    name: 'compare_start',
    title: 'Compare versions',
    description:
      'Runs the same inputs on two or more versions of an endpoint and finds where their outputs differ from those of the first; or, with the mode bisect, the first of an ordered list that differs. The jobs are real. Read it with compare_read.',
    input: {
      ...{ name, mode, versions, rules },
      jobIds: z.array(jobId).min(1).max(limit('listIds')).optional().describe('run the inputs of these jobs'),
      jobs: jobFilterBody
        .pick({ status: true, from: true, to: true, q: true })
        .extend({ endpoint: endpointId.optional() })
        .optional()
        .describe('or those of all jobs that match; times in ms since the epoch'),
      inputs: inputs.optional().describe('or these'),
    },
    role: 'run',
    effect: 'writes',
    async run({ jobIds: ids, jobs: filter, inputs: given, ...asked }, { client }) {
      const file = given?.map((input) => writeExact({ input })).join('\n')
      const body = { ...asked, ids, filter, file }
      return { data: comparisonText(await client.call('comparisonCreate', { bodyText: writeExact(body) })) }
    },
  }),
  readingTool({
    name: 'compare_read',
    title: 'Read comparisons',
    description:
      'A comparison with its verdict, its versions and the inputs whose outputs differ most; or all comparisons, newest first.',
    input: {
      comparisonId: comparisonId.optional(),
      version: z.number().int().min(0).optional().describe('only inputs on this version, by its place from 0'),
      offset: offset.describe('inputs to leave out'),
      rows: rows(20),
    },
    rest: 'Ask for fewer rows, or for one version.',
    async run({ comparisonId: id, rows: count, ...page }, { client }) {
      if (id === undefined) {
        const { comparisons } = await client.call('comparisonList')
        return { data: { comparisons: comparisons.map(comparisonText) } }
      }
      const path = { comparisonId: id }
      const one = await client.call('comparisonRead', { path })
      const found = await client.call('comparisonRows', { path, query: { ...page, limit: count } })
      return {
        data: { ...comparisonText(one), rows: found.rows },
        more: found.more ? `More inputs: offset=${page.offset + count}.` : undefined,
      }
    },
  }),
  tool({
    name: 'compare_stop',
    title: 'Stop a comparison',
    description: 'Cancels its jobs that have not ended; what was compared stays.',
    input: { comparisonId },
    role: 'run',
    effect: 'writes',
    isIdempotent: true,
    run: async (path, { client }) => ({ data: comparisonText(await client.call('comparisonStop', { path })) }),
  }),
]

const RESULT_LENGTH = 1500

async function* exportedFrom(client: ServiceClient, id: string, from: number): AsyncGenerator<string> {
  const lines = cutLines()
  for await (const text of client.download('batchExport', { path: { batchId: id }, query: { from } }))
    yield* lines.take(text)
  if (lines.rest() !== '') yield lines.rest()
}

function batchText(batch: BatchView | ResponseOf<'batchRead'>) {
  const { createdAt, ...rest } = batch
  return { ...rest, createdAt: when(createdAt), says: [`${endedIn(batch)} of ${counted(batch.total, 'input')} ended`] }
}

function comparisonText({ createdAt, endedAt, verdict, ...rest }: ResponseOf<'comparisonRead'>) {
  return {
    ...rest,
    ...(verdict === undefined ? {} : { verdict, says: [verdict.text] }),
    createdAt: when(createdAt),
    endedAt: endedAt === undefined ? undefined : when(endedAt),
  }
}
