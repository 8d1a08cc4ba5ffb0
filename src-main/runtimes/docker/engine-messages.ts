import { cutLines, keepEnds } from '../../lib/text.ts'

export type EngineMessage = {
  readonly id?: string
  readonly status?: string
  readonly progressDetail?: { readonly current?: number; readonly total?: number }
  readonly stream?: string
  readonly error?: string
  readonly aux?: string | { readonly ID?: string; readonly Digest?: string }
}

export async function* readMessages(stream: AsyncIterable<string | Uint8Array>): AsyncGenerator<EngineMessage> {
  const decoder = new TextDecoder()
  const lines = cutLines()
  for await (const chunk of stream) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    for (const line of lines.take(text)) if (line.trim() !== '') yield JSON.parse(line)
  }
  if (lines.rest().trim() !== '') yield JSON.parse(lines.rest())
}

/** Longest engine reason, in characters; source: ours, a line or two. */
const LONGEST = 300
const CLIENT_PREFIX = /^\(HTTP code \d+\) [\w ]+ - /

export function engineMessage(error: unknown): string {
  const { json, message } = error as { json?: { message?: string }; message?: string }
  return shortened(json?.message ?? (message ?? String(error)).replace(CLIENT_PREFIX, ''))
}

export const NOT_FOUND = 404
export const CONFLICT = 409
/** Exit code of a killed process: 128 plus SIGKILL. */
export const KILLED = 137

/** HTTP status of an engine error; undefined if unreachable or another error. */
export function statusOf(error: unknown): number | undefined {
  return (error as { readonly statusCode?: number }).statusCode
}

/** For `catch`: a thing that the engine does not have is undefined. */
export function ifThere(error: unknown): undefined {
  if (statusOf(error) !== NOT_FOUND) throw error
}

export function shortened(message: string): string {
  return keepEnds(message.trim().split('\n', 1)[0] ?? '', LONGEST)
}

type Layer = {
  readonly state: 'waits' | 'comes' | 'is here' | 'is unpacked'
  readonly has: number
  readonly of: number
}

const STATES: Readonly<Record<string, Layer['state']>> = {
  'Pulling fs layer': 'waits',
  Waiting: 'waits',
  Downloading: 'comes',
  'Verifying Checksum': 'is here',
  'Download complete': 'is here',
  Extracting: 'is here',
  'Pull complete': 'is unpacked',
  'Already exists': 'is unpacked',
}

const MB = 1e6
const GB = 1e9

/**
 * Pull progress, like `pulling python:3.12-slim: 45 %, 120 of 260 MB`. Layer sizes are known when they start, so the
 * percentage appears with the last one.
 * @returns a function giving changed texts, otherwise undefined
 */
export function createPullProgress(image: string): (message: EngineMessage) => string | undefined {
  const layers = new Map<string, Layer>()
  let before = ''
  return ({ id, status, progressDetail }) => {
    const state = STATES[status ?? '']
    if (id === undefined || state === undefined) return undefined
    const { has, of } = layers.get(id) ?? { has: 0, of: 0 }
    const size = state === 'comes' ? (progressDetail?.total ?? of) : of
    layers.set(id, { state, has: state === 'comes' ? (progressDetail?.current ?? has) : size, of: size })
    const progressText = pullText(image, [...layers.values()])
    if (progressText === before) return undefined
    before = progressText
    return progressText
  }
}

function pullText(image: string, layers: readonly Layer[]): string {
  const unpacked = layers.filter(({ state }) => state === 'is unpacked').length
  const waiting = layers.filter(({ state }) => state === 'waits').length
  if (waiting === 0 && layers.every(({ state }) => state !== 'comes'))
    return `unpacking ${image}: ${unpacked} of ${layers.length} layers`
  const has = layers.reduce((sum, layer) => sum + layer.has, 0)
  const of = layers.reduce((sum, layer) => sum + layer.of, 0)
  if (of === 0) return `pulling ${image}`
  if (waiting > 0) return `pulling ${image}: ${amounts(has, of, 'at least ')}`
  return `pulling ${image}: ${Math.floor((100 * has) / of)} %, ${amounts(has, of, '')}`
}

function amounts(has: number, of: number, least: string): string {
  const [unit, name, digits] = of >= GB ? ([GB, 'GB', 1] as const) : ([MB, 'MB', of < 10 * MB ? 1 : 0] as const)
  return `${(has / unit).toFixed(digits)} of ${least}${(of / unit).toFixed(digits)} ${name}`
}
