/**
 * The library: workflows with their versions and drafts. Whoever writes says what it has seen, and overwrites nothing
 * else.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { WorkflowDetail, WorkflowView } from '../../contract/workflows.ts'
import { scanJson } from '../../domain/json/scan-json.ts'
import { sizeText } from '../../domain/text.ts'
import { DEPTH_MAX, parseJson, strictJson } from '../../domain/workflow/json/parse.ts'
import { type JsonObject, writeJson } from '../../domain/workflow/json/value.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import { recognise } from '../../domain/workflow/recognise.ts'
import { toDocument } from '../../domain/workflow/to-document.ts'
import { filesIn } from '../../domain/workflow-runs/payload-files.ts'
import type { Storage } from '../ports/storage.ts'
import type { Clock, NewId } from '../ports/system.ts'
import type { LibraryText, SeenWorkflow, WorkflowChanges } from '../ports/workflows.ts'

type Deps = {
  readonly storage: Pick<Storage, 'write' | 'workflows' | 'assets'>
  readonly clock: Pick<Clock, 'now'>
  readonly newId: Pick<NewId, 'worker'>
  /** The classes that come along, for payloads that become documents. */
  readonly builtInTypes: () => Promise<NodeTypes>
}

const ID_LENGTH = 12

/** What the editor writes, and what it has seen of the workflow before. */
export type SeenText = { readonly text: string; readonly seen: SeenWorkflow }

/** Adds a workflow. @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE, NOT_DONE where there are too many */
export async function addWorkflow(
  { storage, clock, newId, builtInTypes }: Deps,
  { name, text: given, draft }: { readonly name: string; readonly text: string; readonly draft?: boolean | undefined },
): Promise<WorkflowView> {
  const text = await readLibraryText(given, builtInTypes)
  const id = newId.worker().slice(0, ID_LENGTH)
  return storage.write(() => {
    if (storage.workflows.count() >= limit('workflows'))
      throw new AppError('NOT_DONE', {
        why: `the library has ${limit('workflows')} workflows, which is the limit. Delete one first`,
      })
    return storage.workflows.insert({ id, name, isDraft: draft === true }, text, clock.now())
  })
}

/** Reads a workflow with the text that the editor opens. @throws AppError WORKFLOW_NOT_FOUND */
export function readWorkflow({ storage }: Pick<Deps, 'storage'>, id: string): WorkflowDetail {
  const view = found(storage.workflows.get(id), id)
  return { ...view, text: storage.workflows.text(id) ?? '' }
}

/** Stores a draft. @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE, WORKFLOW_NOT_FOUND, WORKFLOW_CHANGED */
export function saveDraft(deps: Deps, id: string, given: SeenText): Promise<WorkflowView> {
  const { storage, clock } = deps
  return writeSeen(deps, id, given, (text) => storage.workflows.saveDraft(id, given.seen, text, clock.now()))
}

/** Saves a version. @throws AppError as keepDraft does */
export function saveVersion(deps: Deps, id: string, given: SeenText): Promise<WorkflowView> {
  const { storage, clock } = deps
  return writeSeen(deps, id, given, (text) => {
    const saved = storage.workflows.saveVersion(id, given.seen, text, clock.now())
    storage.workflows.trimVersions(id, limit('workflowVersionsKept'))
    return saved
  })
}

/** Goes back to the newest version. @throws AppError WORKFLOW_NOT_FOUND, also where nothing was saved yet */
export async function dropDraft({ storage, clock }: Deps, id: string): Promise<WorkflowView> {
  return found(await storage.write(() => storage.workflows.dropDraft(id, clock.now())), id)
}

/** Changes the name or the thumbnail. @throws AppError WORKFLOW_NOT_FOUND, BAD_FIELD where the thumbnail is not here */
export async function updateWorkflow(
  { storage, clock }: Deps,
  id: string,
  changes: WorkflowChanges,
): Promise<WorkflowView> {
  const { thumbnail } = changes
  if (typeof thumbnail === 'string' && storage.assets.get(thumbnail) === undefined)
    throw new AppError('BAD_FIELD', { field: 'thumbnail', why: 'there is no such file. Upload it first' })
  return found(await storage.write(() => storage.workflows.update(id, changes, clock.now())), id)
}

/** Deletes a workflow; for an hour it can be restored. @throws AppError WORKFLOW_NOT_FOUND */
export async function deleteWorkflow({ storage, clock }: Deps, id: string): Promise<void> {
  found(await storage.write(() => storage.workflows.remove(id, clock.now())), id)
}

/** Brings a deleted workflow back. @throws AppError WORKFLOW_NOT_FOUND */
export async function restoreWorkflow({ storage }: Deps, id: string): Promise<WorkflowView> {
  const restored = await storage.write(() => storage.workflows.restore(id) ?? storage.workflows.get(id))
  return found(restored, id)
}

async function writeSeen(
  { storage, builtInTypes }: Deps,
  id: string,
  { text: given }: SeenText,
  write: (text: LibraryText) => WorkflowView | undefined,
): Promise<WorkflowView> {
  const text = await readLibraryText(given, builtInTypes)
  return storage.write(() => {
    const written = write(text)
    if (written !== undefined) return written
    const view = found(storage.workflows.get(id), id)
    // A client that did not get the response to a write sends it again.
    if (storage.workflows.text(id) === text.text) return view
    throw new AppError('WORKFLOW_CHANGED', { workflowId: id })
  })
}

function found(view: WorkflowView | undefined, id: string): WorkflowView {
  if (view === undefined) throw new AppError('WORKFLOW_NOT_FOUND', { workflowId: id.slice(0, 100) })
  return view
}

const FORMS = 'A workflow is JSON with `nodes` and `links`, or a payload whose nodes have `class_type` and `inputs`.'

/**
 * Reads a text for the library. A document stays as it came; a payload is made into one.
 * @param types gives the classes, for payloads alone
 * @throws AppError NOT_A_WORKFLOW with what was found, BODY_TOO_LARGE
 */
async function readLibraryText(text: string, types: () => Promise<NodeTypes>): Promise<LibraryText> {
  const facts = factsOfDocument(text)
  if (facts !== undefined) return { text, ...facts }
  const found = readGraph(text)
  // A document that is not plain to see is within a request.
  const document = found.form === 'document' ? found.raw : toDocument(found.raw, await types())
  const written = writeJson(document)
  return { text: written, ...(factsOfDocument(written) ?? { nodes: 0, files: [] }) }
}

/**
 * Checks that a text is a document.
 * @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE
 */
export function checkDocument(text: string): void {
  if (factsOfDocument(text) === undefined) readGraph(text)
}

/**
 * Reads a graph of either form, without loss.
 * @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE
 */
export function readGraph(text: string): { readonly form: 'document' | 'payload'; readonly raw: JsonObject } {
  refuseLarge(text)
  const parsed = parseJson(text)
  if (parsed.kind === 'fault') {
    const { why, line, column } = parsed.fault
    const found = `a text that is not JSON (${why} in line ${line}, column ${column})`
    throw new AppError('NOT_A_WORKFLOW', { found, fix: 'It may be incomplete: save or export the file again.' })
  }
  const recognised = recognise(parsed.value)
  if (recognised.form === 'other') throw new AppError('NOT_A_WORKFLOW', { found: recognised.found, fix: FORMS })
  return recognised
}

function refuseLarge(text: string): void {
  const most = limit('workflowBytes')
  if (text.length > most || Buffer.byteLength(text) > most)
    throw new AppError('BODY_TOO_LARGE', { limit: sizeText(most), operation: 'a workflow' })
}

/**
 * What the library notes of a document. By the parser of JavaScript, as the text is stored and not what is read: a
 * draft comes each second, and the one that loses nothing takes ten times as long.
 * @returns undefined where the text is no document to that parser
 */
function factsOfDocument(text: string): Pick<LibraryText, 'nodes' | 'files'> | undefined {
  refuseLarge(text)
  // What is too deep for the editor's parser would be stored, and never be opened again.
  if (scanJson(text, { maxKeys: Number.POSITIVE_INFINITY, maxDepth: DEPTH_MAX }) === 'too-deep') return undefined
  const value = parsed(text)
  const nodes = nodesIn(value)
  if (nodes === undefined) return undefined
  const { definitions } = value as { readonly definitions?: { readonly subgraphs?: unknown } | null }
  const subgraphs = Array.isArray(definitions?.subgraphs) ? definitions.subgraphs : []
  const inner = subgraphs.reduce<number>((sum, one) => sum + (nodesIn(one) ?? 0), 0)
  return { nodes: nodes + inner, files: filesIn(value) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const strict = strictJson(text)
    // Nothing for this parser: the other one says what is wrong, and where.
    return strict === text ? undefined : parsed(strict)
  }
}

/** How many nodes a graph has; undefined where it is none. */
function nodesIn(graph: unknown): number | undefined {
  if (typeof graph !== 'object' || graph === null || !('nodes' in graph)) return undefined
  return Array.isArray(graph.nodes) ? graph.nodes.length : undefined
}
