/**
 * A prompt of a ComfyUI client is a job like any other, and durable before the response. The job's id begins with the
 * prompt's.
 */

import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { InThread } from '../../lib/in-thread.ts'
import { parseJson } from '../../lib/json/parse.ts'
import { asText, plainJson } from '../../lib/json/plain.ts'
import { isObject, writeJson } from '../../lib/json/value.ts'
import type { Endpoint, Job } from '../../storage/storage.ts'
import { jobId } from '../endpoints/rules/ids.ts'
import { cancelJob } from '../jobs/queue/change-job.ts'
import { type QueueCounts, waitingJobs } from '../jobs/queue/queue-counts.ts'
import { ACCOUNT_KEYS } from '../workflows/rules/runs/account-keys.ts'
import { isStandIn } from '../workflows/rules/runs/takes-workflows.ts'
import { askedRun, createRun, type RunDeps, refuseGraph } from '../workflows/runs.ts'
import type { ComfyuiReaders } from './ports.ts'
import { type ReadField, readFields } from './read-fields.ts'
import { type AskedPrompt, type CheckedPrompt, checkPrompt, type RefusedPrompt } from './rules/check-prompt.ts'
import { historyEntry, outputsOf, queueEntry, type StoredPrompt } from './rules/entries.ts'
import type { PromptEnd } from './rules/messages.ts'
import { NO_PROMPT, refusal } from './rules/refusals.ts'

const PROMPT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const jobOfPrompt = (promptId: string): string => jobId('run', promptId)

/** @returns undefined for jobs whose id is not made from a prompt's */
export function promptOfJob(id: string): string | undefined {
  const promptId = id.replace(/-l1$/, '')
  return PROMPT_ID.test(promptId) && jobOfPrompt(promptId) === id ? promptId : undefined
}

type Answer = { readonly status: 200 | 400; readonly body: object }

/** Characters of a client's id that count. Source: ours; pages send 32. */
export const CLIENT_ID_LENGTH = 200
const TITLE = 'Sent by a ComfyUI client'
// Source: ours; clients send less than a hundred characters besides the document.
const EXTRA_LENGTH = 65_536
export type PromptDeps = RunDeps & { readonly readInThread: InThread<ComfyuiReaders> }

// Before all jobs without a priority.
const FRONT_PRIORITY = 1

/**
 * Queues the prompt of a request.
 * @param body JSON
 * @throws AppError as queuePrompt
 */
export async function submitPrompt(deps: PromptDeps, endpoint: Endpoint, body: string): Promise<Answer> {
  const field = await readFields(deps, body)
  const graph = field('prompt')
  if (graph?.startsWith('{') !== true) return { status: 400, body: NO_PROMPT }
  const given = textOf(field('prompt_id'))
  const problem = given === undefined ? undefined : problemOfId(deps, endpoint.id, given)
  if (problem !== undefined) return { status: 400, body: refusal('invalid_prompt_id', problem, given?.slice(0, 100)) }
  const promptId = given ?? deps.newId.uuid()
  const isFront = field('front') === 'true' || Number(field('number')) < 0
  const queued = await queuePrompt(deps, endpoint, {
    ...{ graph, promptId, idempotencyKey: `prompt ${promptId}` },
    targets: targetsIn(field('partial_execution_targets')),
    clientId: textOf(field('client_id'))?.slice(0, CLIENT_ID_LENGTH),
    extraData: field('extra_data'),
    ...(isFront ? { priority: FRONT_PRIORITY } : {}),
  })
  if ('refused' in queued) return { status: 400, body: queued.refused }
  const number = deps.storage.comfyuiPrompts.head(queued.runId)?.number ?? 0
  return { status: 200, body: { prompt_id: promptId, number, node_errors: {} } }
}

/** The graph, `extraData` and `metadata` are JSON texts, which keep long numbers exact. */
export type SentPrompt = {
  readonly graph: string
  readonly promptId: string
  readonly idempotencyKey: string | undefined
  readonly extraData: string | undefined
  readonly priority?: number
  readonly targets?: readonly string[] | undefined
  readonly clientId?: string | undefined
  readonly metadata?: string | undefined
  readonly assets?: AskedPrompt['assets']
}

/**
 * Queues the graph of a ComfyUI client as a job.
 * @returns the run, an earlier one if the idempotency key was used before
 * @throws AppError as createRun, except for refusals that ComfyUI words itself, which are returned
 */
export async function queuePrompt(
  deps: PromptDeps,
  endpoint: Endpoint,
  { promptId, idempotencyKey, priority, clientId, metadata, ...sent }: SentPrompt,
): Promise<{ readonly runId: string } | RefusedPrompt> {
  const checked = await checkInTurn(deps, endpoint, sent)
  if ('refused' in checked) return checked
  const { outputs, graph } = checked
  const extra = await readFields(deps, sent.extraData ?? '{}')
  const information = extra('extra_pnginfo')
  const document = information === undefined ? undefined : (await readFields(deps, information))('workflow')
  const isDocument = document?.startsWith('{') === true
  const run = { endpointId: endpoint.id, payload: sent.graph, title: TITLE, ...(isDocument ? { document } : {}) }
  const request = { idempotencyKey, ...(priority === undefined ? {} : { policy: { priority } }) }
  const withId = { ...deps, newId: { ...deps.newId, uuid: () => promptId } }
  const withRun = ({ id }: Job) =>
    deps.storage.comfyuiPrompts.insert({
      ...{ runId: id, clientId, outputs, metadata },
      extra: extraText(sent.extraData, information),
    })
  const extras = { request, secretInput: keysIn(extra), withRun, isOfComfyuiClient: true, graph }
  const { id } = await createRun(withId, endpoint, run, extras)
  return { runId: id }
}

/** A prompt may be sent again, while its job and its run are there. */
function problemOfId({ storage }: RunDeps, endpointId: string, promptId: string): string | undefined {
  if (!PROMPT_ID.test(promptId)) return 'prompt_id must be a lowercase UUID'
  const id = jobOfPrompt(promptId)
  const [job, run] = [storage.jobs.find(id), storage.runs.get(id)]
  const isUsed = job !== undefined || run !== undefined
  return isUsed && (job === undefined || run?.endpointId !== endpointId) ? 'prompt_id was used before' : undefined
}

const textOf = (raw: string | undefined) => (raw?.startsWith('"') === true ? asText(parseJson(raw)) : undefined)

/** @returns undefined for all outputs */
function targetsIn(json: string | undefined): readonly string[] | undefined {
  // The parser that keeps numbers exact takes seconds for hundreds of thousands of them.
  const value: unknown = json === undefined ? null : (plainJson(json) ?? null)
  if (value === null) return undefined
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []
}

async function checkInTurn(
  deps: PromptDeps,
  endpoint: Endpoint,
  { graph: text, targets, assets }: Pick<SentPrompt, 'graph' | 'targets' | 'assets'>,
): Promise<CheckedPrompt | RefusedPrompt> {
  const { nodeTypes, readInThread } = deps
  const run = askedRun(deps, endpoint, { title: TITLE, label: undefined })
  const asked = { targets, assets, knowsFiles: isStandIn(endpoint.config), run }
  const isShort = text.length <= limit('graphInTurnBytes')
  const read = isShort
    ? checkPrompt(text, asked, await nodeTypes.readOf(endpoint))
    : await readInThread.prompt(text, asked, (await nodeTypes.of(endpoint)).text)
  if ('problem' in read) return { refused: refusal('invalid_prompt', read.problem) }
  return 'refused' in read || 'graph' in read ? read : refuseGraph(deps, endpoint, read)
}

function keysIn(extra: ReadField): string | undefined {
  const keys = ACCOUNT_KEYS.flatMap(([name, sent]) => {
    const key = textOf(extra(sent))
    return key === undefined || key === '' ? [] : [[name, key]]
  })
  return keys.length === 0 ? undefined : JSON.stringify(Object.fromEntries(keys))
}

/** Without the document, which the run has, and without keys; too much of it is not kept. */
function extraText(json = '{}', document?: string): string {
  if (json.length - (document?.length ?? 0) > EXTRA_LENGTH) return '{}'
  const extra = parseJson(document === undefined ? json : json.replace(document, () => 'null'))
  if (!isObject(extra)) return '{}'
  const left: readonly string[] = [...ACCOUNT_KEYS.map(([, name]) => name), 'extra_pnginfo', 'client_id']
  return writeJson(new Map([...extra].filter(([name]) => !left.includes(name))))
}

type Stored = NonNullable<ReturnType<RunDeps['storage']['comfyuiPrompts']['get']>>

const asPrompt = ({ runId, ...prompt }: Stored): StoredPrompt => ({ ...prompt, promptId: promptOfJob(runId) ?? runId })

export function queueRemaining(counts: Pick<QueueCounts, 'of'>, endpointId: string): number {
  const count = counts.of(endpointId)
  return waitingJobs(count) + count.inProgress
}

export function queueText({ storage }: Pick<RunDeps, 'storage'>, endpointId: string): string {
  const open = storage.comfyuiPrompts.open(endpointId, limit('comfyuiQueueShown'))
  const listOf = (isRunning: boolean) =>
    withinBytes(
      open.filter(({ status }) => (status === 'IN_QUEUE') !== isRunning),
      ({ runId }) => {
        const prompt = storage.comfyuiPrompts.get(runId)
        return prompt && queueEntry(asPrompt(prompt))
      },
    )
  return `{"queue_running":[${listOf(true).join(',')}],"queue_pending":[${listOf(false).join(',')}]}`
}

/**
 * JSON of ended prompts by id, oldest first.
 * @param offset counted from the oldest prompt; undefined: the newest ones
 */
export function historyText(
  deps: Pick<RunDeps, 'storage'>,
  endpointId: string,
  { most, offset }: { readonly most: number; readonly offset: number | undefined },
): string {
  const shown = Math.min(most, limit('comfyuiHistoryShown'))
  const { endedIds, endedIdsFrom } = deps.storage.comfyuiPrompts
  const ids = offset === undefined ? endedIds(endpointId, shown) : endedIdsFrom(endpointId, shown, offset).toReversed()
  return writeHistory(deps, ids)
}

export function historyOf(deps: Pick<RunDeps, 'storage'>, endpointId: string, promptId: string): string {
  const run = runOfPrompt(deps, endpointId, promptId)
  return writeHistory(deps, run?.endedAt === undefined ? [] : [run.id])
}

/** @param promptId or the id of a job whose id has another form */
export function runOfPrompt({ storage }: Pick<RunDeps, 'storage'>, endpointId: string, promptId: string) {
  const run = storage.runs.get(jobOfPrompt(promptId)) ?? storage.runs.get(promptId)
  return run?.endpointId === endpointId ? run : undefined
}

/** @param runIds newest first */
function writeHistory(deps: Pick<RunDeps, 'storage'>, runIds: readonly string[]): string {
  const entries = withinBytes(runIds, (runId) => {
    const prompt = deps.storage.comfyuiPrompts.get(runId)
    const ended = prompt && readEnd(deps, prompt)
    return prompt && ended && `${JSON.stringify(ended.promptId)}:${historyEntry(asPrompt(prompt), ended.end, ended)}`
  })
  return `{${entries.toReversed().join(',')}}`
}

/** The texts of the first items, as many as a response may have; at least one. */
function withinBytes<Item>(items: readonly Item[], textOf: (item: Item) => string | undefined): readonly string[] {
  const texts: string[] = []
  let length = 0
  for (const item of items) {
    const text = textOf(item)
    if (text === undefined) continue
    length += text.length
    if (texts.length > 0 && length > limit('comfyuiListBytes')) break
    texts.push(text)
  }
  return texts
}

/** @returns undefined while it runs */
export function readEnd({ storage }: Pick<RunDeps, 'storage'>, stored: Pick<Stored, 'runId' | 'outputs'>) {
  const run = storage.runs.get(stored.runId)
  if (run?.endedAt === undefined || run.status === 'IN_QUEUE' || run.status === 'IN_PROGRESS') return undefined
  const promptId = promptOfJob(run.id) ?? run.id
  const [fallback = ''] = stored.outputs
  const [message = run.status] = run.errors
  const end: PromptEnd = {
    status: run.status,
    outputs: outputsOf(run, { promptId, fallback }),
    done: [],
    error: { message, node: '', nodeType: '', exceptionType: 'Exception', traceback: [] },
  }
  return { promptId, end, startedAt: run.endedAt - (run.executionMs ?? 0), endedAt: run.endedAt }
}

export async function interrupt(deps: RunDeps, endpointId: string, promptId: string | undefined): Promise<void> {
  const open = deps.storage.comfyuiPrompts.open(endpointId, limit('comfyuiQueueShown'))
  for (const { runId, status } of open)
    if (status === 'IN_PROGRESS' && (promptId === undefined || promptOfJob(runId) === promptId))
      await cancelPrompt(deps, runId)
}

/** @param promptIds undefined: all that wait */
export async function removeWaiting(
  deps: PromptDeps,
  endpointId: string,
  promptIds: readonly string[] | undefined,
): Promise<void> {
  const asked = promptIds && new Set(promptIds)
  for (const { runId, status } of deps.storage.comfyuiPrompts.open(endpointId, limit('comfyuiQueueShown')))
    if (status === 'IN_QUEUE' && asked?.has(promptOfJob(runId) ?? runId) !== false) await cancelPrompt(deps, runId)
}

export async function cancelPrompt(deps: Pick<RunDeps, 'storage' | 'clock'>, runId: string): Promise<void> {
  const job = deps.storage.jobs.find(runId)
  if (job === undefined) return
  // It may have ended in the meantime.
  await cancelJob(deps, job).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
  })
}

/** @param promptIds undefined: all */
export async function removeHistory(
  deps: Pick<RunDeps, 'storage'>,
  endpointId: string,
  promptIds: readonly string[] | undefined,
): Promise<void> {
  const { storage } = deps
  const remove = (ids: readonly string[]) =>
    storage.write(() => {
      for (const id of ids) storage.runs.remove(id)
    })
  if (promptIds !== undefined) return remove(promptIds.flatMap((id) => runOfPrompt(deps, endpointId, id)?.id ?? []))
  const next = () => storage.comfyuiPrompts.endedIds(endpointId, REMOVED_AT_ONCE)
  for (let ids = next(); ids.length > 0; ids = next()) await remove(ids)
}

const REMOVED_AT_ONCE = 100
