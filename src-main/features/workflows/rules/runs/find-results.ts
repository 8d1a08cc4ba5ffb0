import { isRecord } from '../../../../lib/json/plain.ts'

/**
 * Results of an image worker: `images` list, older `message`, any medium; data URIs are cut up to the first comma.
 * Source: docs/spec/image-workflows.md, 5.
 */

export type FoundResult = {
  readonly filename: string | undefined
  readonly node: string | undefined
  readonly content:
    | { readonly kind: 'base64'; readonly data: string }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'address'; readonly url: string }
}

export type FoundResults = { readonly results: readonly FoundResult[]; readonly errors: readonly string[] }

// Keys for file lists; `images` is the public one.
const LISTS = ['images', 'videos', 'gifs', 'audio', 'files']
const NODE_MAX = 500
const RESULTS_MAX = 500

export function findResults(output: unknown): FoundResults {
  if (typeof output === 'string') return { results: fromMessage(output), errors: [] }
  if (!isRecord(output)) return { results: [], errors: [] }
  const listed = LISTS.flatMap((key) => listOf(output[key])).flatMap(fromItem)
  const isError = output.status === 'error'
  const message = typeof output.message === 'string' ? output.message : undefined
  const reported = listOf(output.errors)
    .filter((one) => typeof one === 'string')
    .slice(0, RESULTS_MAX)
  const errors = isError && message !== undefined ? [message] : []
  const older = listed.length === 0 && !isError && message !== undefined ? fromMessage(message) : []
  const all = [...listed, ...older]
  const cut = all.length > RESULTS_MAX ? [`Only the first ${RESULTS_MAX} of ${all.length} results were stored.`] : []
  return { results: all.slice(0, RESULTS_MAX), errors: [...reported, ...errors, ...cut] }
}

export function findPreviews(output: unknown): readonly FoundResult[] {
  return isRecord(output) ? listOf(output.previews).flatMap(fromItem).slice(0, RESULTS_MAX) : []
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function fromItem(item: unknown): readonly FoundResult[] {
  if (typeof item === 'string') return fromMessage(item)
  if (!isRecord(item)) return []
  const data = firstText(item.data, item.image, item.url)
  if (data === undefined) return []
  const filename = typeof item.filename === 'string' ? item.filename : undefined
  const node = typeof item.node === 'string' && item.node.length <= NODE_MAX ? item.node : undefined
  const content = item.type === 'text' ? { kind: 'text' as const, text: data } : contentOf(data)
  return [{ filename, node, content }]
}

const firstText = (...values: readonly unknown[]) =>
  values.find((value): value is string => typeof value === 'string' && value !== '')

// Words are not pictures; base64 of one is long, without spaces.
function fromMessage(message: string): readonly FoundResult[] {
  const isText =
    !message.startsWith('data:') && !isAddress(message) && (message.length < 64 || /\s/.test(message.slice(0, 1000)))
  return isText ? [] : [{ filename: undefined, node: undefined, content: contentOf(message) }]
}

function contentOf(data: string): FoundResult['content'] {
  if (isAddress(data)) return { kind: 'address', url: data }
  return { kind: 'base64', data: data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data }
}

const isAddress = (text: string) => /^https?:\/\//.test(text.slice(0, 10))

/** Only base64 text decodes to the bytes that the worker sent. */
export function isBase64(text: string): boolean {
  const trimmed = text.trim() // otherwise the pattern would be tried at each trailing space
  return trimmed !== '' && /^[A-Za-z0-9+/_\-\s]*={0,2}$/.test(trimmed)
}

/** Returns the last path part without invalid characters; undefined if empty. */
export function plainName(path: string): string | undefined {
  const last = path.split(/[\\/]/).at(-1) ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
  const clean = last.replace(/[\u0000-\u001f\u007f<>:"|?*]/g, '_').trim()
  return clean === '' || /^\.+$/.test(clean) ? undefined : clean.slice(0, 255)
}

/** `x.png`, `x (1).png`, `x (2).png` ...: names for duplicates. Source: the field's way. */
export function* nameVariants(name: string): Generator<string, void> {
  yield name
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let n = 1; ; n++) yield `${stem} (${n})${ending}`
}
