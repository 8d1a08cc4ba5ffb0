/**
 * The specification has an array, the platform an object; clients written for `.status` never stop on arrays. Rules
 * decide by client and history.
 */
import { limit, utf8Bytes } from '../../../contract/limits.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import { plainJson } from '../../../lib/json/plain.ts'
import { cutText, rawFields, scanJson } from '../../../lib/json/scan.ts'

/** `array`: the chunks alone. `object`: `{status, stream: [chunks]}`. */
export type StreamForm = 'array' | 'object'

export type StreamReader = {
  readonly asked: StreamForm | undefined
  readonly ofEndpoint: StreamForm | undefined
  readonly ofService: StreamForm
  readonly userAgent: string
  readonly announcesJson: boolean
  /** Whether the same key and User-Agent has queued a job on this endpoint. */
  readonly hasRun: boolean
  /** Whether it asks again after an empty array that meant the job had ended. */
  readonly asksAfterEnd: boolean
}

type Rule = {
  readonly why: string
  readonly form: (reader: StreamReader) => StreamForm | undefined
}

/** HTTP libraries of the public Python and Go clients. */
const LIBRARIES_OF_CLIENTS = /^(python-requests|Python\/[\d.]+ aiohttp|Go-http-client)\//

/** Default names of `fetch` and usual libraries; not of interactive tools, since a person can read an array. */
const LIBRARIES =
  /^(node|undici|Deno\/|Bun\/|Mozilla\/|axios\/|node-fetch|got |python-httpx\/|python-requests\/|Python-urllib\/|python-urllib3\/|Python\/[\d.]+ aiohttp\/|Go-http-client\/|okhttp\/|Java-http-client\/|Apache-HttpClient\/|reqwest|Ruby|Faraday|GuzzleHttp|Dart\/|RestSharp|k6\/)/i

/** The first rule that applies decides. Source: docs/spec/job-api.md, 1 and 5, and ours. */
const RULES = {
  asked: { why: 'the request says so, with ?format=', form: ({ asked }) => asked },
  endpoint: { why: 'the setting of the endpoint says so', form: ({ ofEndpoint }) => ofEndpoint },
  service: {
    why: 'the setting of the service says so',
    form: ({ ofService }) => (ofService === 'object' ? 'object' : undefined),
  },
  publicClient: {
    why: 'a client of the platform, by its name',
    form: ({ userAgent }) => (/runpod/i.test(userAgent) ? 'object' : undefined),
  },
  publicLibrary: {
    why: 'a client of the platform without a name: it announces JSON and sends none, which few others do',
    form: ({ userAgent, announcesJson }) =>
      LIBRARIES_OF_CLIENTS.test(userAgent) && announcesJson ? 'object' : undefined,
  },
  runsAndPolls: {
    why: 'a program that queued a job here and now reads streams, as code written for the platform does',
    form: ({ userAgent, hasRun }) => (hasRun && isProgram(userAgent) ? 'object' : undefined),
  },
  asksAfterEnd: {
    why: 'it got the end as an array, and did not understand it',
    form: ({ asksAfterEnd }) => (asksAfterEnd ? 'object' : undefined),
  },
  specification: { why: 'the form of the specification', form: () => 'array' },
} as const satisfies Record<string, Rule>

export type StreamFormRule = keyof typeof RULES

export function chooseStreamForm(reader: StreamReader): { readonly form: StreamForm; readonly rule: StreamFormRule } {
  for (const [rule, { form }] of Object.entries<Rule>(RULES)) {
    const said = form(reader)
    if (said !== undefined) return { form: said, rule: rule as StreamFormRule }
  }
  return { form: 'array', rule: 'specification' }
}

/** Whether the User-Agent is a program; only of these it is remembered that they queued jobs. */
export function isProgram(userAgent: string): boolean {
  return LIBRARIES.test(userAgent)
}

export type SentChunk = { readonly pieces: readonly Json[] } | { readonly problem: string }

// Python writes these as numbers, which other JSON readers refuse.
const NO_NUMBER = /[:,[\s](NaN|-?Infinity)[,\]}\s]/

export function readChunk(text: string, maxBytes: number): SentChunk {
  if (plainJson(text) === undefined) return { problem: NO_NUMBER.exec(text)?.[1] ?? 'no JSON' }
  const raw = rawFields(text, cutText(text))
  const output = raw('output')
  return { pieces: output === undefined ? [] : splitChunk(output, raw('metrics'), maxBytes) }
}

/**
 * Cuts one chunk into pieces of at most `maxBytes` of JSON: a string into strings, an array into arrays, anything else
 * into its JSON text. Source: docs/spec/job-api.md, 5 and 11.
 * @param metrics only the first piece gets them
 */
export function splitChunk(output: string, metrics: string | undefined, maxBytes: number): readonly string[] {
  const pieces = fits(output, maxBytes) ? [output] : cut(output, maxBytes)
  return pieces.map((piece, index) => chunkText(piece, index === 0 ? metrics : undefined))
}

function chunkText(output: string, metrics: string | undefined): string {
  return metrics === undefined ? `{"output":${output}}` : `{"output":${output},"metrics":${metrics}}`
}

// JSON text has at most 3 bytes per UTF-16 unit, so short text needs no count.
function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || utf8Bytes(text) <= maxBytes
}

function cut(output: string, maxBytes: number, level = 0): readonly string[] {
  const value: unknown = JSON.parse(output)
  if (typeof value === 'string') return cutString(value, maxBytes)
  if (Array.isArray(value) && level < CUT_LEVELS && !isDeep(output)) return cutArray(value, maxBytes, level)
  return cutString(output, maxBytes)
}

// Bounds the nesting of lists that are too large. Source: ours, real data has less.
const CUT_LEVELS = 16

// Deeper JSON cannot be written by the recursive writer.
const isDeep = (json: string): boolean =>
  typeof scanJson(json, { maxKeys: Number.POSITIVE_INFINITY, maxDepth: limit('jsonDepth') }) === 'string'

// 6 bytes is the longest JSON escape of a unit (\u0000), 2 are the quotes.
function cutString(text: string, maxBytes: number): readonly string[] {
  const pieces: string[] = []
  let from = 0
  while (from < text.length) {
    let to = Math.min(text.length, from + maxBytes - 2)
    while (utf8Bytes(JSON.stringify(text.slice(from, to))) > maxBytes)
      to = from + Math.max(1, Math.floor((to - from) / 2))
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1)) && to - from > 1) to -= 1
    pieces.push(JSON.stringify(text.slice(from, to)))
    from = to
  }
  return pieces
}

function cutArray(items: readonly unknown[], maxBytes: number, level: number): readonly string[] {
  const pieces: string[] = []
  let open: string[] = []
  let bytes = 2
  const close = () => {
    if (open.length > 0) pieces.push(`[${open.join(',')}]`)
    open = []
    bytes = 2
  }
  for (const item of items) {
    const text = JSON.stringify(item)
    const size = utf8Bytes(text) + 1
    if (size + 2 > maxBytes) {
      close()
      pieces.push(...cut(text, maxBytes, level + 1))
      continue
    }
    if (bytes + size > maxBytes) close()
    open.push(text)
    bytes += size
  }
  close()
  return pieces
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
