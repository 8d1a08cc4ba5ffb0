/**
 * Asks a ComfyUI server for its classes of nodes. Its address was set by the user, so it may be of this machine or its
 * network; time and size are capped, and no redirect is followed.
 */
import { limit } from '../contract/limits.ts'
import { sizeInWords } from '../domain/size-in-words.ts'
import type { FetchNodeTypes, SizeOfNodeTypes } from '../services/ports/workflows.ts'
import { comfyRequest, readUpTo } from './comfy-request.ts'
import { lookForServer } from './look-for-server.ts'

// A server with thousands of nodes needs some seconds for its list.
const TIMEOUT_MS = 30_000
// It has just answered with its classes, and says in no time of which version it is.
const VERSION_TIMEOUT_MS = 5000
const FIRST_WORDS = 80
const WANTS_PASSWORD =
  'it wants a user and a password (HTTP 401). Put them into its address in the settings of the endpoint, as in http://user:password@host:8188'

/** Reads `GET /object_info`, and the version that the server tells in `GET /system_stats`. */
export const fetchNodeTypes: FetchNodeTypes = async (server, signal) => {
  const text = await readClasses(server, signal)
  const { version } = (await lookForServer(server, signal, VERSION_TIMEOUT_MS)) ?? {}
  return { text, version: version === undefined ? undefined : `ComfyUI ${version}` }
}

async function readClasses(server: string, signal: AbortSignal): Promise<string> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const most = limit('nodeTypesBytes')
  try {
    const { url, headers } = comfyRequest(server, 'object_info')
    const answer = await fetch(url, { headers, signal: AbortSignal.any([signal, timeout]), redirect: 'manual' })
    const text = await readUpTo(answer, most)
    if (text === undefined) throw new Error(`its answer is larger than ${sizeInWords(most)}`)
    if (answer.status === 401) throw new Error(WANTS_PASSWORD)
    if (answer.status !== 200) throw new Error(`it answered with ${answer.status}${firstWords(text)}`)
    return text
  } catch (error) {
    if (timeout.aborted) throw new Error(`it did not answer within ${TIMEOUT_MS / 1000} s`, { cause: error })
    throw new Error(reasonOf(error), { cause: error })
  }
}

// A server that computes it does so within a second or two; whoever asks waits for it.
const SIZE_TIMEOUT_MS = 3000

/** Asks with HEAD, so that the server makes its list and sends none of it. */
export const sizeOfNodeTypes: SizeOfNodeTypes = async (server, signal) => {
  const { url, headers } = comfyRequest(server, 'object_info')
  try {
    const answer = await fetch(url, {
      ...{ method: 'HEAD', redirect: 'manual', headers: { ...headers, 'accept-encoding': 'identity' } },
      signal: AbortSignal.any([signal, AbortSignal.timeout(SIZE_TIMEOUT_MS)]),
    })
    const length = answer.headers.get('content-length') ?? ''
    return answer.status === 200 && /^[1-9]\d{0,15}$/.test(length) ? Number(length) : undefined
  } catch {
    return undefined // who is not there now may be later, and who asks has the list of before
  }
}

function firstWords(text: string): string {
  const words = text.replace(/\s+/g, ' ').trim().slice(0, FIRST_WORDS)
  return words === '' ? '' : `, and began with: ${words}`
}

// fetch says "fetch failed", and why is its cause.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause
  if (!(cause instanceof Error)) return error.message
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message
}
