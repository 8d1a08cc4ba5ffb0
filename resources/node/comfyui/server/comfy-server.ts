import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../../src-main/lib/json/value.ts'
import { percentDecoded } from '../../../../src-main/lib/percent-encoding.ts'
import { ServerLost } from '../failure.ts'

export type ComfyServer = Readonly<ReturnType<typeof comfyServerAt>>

export type Answer = Readonly<Awaited<ReturnType<typeof askText>>>

// Limit of text responses, in bytes; the definitions of 5,000 classes take 20 MB.
const TEXT_MAX = 64 * 1024 * 1024
const WORDS_SHOWN = 120
// Limit for text that is searched with patterns, which could take forever on megabytes from a hostile server.
const TEXT_READ = 20_000
const TEXT_SHOWN = 2000

/** Moves user and password into a header, as fetch rejects addresses with them. */
export function comfyServerAt(address: string) {
  const url = new URL(address)
  const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`
  const isAnonymous = url.username === '' && url.password === ''
  const headers: Record<string, string> = isAnonymous
    ? {}
    : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return { url, headers, host: url.host }
}

type Asked = {
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly body?: string | FormData
}

export function addressOf({ url: base }: ComfyServer, { path, query }: Pick<Asked, 'path' | 'query'>): URL {
  const url = new URL(path, base)
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
  return url
}

export function ask(server: ComfyServer, { path, query, timeoutMs, signal, body }: Asked): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs)
  return fetch(addressOf(server, { path, query }), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...server.headers, ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}) },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  })
}

/** @returns undefined when the body is larger; the rest is not read */
export async function readBounded(answer: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const told = Number(answer.headers.get('content-length') ?? 0)
  const parts: Uint8Array[] = []
  let length = 0
  if (answer.body === null) return new Uint8Array()
  const reader = answer.body.getReader()
  while (told <= maxBytes && length <= maxBytes) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(parts)
    parts.push(value)
    length += value.length
  }
  await reader.cancel()
  return undefined
}

export async function askText(server: ComfyServer, asked: Asked) {
  const answer = await ask(server, asked)
  const bytes = await readBounded(answer, TEXT_MAX)
  if (bytes === undefined) throw new Error(`the answer to ${asked.path} is larger than ${TEXT_MAX / 1024 / 1024} MiB`)
  const { status, statusText } = answer
  return {
    status,
    text: new TextDecoder().decode(bytes),
    url: addressOf(server, { path: asked.path }).href,
    statusText,
  }
}

export async function askJson(server: ComfyServer, asked: Asked): Promise<JsonObject> {
  const answer = await askText(server, asked)
  const value = jsonOf(answer)
  if (answer.status !== 200) throw new Error(statusSentence(answer))
  if (!isObject(value)) throw new ServerLost('with the prompt', noJsonSentence(server, answer))
  return value
}

/** Proxies answer so for a server that has ended. */
export const isGatewayError = (status: number): boolean => status >= 502 && status <= 504

export const jsonOf = ({ text }: Answer): JsonValue | undefined => parseJson(text, { bare: 'null' })

export function shownText(text: string): string {
  return text.length > TEXT_SHOWN ? `${text.slice(0, TEXT_SHOWN)} ... (${text.length} characters)` : text
}

export function statusSentence({ status, statusText, url }: Answer): string {
  if (status < 400) return `${status} ${statusText} for url: ${url}`.replace('  ', ' ')
  return `${status} ${status < 500 ? 'Client' : 'Server'} Error: ${statusText} for url: ${url}`
}

export const addressText = ({ url }: ComfyServer): string => `${url.origin}${url.pathname}`

export function noJsonSentence(server: ComfyServer, { text, status }: Answer): string {
  const words = firstWords(text)
  const isEmpty = text.slice(0, TEXT_READ).trim() === ''
  const what = isPage(text) ? 'an HTML page' : isEmpty ? 'nothing' : 'something that is not JSON'
  return (
    `The server at ${addressText(server)} is not a ComfyUI server: it sent ${what} (HTTP ${status})${words}. ` +
    `Set the address of the server in the settings of the endpoint.`
  )
}

export const isPage = (text: string): boolean => /^\s*<(!doctype|html|head|body|\?xml)/i.test(text.slice(0, TEXT_READ))

/** The visible text like `: "Not found"`, or an empty string. */
export function firstWords(whole: string): string {
  const text = whole.slice(0, TEXT_READ)
  const said = text
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replace(isPage(text) ? /<[^>]*>/g : /[^\S ]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return said === '' ? '' : `: "${said.slice(0, WORDS_SHOWN)}${said.length > WORDS_SHOWN ? ' ...' : ''}"`
}
