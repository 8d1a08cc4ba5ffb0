import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { InputHints, RequestDraft, SavedRequest } from '../../contract/requests.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import { parseExact } from '../../lib/json/plain.ts'
import { sizeText } from '../../lib/text.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import { exampleInput } from '../apps/views.ts'
import { graphInputHints, inputHints } from './rules/requests/input-hints.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId }

export function saveRequest(
  { storage, clock, newId }: Deps,
  endpointId: string,
  { name, request }: { readonly name: string; readonly request: RequestDraft },
): Promise<SavedRequest> {
  return storage.write(() => {
    refuseTaken(storage, endpointId, name, undefined)
    if (storage.savedRequests.size(endpointId).count >= limit('savedRequests'))
      throw new AppError('BAD_FIELD', {
        field: 'name',
        why: `${limit('savedRequests')} are saved, which is the limit. Delete one first`,
      })
    const saved = { id: newId.uuid(), name, request, updatedAt: clock.now() }
    storage.savedRequests.save(endpointId, saved)
    refuseTooMuch(storage, endpointId)
    return saved
  })
}

export function updateSavedRequest(
  { storage, clock }: Deps,
  endpointId: string,
  savedRequestId: string,
  { name, request }: { readonly name?: string | undefined; readonly request?: RequestDraft | undefined },
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

export async function deleteSavedRequest({ storage }: Deps, endpointId: string, savedRequestId: string): Promise<void> {
  const removed = await storage.write(() => storage.savedRequests.remove(endpointId, savedRequestId))
  if (!removed) throw notFound(endpointId, savedRequestId)
}

function refuseTaken(storage: Storage, endpointId: string, name: string, except: string | undefined): void {
  const other = storage.savedRequests.named(endpointId, name)
  if (other !== undefined && other.id !== except) throw new AppError('SAVED_REQUEST_EXISTS', { endpointId, name })
}

function refuseTooMuch({ savedRequests }: Storage, endpointId: string): void {
  if (savedRequests.size(endpointId).bytes <= limit('savedRequestsBytes')) return
  const why = `would make the saved requests larger than ${sizeText(limit('savedRequestsBytes'))}. Delete one first`
  throw new AppError('BAD_FIELD', { field: 'request', why })
}

const notFound = (endpointId: string, savedRequestId: string) =>
  new AppError('SAVED_REQUEST_NOT_FOUND', { endpointId, savedRequestId: savedRequestId.slice(0, 100) })

// Source: ours, fields absent from the last ten are no habit.
const JOBS = 10
const READ_LENGTH = 256 * 1024
const EXAMPLE_LENGTH = 64 * 1024

export async function hintsOfJobs(
  { jobs, apps }: Pick<Storage, 'jobs' | 'apps'>,
  endpoint: Endpoint,
): Promise<InputHints> {
  const newest = jobs.list({ endpointId: endpoint.id, limit: JOBS })
  const read = await Promise.all(newest.map((job) => jobs.readInput(job).catch(() => undefined)))
  let left = READ_LENGTH
  const texts = read.flatMap((found) => {
    if (typeof found?.input !== 'string') return []
    left -= found.input.length
    return left < 0 ? [] : [found.input]
  })
  return withShortExample({
    fields: inputHints(texts.map(parseExact)),
    example: newest.length > 0 ? texts[0] : writeExample(exampleInput({ apps }, endpoint)),
  })
}

export async function graphHints(
  storage: Pick<Storage, 'jobs' | 'graphs' | 'apps'>,
  endpoint: Endpoint,
): Promise<InputHints> {
  const graph = storage.graphs.get(endpoint.id, endpoint.config.graph?.version ?? 0)
  return graph === undefined ? hintsOfJobs(storage, endpoint) : withShortExample(graphInputHints(graph.parameters))
}

const writeExample = (input: object | undefined) => (input === undefined ? undefined : JSON.stringify(input))

function withShortExample({ fields, example }: InputHints): InputHints {
  return { fields, ...(example !== undefined && example.length <= EXAMPLE_LENGTH ? { example } : {}) }
}
