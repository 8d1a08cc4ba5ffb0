import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { RequestDraft, SavedRequest } from '../../contract/saved-requests.ts'
import { sizeInWords } from '../../domain/size-in-words.ts'
import type { Clock, NewId, Storage } from '../ports.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId }

/** What may be changed of a saved request. */
type Changes = { readonly name?: string | undefined; readonly request?: RequestDraft | undefined }

/** Keeps a request under a name. @throws AppError SAVED_REQUEST_EXISTS, BAD_FIELD where there are too many */
export function saveRequest(
  { storage, clock, newId }: Deps,
  endpointId: string,
  { name, request }: { readonly name: string; readonly request: RequestDraft },
): Promise<SavedRequest> {
  return storage.write(() => {
    refuseTaken(storage, endpointId, name, undefined)
    if (storage.savedRequests.size(endpointId).count >= limit('savedRequests'))
      throw new AppError('BAD_FIELD', { field: 'name', why: `${limit('savedRequests')} are saved. Delete one first` })
    const saved = { id: newId.uuid(), name, request, updatedAt: clock.now() }
    storage.savedRequests.save(endpointId, saved)
    refuseTooMuch(storage, endpointId)
    return saved
  })
}

/** Renames a saved request, or replaces it. @throws AppError SAVED_REQUEST_NOT_FOUND, SAVED_REQUEST_EXISTS */
export function updateSavedRequest(
  { storage, clock }: Deps,
  endpointId: string,
  savedRequestId: string,
  { name, request }: Changes,
): Promise<SavedRequest> {
  return storage.write(() => {
    const before = storage.savedRequests.get(endpointId, savedRequestId)
    if (before === undefined) throw notFound(endpointId, savedRequestId)
    if (name !== undefined) refuseTaken(storage, endpointId, name, before.id)
    const saved = {
      ...before,
      name: name ?? before.name,
      request: request ?? before.request,
      updatedAt: clock.now(),
    }
    storage.savedRequests.save(endpointId, saved)
    if (request !== undefined) refuseTooMuch(storage, endpointId)
    return saved
  })
}

/** Deletes a saved request. @throws AppError SAVED_REQUEST_NOT_FOUND */
export async function deleteSavedRequest({ storage }: Deps, endpointId: string, savedRequestId: string): Promise<void> {
  const removed = await storage.write(() => storage.savedRequests.remove(endpointId, savedRequestId))
  if (!removed) throw notFound(endpointId, savedRequestId)
}

function refuseTaken(storage: Storage, endpointId: string, name: string, except: string | undefined): void {
  const other = storage.savedRequests.named(endpointId, name)
  if (other !== undefined && other.id !== except) throw new AppError('SAVED_REQUEST_EXISTS', { endpointId, name })
}

// Called after the save, which is undone when this throws.
function refuseTooMuch({ savedRequests }: Storage, endpointId: string): void {
  if (savedRequests.size(endpointId).bytes <= limit('savedRequestsBytes')) return
  const why = `would make those that are saved larger than ${sizeInWords(limit('savedRequestsBytes'))}. Delete one first`
  throw new AppError('BAD_FIELD', { field: 'request', why })
}

const notFound = (endpointId: string, savedRequestId: string) =>
  new AppError('SAVED_REQUEST_NOT_FOUND', { endpointId, savedRequestId: savedRequestId.slice(0, 100) })
