/**
 * The library: workflows with their versions and drafts. Whoever writes says what it has seen, and overwrites nothing
 * else.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { WorkflowDetail, WorkflowView } from '../../contract/workflows.ts'
import { sizeText } from '../../domain/text.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import { type LibraryText, libraryText, readGraphText } from '../../domain/workflow-runs/library-text.ts'
import type { ReadsInThread } from '../ports/read-in-thread.ts'
import type { SeenWorkflow, Storage, WorkflowChanges } from '../ports/storage.ts'
import type { Clock, NewId } from '../ports/system.ts'

type ReadDeps = ReadsInThread & {
  /** The classes that come along, for payloads that become documents; and the same as JSON. */
  readonly builtInTypes: () => Promise<NodeTypes>
  readonly builtInText: () => Promise<{ readonly text: string }>
}

type Deps = ReadDeps & {
  readonly storage: Pick<Storage, 'write' | 'workflows' | 'assets'>
  readonly clock: Pick<Clock, 'now'>
  readonly newId: Pick<NewId, 'worker'>
}

const ID_LENGTH = 12

/** What the editor writes, and what it has seen of the workflow before. */
export type SeenText = { readonly text: string; readonly seen: SeenWorkflow }

/** Adds a workflow. @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE, NOT_DONE where there are too many */
export async function addWorkflow(
  deps: Deps,
  { name, text: given, draft }: { readonly name: string; readonly text: string; readonly draft?: boolean | undefined },
): Promise<WorkflowView> {
  const { storage, clock, newId } = deps
  const text = await readLibraryText(deps, given)
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
    storage.workflows.trimVersions({ id, keep: limit('workflowVersionsKept') })
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
  found(await storage.write(() => storage.workflows.remove({ id, now: clock.now() })), id)
}

/** Brings a deleted workflow back. @throws AppError WORKFLOW_NOT_FOUND */
export async function restoreWorkflow({ storage }: Deps, id: string): Promise<WorkflowView> {
  const restored = await storage.write(() => storage.workflows.restore(id) ?? storage.workflows.get(id))
  return found(restored, id)
}

async function writeSeen(
  deps: Deps,
  id: string,
  { text: given }: SeenText,
  write: (text: LibraryText) => WorkflowView | undefined,
): Promise<WorkflowView> {
  const { storage } = deps
  const text = await readLibraryText(deps, given)
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

/**
 * Reads a text for the library, a large one in a thread.
 * @throws AppError NOT_A_WORKFLOW with what was found, BODY_TOO_LARGE
 */
async function readLibraryText(deps: ReadDeps, text: string): Promise<LibraryText> {
  const first = await readRefusing(deps, text, undefined)
  if (!('form' in first)) return first
  const isShort = text.length <= limit('payloadInRowBytes')
  const read = isShort
    ? libraryText(text, await deps.builtInTypes())
    : await readRefusing(deps, text, (await deps.builtInText()).text)
  if ('text' in read) return read
  throw new Error('a payload did not become a document')
}

async function readRefusing({ readInThread }: ReadsInThread, text: string, types: string | undefined) {
  refuseLarge(text)
  const read = await readInThread('libraryText', text, types)
  if ('found' in read) throw new AppError('NOT_A_WORKFLOW', read)
  if (!('problem' in read)) return read
  throw new AppError('NOT_A_WORKFLOW', {
    found: `a text that cannot be read: ${read.problem}`,
    fix: 'Make it smaller.',
  })
}

/**
 * Checks that a text is a document.
 * @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE
 */
export async function checkDocument(deps: ReadsInThread, text: string): Promise<void> {
  await readRefusing(deps, text, undefined)
}

/**
 * Reads a graph of either form, without loss.
 * @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE
 */
export function readGraph(text: string): { readonly form: 'document' | 'payload'; readonly raw: JsonObject } {
  refuseLarge(text)
  const read = readGraphText(text)
  if ('found' in read) throw new AppError('NOT_A_WORKFLOW', read)
  return read
}

/** Refuses a text that is larger than any workflow. @throws AppError BODY_TOO_LARGE */
export function refuseLarge(text: string): void {
  const most = limit('workflowBytes')
  if (text.length > most || Buffer.byteLength(text) > most)
    throw new AppError('BODY_TOO_LARGE', { limit: sizeText(most), operation: 'a workflow' })
}
