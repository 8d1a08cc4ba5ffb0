/**
 * Queries ComfyUI servers. Users set their addresses, so local networks are allowed; time and size are capped and
 * redirects not followed.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { limit } from '../../../contract/limits.ts'
import type { WorkflowServer } from '../../../contract/workflows.ts'
import { errorCode } from '../../../lib/error-code.ts'
import { parseJson } from '../../../lib/json/parse.ts'
import { isArray, isObject } from '../../../lib/json/value.ts'
import { networkReason } from '../../../lib/network-error.ts'
import { percentDecoded } from '../../../lib/percent-encoding.ts'
import { sizeText } from '../../../lib/text.ts'
import { MIB } from '../../../lib/units.ts'
import type { FreeMemory } from '../../workers/ports.ts'
import type { AskServer, FetchNodeTypes, ReadLastModels, ReadServer, SizeOfNodeTypes, WhyNoServer } from '../ports.ts'
import { LOOP_DETECTED } from '../rules/lost-server.ts'
import { readPayloadNodes } from '../rules/payload.ts'
import { needsOf } from '../rules/runs/graph-models.ts'
import { UnusableClasses } from '../rules/unusable-classes.ts'

// A server with thousands of nodes needs some seconds for its list.
const TIMEOUT_MS = 30_000
const VERSION_TIMEOUT_MS = 5000
const EXCERPT_LENGTH = 80
const WANTS_PASSWORD =
  'it needs a user name and a password (HTTP 401). Add them to its address in the settings of the endpoint, like http://user:password@host:8188'

/** Reads `GET /object_info`, and the version from `GET /system_stats`. */
export const fetchNodeTypes: FetchNodeTypes = async (server, signal) => {
  const text = await readClasses(server, signal)
  const { version } = (await probeServer(server, signal, VERSION_TIMEOUT_MS)) ?? {}
  return { text, version: version === undefined ? undefined : `ComfyUI ${version}` }
}

async function readClasses(server: string, signal: AbortSignal): Promise<string> {
  const most = limit('nodeTypesBytes')
  const { status, text } = await readText(server, 'object_info', {
    ...{ most, timeoutMs: TIMEOUT_MS, signal },
    tooLarge: (size) => new UnusableClasses(`its list of node classes ${size}`),
  })
  if (status !== 200) throw new Error(`it answered with ${status}${excerpt(text)}`)
  return text
}

// A blueprint is read from a file.
const FILE_TIMEOUT_MS = 10_000

export const readServer: ReadServer = async (server, path, { most, signal }) => {
  const tooLarge = (size: string) => new Error(`its answer ${size}`)
  const { status, text } = await readText(server, path, { most, timeoutMs: FILE_TIMEOUT_MS, signal, tooLarge })
  if (status === 404) return undefined
  if (status !== 200) throw new Error(`it answered with ${status}${excerpt(text)}`)
  return text
}

type ReadOptions = {
  /** Bytes. */
  readonly most: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly tooLarge: (size: string) => Error
}

async function readText(server: string, path: string, { most, timeoutMs, signal, tooLarge }: ReadOptions) {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const { url, headers } = comfyRequest(server, path)
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, timeout]), redirect: 'manual' })
    const { status } = response
    const told = response.headers.has('content-encoding') ? 0 : Number(response.headers.get('content-length'))
    const text = told > most ? void (await response.body?.cancel()) : await readUpTo(response, most)
    if (status === 401) throw new Error(WANTS_PASSWORD)
    if (text !== undefined) return { status, text }
    const size = told > most ? `has ${sizeText(told)}; the limit is ` : 'is larger than the limit of '
    throw tooLarge(`${size}${sizeText(most)}`)
  } catch (error) {
    if (error instanceof UnusableClasses) throw error
    if (timeout.aborted) throw new Error(`it did not answer within ${timeoutMs / 1000} s`, { cause: error })
    throw new Error(networkReason(error), { cause: error })
  }
}

// A server computes the list within a second or two, and the caller waits for it.
const SIZE_TIMEOUT_MS = 3000

/** Uses HEAD, so the server builds its list without sending it. */
export const sizeOfNodeTypes: SizeOfNodeTypes = async (server, signal) => {
  const { url, headers } = comfyRequest(server, 'object_info')
  try {
    const response = await fetch(url, {
      ...{ method: 'HEAD', redirect: 'manual', headers: { ...headers, 'accept-encoding': 'identity' } },
      signal: AbortSignal.any([signal, AbortSignal.timeout(SIZE_TIMEOUT_MS)]),
    })
    const length = response.headers.get('content-length') ?? ''
    return response.status === 200 && /^[1-9]\d{0,15}$/.test(length) ? Number(length) : undefined
  } catch {
    return undefined
  }
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, EXCERPT_LENGTH)
  return line === '' ? '' : `, and began with: ${line}`
}

// Anything may listen on ComfyUI's default ports, so little of the response is read.

// Local servers; a busy one is found at the next check.
const PROBE_TIMEOUT_MS = 1000
// The response is below 2 KiB with one GPU.
const MOST_BYTES = 64 * 1024

const word = z.string().transform((text) => text.slice(0, 100))

// The ComfyUI 0.3 response; older versions do not report their version.
const systemStats = z.object({
  system: z.object({ comfyui_version: word.optional(), python_version: z.string() }),
  devices: z
    .array(z.object({ name: word, type: word, vram_total: z.number().nonnegative().optional() }))
    .transform((devices) => devices.slice(0, 16)),
})

export async function probeServer(
  address: string,
  signal: AbortSignal,
  timeoutMs = PROBE_TIMEOUT_MS,
): Promise<WorkflowServer | undefined> {
  const found = await lookAt(address, signal, timeoutMs)
  return 'why' in found ? undefined : found
}

export const whyNoServer: WhyNoServer = async (address, signal) => {
  const found = await lookAt(address, signal, VERSION_TIMEOUT_MS)
  return 'why' in found ? found.why : undefined
}

async function lookAt(
  address: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<WorkflowServer | { readonly why: string }> {
  const { url, headers } = comfyRequest(address, 'system_stats')
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.any([signal, timeout]) })
    const text = await readUpTo(response, MOST_BYTES)
    if (response.status === 401) return { why: WANTS_PASSWORD }
    if (response.status === LOOP_DETECTED)
      return { why: 'it leads back to itself, through the servers of other endpoints' }
    if (response.status !== 200) return { why: `another program answers there, with HTTP ${response.status}` }
    return toServer(address, systemStats.parse(JSON.parse(text ?? '')))
  } catch (error) {
    if (timeout.aborted) return { why: `it did not answer within ${timeoutMs / 1000} s` }
    if (error instanceof SyntaxError || error instanceof z.ZodError) return { why: 'another program answers there' }
    return { why: networkReason(error) }
  }
}

// A record holds the graph, twice if a page sent it.
const RECORD_BYTES = 512 * 1024

export const readLastModels: ReadLastModels = async (address, signal) => {
  const { url, headers } = comfyRequest(address, 'history?max_items=1')
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)])
    const response = await fetch(url, { headers, redirect: 'manual', signal: until })
    const text = await readUpTo(response, RECORD_BYTES)
    const read = response.status === 200 && text !== undefined ? parseJson(text) : undefined
    const [record] = isObject(read) ? [...read.values()] : []
    const prompt = isObject(record) ? record.get('prompt') : undefined
    const graph = isArray(prompt) ? prompt[2] : undefined
    return isObject(graph) ? needsOf(readPayloadNodes(graph)).models : []
  } catch {
    return []
  }
}

function toServer(address: string, { system, devices }: z.infer<typeof systemStats>): WorkflowServer {
  const { comfyui_version: version } = system
  return {
    address,
    ...(version === undefined ? {} : { version }),
    devices: devices.map(({ name, type, vram_total: memoryBytes }) => ({
      name,
      type,
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
    })),
  }
}

// A server that loads a model does not answer for a few seconds.
const HEAD_TIMEOUT_MS = 10_000

/** The time limit covers only the response's headers. */
export const askServer: AskServer = async (server, { method, path, headers, body, signal }) => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), HEAD_TIMEOUT_MS)
  try {
    // The dot keeps a path like `//host` or `http:` from being read as another address.
    const { url, headers: own } = comfyRequest(server, `./${path}`)
    return await fetch(url, {
      ...{ method, redirect: 'manual', headers: { ...headers, ...own, 'accept-encoding': 'identity' } },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([signal, late.signal]),
    })
  } catch (error) {
    if (late.signal.aborted) throw new Error(`it did not answer within ${HEAD_TIMEOUT_MS / 1000} s`, { cause: error })
    throw new Error(networkReason(error), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

const LOOK_EVERY_MS = 200
// A server moves the models of a card to main memory within some seconds.
const UNLOADS_WITHIN_MS = 10_000
// The caches of a card's libraries stay.
const UNLOADED_BYTES = 512 * MIB

const prompts = z.object({ exec_info: z.object({ queue_remaining: z.number() }) })
const reserved = z.object({
  devices: z.array(z.object({ type: z.string(), torch_vram_total: z.number().optional() })),
})

/** ComfyUI answers at once and unloads between two prompts, so the memory that it reserves says when it has. */
export const freeMemory: FreeMemory = async (server, signal) => {
  const until = AbortSignal.any([signal, AbortSignal.timeout(UNLOADS_WITHIN_MS)])
  const ask = async (path: string, body?: string) => {
    const { url, headers } = comfyRequest(server, path)
    const withBody = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const how = body === undefined ? { headers } : { ...withBody, body }
    const response = await fetch(url, { ...how, redirect: 'manual', signal: until })
    const text = await readUpTo(response, MOST_BYTES)
    if (response.status !== 200) throw new Error(`answered ${path} with HTTP ${response.status}`)
    return text ?? ''
  }
  const waiting = async () => prompts.parse(JSON.parse(await ask('prompt'))).exec_info.queue_remaining
  const reservedBytes = async () =>
    reserved
      .parse(JSON.parse(await ask('system_stats')))
      .devices.reduce((sum, { type, torch_vram_total: bytes = 0 }) => sum + (type === 'cpu' ? 0 : bytes), 0)
  try {
    while ((await waiting()) > 0) await pause(LOOK_EVERY_MS, undefined, { signal: until })
    const before = await reservedBytes()
    await ask('free', JSON.stringify({ unload_models: true, free_memory: true }))
    for (let now = before; now > UNLOADED_BYTES && now >= before; now = await reservedBytes())
      await pause(LOOK_EVERY_MS, undefined, { signal: until })
    return undefined
  } catch (error) {
    if (error instanceof TypeError && errorCode(error.cause) === 'ECONNREFUSED') return undefined
    if (until.aborted) return `still runs a prompt or has models loaded after ${UNLOADS_WITHIN_MS / 1000} s`
    if (error instanceof SyntaxError || error instanceof z.ZodError) return 'does not answer as a ComfyUI server'
    return networkReason(error)
  }
}

type ComfyRequest = { readonly url: URL; readonly headers: Readonly<Record<string, string>> }

/**
 * User and password in the address are sent like the bridge does; fetch rejects such URLs and would reveal them in its
 * message.
 */
function comfyRequest(server: string, route: string): ComfyRequest {
  const url = new URL(route, server.endsWith('/') ? server : `${server}/`)
  // An unencoded percent sign in a password is literal.
  const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`
  const isAnonymous = url.username === '' && url.password === ''
  url.username = ''
  url.password = ''
  return {
    url,
    headers: isAnonymous ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  }
}

/**
 * Response text; undefined if larger, without reading on.
 * @param most bytes
 */
async function readUpTo(response: Response, most: number): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > most) return undefined
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}
