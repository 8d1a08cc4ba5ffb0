/** Entries of the queue and the history of a ComfyUI server, as JSON text. Source: docs/spec/comfyui.md, 6. */
import type { RunResult } from '../../../contract/workflows.ts'
import { cachedPictureId } from '../../workflows/rules/runs/cached-picture.ts'
import { isSocketPicture } from '../../workflows/rules/runs/socket-picture.ts'
import { endMessages, type Message, type PromptEnd, startMessage } from './messages.ts'

export type StoredPrompt = {
  readonly promptId: string
  readonly number: number
  readonly payload: string
  readonly document: string | undefined
  readonly clientId: string | undefined
  readonly extra: string
  readonly outputs: readonly string[]
}

// Output keys that ComfyUI's page reads, by media type.
const KINDS: readonly (readonly [prefix: string, key: string])[] = [
  ['image/', 'images'],
  ['video/', 'images'],
  ['audio/', 'audio'],
  ['model/', '3d'],
]

type StoredResults = { readonly results: readonly RunResult[]; readonly previews?: readonly RunResult[] | undefined }

/**
 * Results by node. File names repeat between prompts, so each prompt has a subfolder named after it.
 * @param fallback node of results whose worker named none
 */
export function outputsOf(
  { results, previews = [] }: StoredResults,
  { promptId, fallback }: { readonly promptId: string; readonly fallback: string },
): Readonly<Record<string, Readonly<Record<string, readonly object[]>>>> {
  const outputs = new Map<string, Record<string, object[]>>()
  const add = (type: 'output' | 'temp') => (result: RunResult) => {
    const { node = fallback, filename, mediaType } = result
    const key = KINDS.find(([prefix]) => mediaType.startsWith(prefix))?.[1] ?? 'files'
    const output = outputs.get(node) ?? {}
    outputs.set(node, output)
    output[key] ??= []
    output[key].push({ filename, subfolder: promptId, type, ...sourceOf({ filename, mediaType }) })
    if (mediaType.startsWith('video/')) output.animated = [true as unknown as object]
  }
  results.forEach(add('output'))
  previews.forEach(add('temp'))
  return Object.fromEntries(outputs)
}

function sourceOf({ filename, mediaType }: Pick<RunResult, 'filename' | 'mediaType'>) {
  const id = cachedPictureId(filename)
  if (id !== undefined) return { source: 'http', id, 'content-type': mediaType }
  return isSocketPicture(filename) ? { source: 'websocket', 'content-type': mediaType } : {}
}

/** JSON of an object, with the document and the client. */
export function extraData({ document, clientId, extra }: StoredPrompt): string {
  const inner = extra.slice(1, -1)
  const all = [
    ...(inner === '' ? [] : [inner]),
    ...(document === undefined ? [] : [`"extra_pnginfo":{"workflow":${document}}`]),
    ...(clientId === undefined ? [] : [`"client_id":${JSON.stringify(clientId)}`]),
  ]
  return `{${all.join(',')}}`
}

export function queueEntry(prompt: StoredPrompt): string {
  const { number, promptId, payload, outputs } = prompt
  return `[${number},${JSON.stringify(promptId)},${payload},${extraData(prompt)},${JSON.stringify(outputs)}]`
}

/** @param times ms since the epoch */
export function historyEntry(
  prompt: StoredPrompt,
  end: PromptEnd,
  times: { readonly startedAt: number; readonly endedAt: number },
): string {
  const { promptId } = prompt
  const all: readonly Message[] = [
    startMessage(promptId, times.startedAt),
    ...endMessages(promptId, end, times.endedAt),
  ]
  const isDone = end.status === 'COMPLETED'
  const status = {
    status_str: isDone ? 'success' : 'error',
    completed: isDone,
    messages: all.filter(({ type }) => type.startsWith('execution_')).map(({ type, data }) => [type, data]),
  }
  const nodes = Object.keys(end.outputs)
  const meta = Object.fromEntries(
    nodes.map((id) => [id, { node_id: id, display_node: id, parent_node: null, real_node_id: id }]),
  )
  const rest = JSON.stringify({ outputs: end.outputs, status, meta }).slice(1)
  return `{"prompt":${queueEntry(prompt)},${rest}`
}
