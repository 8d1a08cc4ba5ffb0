import { parseJson } from '../../../../src-main/domain/workflow/json/parse.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { BridgeFailure } from '../failure.ts'
import { readBounded } from './read-bounded.ts'

/** A server's address, and what is sent along with each call. */
export type ComfyServer = {
  /** Without user and password, with a slash at the end. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** `127.0.0.1:8188`, as messages name it. */
  readonly host: string
}

/** An answer of the server. */
export type Answer = {
  readonly status: number
  readonly text: string
  readonly url: string
  readonly statusText: string
}

// Of all texts that the server answers with, in bytes; the definitions of 5,000 classes are 20 MB.
const TEXT_MAX = 64 * 1024 * 1024
const WORDS_SHOWN = 120
// Of an answer that is looked at for its words; patterns over megabytes of a hostile one would take for ever.
const TEXT_READ = 20_000
const TEXT_SHOWN = 2000

/** A server at an address. User and password in it become a header, as fetch takes no address with them. */
export function comfyServerAt(address: string): ComfyServer {
  const url = new URL(address)
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`
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

// A percent sign of a password that nobody has coded is one.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What is asked of a server. */
export type Asked = {
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Text of JSON, or a form. Without it GET is used. */
  readonly body?: string | FormData
}

/** The address of something on the server, without user and password. */
export function addressOf({ url: base }: ComfyServer, { path, query }: Pick<Asked, 'path' | 'query'>): URL {
  const url = new URL(path, base)
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
  return url
}

/** Asks the server, and gives its answer back before its body has come. @throws what fetch throws */
export function ask(server: ComfyServer, { path, query, timeoutMs, signal, body }: Asked): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs)
  return fetch(addressOf(server, { path, ...(query === undefined ? {} : { query }) }), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...server.headers, ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}) },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  })
}

/** Asks the server for a text. @throws what fetch throws */
export async function askText(server: ComfyServer, asked: Asked): Promise<Answer> {
  const answer = await ask(server, asked)
  const bytes = await readBounded(answer, TEXT_MAX)
  if (bytes === undefined) throw new Error(`the answer to ${asked.path} is larger than ${TEXT_MAX / 1024 / 1024} MiB`)
  const text = new TextDecoder().decode(bytes)
  return {
    status: answer.status,
    text,
    url: addressOf(server, { path: asked.path }).href,
    statusText: answer.statusText,
  }
}

/** Asks for an object of JSON. @throws Error for another status, BridgeFailure for anything that is no object */
export async function askJson(server: ComfyServer, asked: Asked): Promise<JsonObject> {
  const answer = await askText(server, asked)
  const value = jsonOf(answer)
  if (answer.status !== 200) throw new Error(statusSentence(answer))
  if (!isObject(value)) throw new BridgeFailure(noJsonSentence(server, answer))
  return value
}

/** The JSON of an answer; undefined where it is none. */
export function jsonOf({ text }: Answer): JsonValue | undefined {
  const parsed = parseJson(text, { asNull: true })
  return parsed.kind === 'value' ? parsed.value : undefined
}

/** An answer as it came, for the end of a sentence; a long one is cut. */
export function shownText(text: string): string {
  return text.length > TEXT_SHOWN ? `${text.slice(0, TEXT_SHOWN)} ... (${text.length} characters)` : text
}

/** A status in the words that the public image worker's library uses. */
export function statusSentence({ status, statusText, url }: Answer): string {
  if (status < 400) return `${status} ${statusText} for url: ${url}`.replace('  ', ' ')
  return `${status} ${status < 500 ? 'Client' : 'Server'} Error: ${statusText} for url: ${url}`
}

/** Says that the server is another one than it should be, with its first words. */
export function noJsonSentence(server: ComfyServer, { text: whole, status }: Answer): string {
  const text = whole.slice(0, TEXT_READ)
  const isPage = /^\s*<(!doctype|html|head|body|\?xml)/i.test(text)
  const said = text
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replace(isPage ? /<[^>]*>/g : /[^\S ]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const what = isPage ? 'an HTML page' : text.trim() === '' ? 'nothing' : 'something that is not JSON'
  const words = said === '' ? '' : `: "${said.slice(0, WORDS_SHOWN)}${said.length > WORDS_SHOWN ? ' ...' : ''}"`
  return (
    `The server at ${server.url.origin}${server.url.pathname} is not a ComfyUI server: it sent ${what} (HTTP ${status})${words}. ` +
    `Set the address of the server in the settings of the endpoint.`
  )
}
