import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { WorkflowDetail, WorkflowView } from '../../contract/workflows.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import { jsonText } from '../../lib/json/text.ts'
import type { JsonObject } from '../../lib/json/value.ts'
import { sizeText } from '../../lib/text.ts'
import type { SeenWorkflow, Storage, WorkflowChanges } from '../../storage/storage.ts'
import type { ReadsGraphs } from './ports/readers.ts'
import type { NodeTypes } from './rules/node-types.ts'
import { type LibraryText, libraryText, readGraphText } from './rules/runs/library-text.ts'

type ReadDeps = ReadsGraphs & {
  readonly builtInTypes: () => Promise<NodeTypes>
  readonly builtInText: () => Promise<{ readonly text: string }>
}

type Deps = ReadDeps & {
  readonly storage: Pick<Storage, 'write' | 'workflows' | 'assets'>
  readonly clock: Pick<Clock, 'now'>
  readonly newId: Pick<NewId, 'worker'>
}

const ID_LENGTH = 12

export type SeenText = { readonly text: string; readonly seen: SeenWorkflow }

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

export function requireWorkflow({ storage }: Pick<Deps, 'storage'>, id: string): WorkflowView {
  return found(storage.workflows.get(id), id)
}

export function readWorkflow(deps: Pick<Deps, 'storage'>, id: string): WorkflowDetail {
  return { ...requireWorkflow(deps, id), text: deps.storage.workflows.text(id) ?? '' }
}

export function saveDraft(deps: Deps, id: string, given: SeenText): Promise<WorkflowView> {
  const { storage, clock } = deps
  return writeSeen(deps, id, given, (text) => storage.workflows.saveDraft(id, given.seen, text, clock.now()))
}

export function saveVersion(deps: Deps, id: string, given: SeenText): Promise<WorkflowView> {
  const { storage, clock } = deps
  return writeSeen(deps, id, given, (text) => {
    const saved = storage.workflows.saveVersion(id, given.seen, text, clock.now())
    storage.workflows.trimVersions({ id, keep: limit('workflowVersionsKept') })
    return saved
  })
}

export async function dropDraft({ storage, clock }: Deps, id: string): Promise<WorkflowView> {
  return found(await storage.write(() => storage.workflows.dropDraft(id, clock.now())), id)
}

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

/**
 * Deletes a workflow, restorable for an hour.
 * @throws AppError WORKFLOW_NOT_FOUND
 */
export async function deleteWorkflow({ storage, clock }: Deps, id: string): Promise<void> {
  found(await storage.write(() => storage.workflows.remove({ id, now: clock.now() })), id)
}

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
    if (storage.workflows.text(id) === jsonText(text.text)) return view
    throw new AppError('WORKFLOW_CHANGED', { workflowId: id })
  })
}

function found(view: WorkflowView | undefined, id: string): WorkflowView {
  if (view === undefined) throw new AppError('WORKFLOW_NOT_FOUND', { workflowId: id.slice(0, 100) })
  return view
}

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

async function readRefusing({ readInThread }: ReadsGraphs, text: string, types: string | undefined) {
  refuseLarge(text)
  const read = await readInThread.libraryText(text, types)
  if ('found' in read) throw new AppError('NOT_A_WORKFLOW', read)
  if (!('problem' in read)) return read
  throw new AppError('NOT_A_WORKFLOW', {
    found: `a text that cannot be read: ${read.problem}`,
    fix: 'Make it smaller.',
  })
}

export async function checkDocument(deps: ReadsGraphs, text: string): Promise<void> {
  await readRefusing(deps, text, undefined)
}

export function readGraph(text: string): { readonly form: 'document' | 'payload'; readonly raw: JsonObject } {
  refuseLarge(text)
  const read = readGraphText(text)
  if ('found' in read) throw new AppError('NOT_A_WORKFLOW', read)
  return read
}

export function refuseLarge(text: string): void {
  const most = limit('workflowBytes')
  if (text.length > most || Buffer.byteLength(text) > most)
    throw new AppError('BODY_TOO_LARGE', { limit: sizeText(most), operation: 'a workflow' })
}
