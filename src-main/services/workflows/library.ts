/** The library: workflows with their versions and drafts. Whoever writes says what it has seen, and overwrites nothing else. */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { WorkflowDetail, WorkflowView } from '../../contract/workflows.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import type { LibraryText, SeenWorkflow, WorkflowChanges } from '../ports/workflows.ts'
import type { Clock, NewId, Storage } from '../ports.ts'
import { readLibraryText } from './read-library-text.ts'

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
      throw new AppError('NOT_DONE', { why: `the library holds ${limit('workflows')} workflows. Delete one first` })
    return storage.workflows.insert({ id, name, isDraft: draft === true }, text, clock.now())
  })
}

/** Reads a workflow with the text that the editor opens. @throws AppError WORKFLOW_NOT_FOUND */
export function readWorkflow({ storage }: Pick<Deps, 'storage'>, id: string): WorkflowDetail {
  const view = found(storage.workflows.get(id), id)
  return { ...view, text: storage.workflows.text(id) ?? '' }
}

/** Keeps a draft. @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE, WORKFLOW_NOT_FOUND, WORKFLOW_CHANGED */
export function keepDraft(deps: Deps, id: string, given: SeenText): Promise<WorkflowView> {
  const { storage, clock } = deps
  return writeSeen(deps, id, given, (text) => storage.workflows.keepDraft(id, given.seen, text, clock.now()))
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
    throw new AppError('BAD_FIELD', { field: 'thumbnail', why: 'there is no such asset. Upload it first' })
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
    // Who did not hear the answer to a write sends it again.
    if (storage.workflows.text(id) === text.text) return view
    throw new AppError('WORKFLOW_CHANGED', { workflowId: id })
  })
}

function found(view: WorkflowView | undefined, id: string): WorkflowView {
  if (view === undefined) throw new AppError('WORKFLOW_NOT_FOUND', { workflowId: id.slice(0, 100) })
  return view
}
