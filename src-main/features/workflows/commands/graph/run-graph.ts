import { randomFillSync } from 'node:crypto'
import { resolve } from 'node:path'
import { CliError } from '../../../../app/cli/cli-error.ts'
import { following } from '../../../../app/cli/interrupt.ts'
import type { Output } from '../../../../app/cli/output.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { RunDetail, RunResult, RunView } from '../../../../contract/workflows.ts'
import { type JsonObject, writeJson } from '../../../../lib/json/value.ts'
import { jobContinues } from '../../../jobs/commands/follow-job.ts'
import { isFinal } from '../../../jobs/rules/transitions.ts'
import { readDocument, writeDocument } from '../../rules/document/document.ts'
import type { NodeTypes } from '../../rules/node-types.ts'
import type { Problem } from '../../rules/problem.ts'
import type { Random } from '../../rules/resolve/dynamic-prompts.ts'
import { randomWhole as wholeOf } from '../../rules/resolve/next-value.ts'
import { resolveDocument } from '../../rules/resolve/resolve.ts'
import { toPayload } from '../../rules/to-payload/to-payload.ts'
import { validate } from '../../rules/validate.ts'
import { evaluateGraph } from './check-graph.ts'
import { readClassesOf } from './read-classes.ts'
import { type GraphFile, isExportFile, readExportFile, readGraphFile, titleOf } from './read-graph-file.ts'
import { type SavedResult, saveResults } from './save-results.ts'
import { sendFiles } from './send-files.ts'
import { type Setting, setInDocument, setInPayload } from './set-values.ts'

export type RunDeps = {
  readonly client: ServiceClient
  readonly output: Output
  readonly surroundings: Surroundings
  readonly show: (text: string) => void
}

export type GraphToRun = {
  readonly file: string
  readonly endpointId: string
  readonly settings: readonly Setting[]
  readonly folder: string
  readonly previews: boolean
}

export type RanGraph = {
  readonly run: RunView
  readonly saved: readonly SavedResult[]
  readonly savedPreviews: readonly SavedResult[]
}

/** @throws CliError before a job is queued if the graph is invalid */
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
    } = await following(
      () => jobContinues(queued.id),
      { output, surroundings },
      () => followRun(client, queued, { show, pause: surroundings.pause, nodes }),
    )
    const save = (results: readonly RunResult[]) => saveResults(client, { jobId: run.id, results, folder })
    return { run, saved: await save(run.results), savedPreviews: previews ? await save(run.previews ?? []) : [] }
  }
}

type Queued = { readonly queued: RunView; readonly nodes: number }

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

// Twice a second is enough for a progress bar; a worker reports a few times a second.
const POLL_EVERY_MS = 500
// ms. Results are stored within moments of the job's end.
const RESULTS_EVERY_MS = 100

/**
 * @param show receives the progress; an empty text clears it
 * @throws CliError WAITS_IN_VAIN when waiting cannot help
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
    // Ends at once with the job, so that a short one does not wait for the next poll.
    await Promise.race([client.call('statusSync', { path: { endpointId, jobId: id } }), pause(POLL_EVERY_MS)])
  }
}

const reason = (text: string | undefined) => (text === undefined ? '' : `: ${text}`)

/** The progress reported by a worker, in a line. Source: docs/spec/image-workflows.md, 5. */
function progressText(output: unknown, nodes: number): string {
  if (typeof output !== 'object' || output === null) return 'runs'
  const { node, step, steps, done } = output as Readonly<Record<string, unknown>>
  const count = Array.isArray(done) ? `${done.length} of ${nodes} nodes` : ''
  const at = typeof node === 'string' ? `node ${node}` : ''
  const bar = typeof step === 'number' && typeof steps === 'number' ? `step ${step} of ${steps}` : ''
  return ['runs', count, at, bar].filter((part) => part !== '').join(', ')
}

type PreparedRun = {
  readonly payload: JsonObject
  readonly document: string | undefined
  readonly problems: readonly Problem[]
}

/**
 * Sets values, resolves prompt choices and converts. Seeds stay, so a command gives the same result twice.
 * @param options.now ms since the epoch
 * @throws CliError USAGE if a value cannot be set
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
  // Values set within a subgraph are only in the payload, so the document would describe another picture.
  const isWhole = payload === converted.payload
  return {
    payload,
    document: isWhole ? writeJson(writeDocument(document)) : undefined,
    problems: [...converted.problems, ...validate(payload, types)],
  }
}

export const randomWhole = (least: bigint, most: bigint): bigint =>
  wholeOf([least, most], (bytes) => void randomFillSync(bytes))
