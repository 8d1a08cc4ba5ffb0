/** Runs a graph: prepared, queued, followed to its end, its results written to files. */
import { randomFillSync } from 'node:crypto'
import { resolve } from 'node:path'
import type { ServiceClient } from '../../client/service-client.ts'
import type { RunDetail, RunResult, RunView } from '../../contract/workflows.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import { readDocument, writeDocument } from '../../domain/workflow/document/document.ts'
import { type JsonObject, writeJson } from '../../domain/workflow/json/value.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import type { Problem } from '../../domain/workflow/problem.ts'
import type { Random } from '../../domain/workflow/resolve/dynamic-prompts.ts'
import { randomWhole as wholeOf } from '../../domain/workflow/resolve/next-value.ts'
import { resolveDocument } from '../../domain/workflow/resolve/resolve.ts'
import { toPayload } from '../../domain/workflow/to-payload/to-payload.ts'
import { validate } from '../../domain/workflow/validate.ts'
import { CliError } from '../cli-error.ts'
import type { Output } from '../output.ts'
import type { Surroundings } from '../surroundings.ts'
import { evaluateGraph } from './check-graph.ts'
import { readClassesOf } from './read-classes.ts'
import { type GraphFile, isExportFile, readExportFile, readGraphFile, titleOf } from './read-graph-file.ts'
import { type SavedResult, saveResults } from './save-results.ts'
import { sendFiles } from './send-files.ts'
import { type Setting, setInDocument, setInPayload } from './set-values.ts'

/** What runs a graph. */
export type RunDeps = {
  readonly client: ServiceClient
  readonly output: Output
  readonly surroundings: Surroundings
  /** Shows how far it is. */
  readonly show: (text: string) => void
}

/** What is to be run. */
export type GraphToRun = {
  readonly file: string
  readonly endpointId: string
  readonly settings: readonly Setting[]
  /** Where results go; absolute. */
  readonly folder: string
  /** Whether previews are written, too. */
  readonly previews: boolean
}

/** A run with the files that were written of it. */
export type RanGraph = {
  readonly run: RunView
  readonly saved: readonly SavedResult[]
  readonly savedPreviews: readonly SavedResult[]
}

/**
 * Runs a graph: checks it, sends its pictures, queues it, follows it, writes what it gave.
 * @throws CliError, before a job is queued where the graph is wrong
 */
export async function runGraph(
  { client, output, surroundings, show }: RunDeps,
  { file, endpointId, settings, folder, previews }: GraphToRun,
): Promise<RanGraph> {
  const exported = resolve(surroundings.cwd, file)
  if (await isExportFile(exported)) {
    return await followed(await replay(client, { path: exported, endpointId, settings }))
  }
  const graph = await readGraphFile(file, surroundings)
  const types = await readClassesOf(client, endpointId)
  const prepared = prepareRun(graph, settings, { types, now: surroundings.now(), random: randomWhole })
  await evaluateGraph(graph, prepared, { client, output })
  const folders = [graph.folder, surroundings.cwd]
  const renamed = await sendFiles(client, prepared.payload, { types, folders, named: settings })
  const payload = setInPayload(prepared.payload, renamed, types)
  const title = titleOf(graph)
  const body = { endpointId, payload: writeJson(payload), document: prepared.document, title }
  return await followed({ queued: await client.call('runCreate', { body }), nodes: payload.size })

  async function followed({ queued, nodes }: Queued): Promise<RanGraph> {
    if (!output.json) output.note(`job ${queued.id} on ${endpointId}`)
    const {
      payload: _text,
      document: _document,
      ...run
    } = await followRun(client, queued, { show, pause: surroundings.pause, nodes })
    const save = (results: readonly RunResult[]) => saveResults(client, { jobId: run.id, results, folder })
    return { run, saved: await save(run.results), savedPreviews: previews ? await save(run.previews ?? []) : [] }
  }
}

/** A run that was queued, and how many nodes its payload has. */
type Queued = { readonly queued: RunView; readonly nodes: number }

/** Queues the run of a file as it was sent there. @throws CliError USAGE where values are to be set */
async function replay(
  client: ServiceClient,
  { path, endpointId, settings }: { readonly path: string } & Pick<GraphToRun, 'endpointId' | 'settings'>,
): Promise<Queued> {
  if (settings.length > 0)
    throw new CliError('USAGE', {
      why: 'An exported run is run as it was sent, so --set has nothing to change. Open it with `drydock workflow open`, or leave --set out.',
    })
  const bytes = await readExportFile(path)
  const queued = await client.call('graphReplay', { query: { endpoint: endpointId }, bytes })
  const { payload } = await client.call('runRead', { path: { runId: queued.id } })
  return { queued, nodes: Object.keys(JSON.parse(payload)).length }
}

// Twice a second is what a person sees of a bar; a worker reports a few times a second.
const POLL_EVERY_MS = 500
// Results are stored within moments of the end of the job.
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
    await Promise.race([client.call('statusSync', { path: { endpointId, jobId: id } }), pause(POLL_EVERY_MS)])
  }
}

const reason = (text: string | undefined) => (text === undefined ? '' : `: ${text}`)

/** The progress that a worker reports, in a line. Source: docs/spec/image-workflows.md, 5. */
function progressText(output: unknown, nodes: number): string {
  if (typeof output !== 'object' || output === null) return 'runs'
  const { node, step, steps, done } = output as Readonly<Record<string, unknown>>
  const count = Array.isArray(done) ? `${done.length} of ${nodes} nodes` : ''
  const at = typeof node === 'string' ? `node ${node}` : ''
  const bar = typeof step === 'number' && typeof steps === 'number' ? `step ${step} of ${steps}` : ''
  return ['runs', count, at, bar].filter((part) => part !== '').join(', ')
}

/** A graph ready to be queued, with the document that its pictures will carry. */
type PreparedRun = {
  readonly payload: JsonObject
  readonly document: string | undefined
  readonly problems: readonly Problem[]
}

/**
 * Sets values, resolves prompts with choices, and converts. Seeds stay as the file has them: a command gives the same
 * twice.
 * @param options.now ms since the epoch
 * @throws CliError USAGE where a value cannot be set
 */
export function prepareRun(
  { form, raw }: Pick<GraphFile, 'form' | 'raw'>,
  settings: readonly Setting[],
  { types, now, random }: { readonly types: NodeTypes; readonly now: number; readonly random: Random },
): PreparedRun {
  if (form === 'payload') {
    const payload = setInPayload(raw, settings, types)
    return { payload, document: undefined, problems: validate(payload, types) }
  }
  const set = setInDocument(readDocument(raw), settings, types)
  const { document } = resolveDocument(set.document, types, { random, isFirst: true })
  const converted = toPayload(document, types, now)
  const payload = setInPayload(converted.payload, set.rest, types)
  // What was set within a subgraph is in the payload alone, so the document would describe another picture.
  const isWhole = payload === converted.payload
  return {
    payload,
    document: isWhole ? writeJson(writeDocument(document)) : undefined,
    problems: [...converted.problems, ...validate(payload, types)],
  }
}

/** A whole number of a range, both ends included, by the chance of this machine. */
export const randomWhole = (least: bigint, most: bigint): bigint =>
  wholeOf([least, most], (bytes) => void randomFillSync(bytes))
