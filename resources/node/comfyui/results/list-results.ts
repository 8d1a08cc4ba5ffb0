import { cachedPictureName } from '../../../../src-main/features/workflows/rules/runs/cached-picture.ts'
import { isArray, isNumber, isObject, type JsonObject, type JsonValue } from '../../../../src-main/lib/json/value.ts'
import { textIn } from '../progress/server-message.ts'
import { pythonText } from '../prompt/python-text.ts'

export type ListedFile = {
  readonly kind: 'file'
  readonly node: string
  readonly filename: string
  readonly subfolder: string
  readonly type: string
}

/** A picture that its node keeps in memory, as those of Krita's plug-in do. */
export type CachedPicture = {
  readonly kind: 'cached'
  readonly node: string
  readonly filename: string
  readonly id: string
}

export type ListedResult =
  | ListedFile
  | CachedPicture
  | { readonly kind: 'text'; readonly node: string; readonly filename: string; readonly text: string }
  | { readonly kind: 'sent'; readonly node: string; readonly filename: string; readonly bytes: Uint8Array }

// Each is requested from the server. Source: ours, twice what the gallery keeps.
const RESULTS_MAX = 1000
const CACHE_ID = /^[\w-]{1,100}$/
const PREVIEWS_MAX = 100

/**
 * Lists files and texts under any key. Temporary files, as of PreviewImage, are previews, as in the public image
 * worker.
 */
export function listResults(outputs: JsonObject) {
  const results: ListedResult[] = []
  const previews: ListedFile[] = []
  const faults: string[] = []
  let leftOut = 0
  for (const [node, output] of outputs) {
    if (!isObject(output)) continue
    for (const [key, list] of output) {
      for (const [at, item] of (isArray(list) ? list : [list]).entries()) {
        const found = readItem(item, node, key, at)
        if (isPreview(found)) previews.push(found)
        else if (found !== undefined && results.length + faults.length >= RESULTS_MAX) leftOut += 1
        else if (typeof found === 'string') faults.push(found)
        else if (found !== undefined) results.push(found)
      }
    }
  }
  if (leftOut > 0) faults.push(`${leftOut} more results were left out: the limit of a job is ${RESULTS_MAX}.`)
  return { results, previews: previews.slice(0, PREVIEWS_MAX), faults }
}

const isPreview = (found: ListedResult | string | undefined): found is ListedFile =>
  typeof found === 'object' && found.kind === 'file' && found.type === 'temp'

function readItem(item: JsonValue, node: string, key: string, at: number): ListedResult | string | undefined {
  if (typeof item === 'string') {
    const filename = `${node.replace(/[^\w.-]/g, '_')}_${key.replace(/[^\w.-]/g, '_')}${at === 0 ? '' : `_${at + 1}`}.txt`
    return item === '' ? undefined : { kind: 'text', node, filename, text: item }
  }
  if (!isObject(item) || isNumber(item)) return undefined
  const [filename, type] = [textIn(item, 'filename') ?? '', textIn(item, 'type')]
  const source = textIn(item, 'source')
  if (source === 'websocket') return undefined // it came over the socket
  const id = source === 'http' ? textIn(item, 'id') : undefined
  if (id !== undefined && CACHE_ID.test(id)) {
    const format = /^image\/(\w+)$/.exec(textIn(item, 'content-type') ?? '')?.[1] ?? 'png'
    return { kind: 'cached', node, filename: cachedPictureName(id, format), id }
  }
  if (type === undefined || (type === 'temp' && filename === '')) return undefined
  if (filename === '') return `Skipping image in node ${node} due to missing filename: ${pythonText(item)}`
  return { kind: 'file', node, filename, subfolder: textIn(item, 'subfolder') ?? '', type }
}
