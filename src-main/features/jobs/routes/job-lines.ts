import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from 'hono'
import { AppError } from '../../../contract/errors.ts'
import type { jobImportResult } from '../../../contract/job-routes.ts'
import { limit } from '../../../contract/limits.ts'
import type { Bytes } from '../../../http/body-text.ts'
import type { NodeBindings } from '../../../http/node-bindings.ts'
import { KIB, MIB } from '../../../lib/units.ts'
import type { Endpoint } from '../../../storage/storage.ts'
import { kindOf, type SubmitDeps } from '../../endpoints/kinds/endpoint-kinds.ts'
import type { ReadsJobs } from '../ports/readers.ts'
import { readSubmission } from './submission.ts'

const LINE_END = 10
// Jobs per commit, and bytes of their lines held for it.
const AT_ONCE = 100
const BYTES_AT_ONCE = 16 * MIB
// Bytes of lines parsed in one turn of the event loop; empty lists take 10 ms. Source: ours.
const TURN_BYTES = 128 * KIB

type LineTaker = {
  readonly first?: number
  readonly most?: number
  readonly queue: (line: number, bytes: Bytes) => Promise<boolean>
  /** Whether the error is the line's fault, and is stored as its reason. */
  readonly isRefusal?: (error: unknown) => error is AppError
  readonly refuse?: (line: number, reason: string) => Promise<void>
  readonly took?: (line: number) => Promise<void>
}

export async function importLines(
  c: Context,
  { first = 1, most, queue, isRefusal = isAppError, refuse, took }: LineTaker,
): Promise<(typeof jobImportResult)['_output']> {
  const bad: { line: number; reason: string }[] = []
  let queued = 0
  let refused = 0
  let open: Promise<unknown>[] = []
  let held = 0

  async function take(line: number, bytes: Bytes | undefined): Promise<void> {
    if (bytes !== undefined && isBlank(bytes)) return
    const job = (bytes === undefined ? tooLong() : queue(line, bytes)).then(
      (isNew) => {
        if (isNew) queued += 1
      },
      async (error: unknown) => {
        // Other errors end the request: earlier lines stay, and the rest may be sent again.
        if (!isRefusal(error)) throw error
        const reason = error.message
        refused += 1
        if (bad.length < limit('importBadLines')) bad.push({ line, reason })
        await refuse?.(line, reason)
      },
    )
    open.push(job)
    held += bytes?.length ?? 0
    if (open.length >= AT_ONCE || held >= BYTES_AT_ONCE) await finish(line)
  }

  async function finish(line: number): Promise<void> {
    const jobs = open
    open = []
    held = 0
    // Waits for all, so that none continues after the response.
    const results = await Promise.allSettled(jobs)
    for (const result of results) if (result.status === 'rejected') throw result.reason
    if (jobs.length > 0) await took?.(line)
  }

  let line = first - 1
  let parsed = 0
  for await (const bytes of linesOf(bodyOf(c), limit('runBodyBytes'))) {
    line += 1
    if (most !== undefined && line - first >= most) {
      await finish(line - 1)
      throw new AppError('BODY_TOO_LARGE', { limit: `${most} lines`, operation: 'a piece of a batch' })
    }
    await take(line, bytes)
    parsed += bytes?.length ?? 0
    if (line % AT_ONCE !== 0 && parsed < TURN_BYTES) continue
    await nextTurn()
    parsed = 0
  }
  await finish(line)
  return { queued, refused, bad: bad.sort((a, b) => a.line - b.line) }
}

const isAppError = (error: unknown): error is AppError => error instanceof AppError

function tooLong(): Promise<never> {
  const bytesAtMost = `${limit('runBodyBytes') / MIB} MiB`
  return Promise.reject(new AppError('BODY_TOO_LARGE', { limit: bytesAtMost, operation: 'a line' }))
}

export async function queueLine(service: SubmitDeps & ReadsJobs, endpoint: Endpoint, bytes: Bytes): Promise<true> {
  await kindOf(endpoint).submit(service, endpoint, await readSubmission(service, bytes))
  return true
}

const isBlank = (bytes: Bytes) => bytes.length < 100 && bytes.toString().trim() === ''

function bodyOf(c: Context): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  const { incoming } = (c.env ?? {}) as NodeBindings
  return incoming ?? c.req.raw.body ?? []
}

async function* linesOf(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): AsyncGenerator<Bytes | undefined> {
  let parts: Uint8Array[] = []
  let bytes = 0
  const end = () => {
    const line = bytes > most ? undefined : Buffer.concat(parts)
    parts = []
    bytes = 0
    return line
  }
  for await (const piece of source) {
    let from = 0
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, from)) {
      parts.push(piece.subarray(from, at))
      bytes += at - from
      yield end()
      from = at + 1
    }
    bytes += piece.length - from
    if (bytes > most) parts = []
    else parts.push(piece.subarray(from))
  }
  if (bytes > 0) yield end()
}
