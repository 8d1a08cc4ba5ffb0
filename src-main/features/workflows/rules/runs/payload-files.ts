import { asText } from '../../../../lib/json/plain.ts'
import { isArray, type JsonObject } from '../../../../lib/json/value.ts'
import { typeOfPayloadNode } from '../dynamic-inputs.ts'
import { takesFile } from '../input-type.ts'
import type { NodeTypes } from '../node-types.ts'
import { readPayloadNodes } from '../payload.ts'

// Endings of loadable files; sampler inputs never look like this.
const MEDIA_FILE = /\.(?:png|jpe?g|webp|gif|avif|bmp|svg|mp4|webm|mov|mkv|mp3|ogg|flac|wav|m4a|txt|glb|latent)$/i
const NAME_LENGTH_MAX = 255
const FILES_MAX = 1000

/**
 * Finds possible file names, so that these files stay stored; `a.png [input]` includes the folder.
 * @param value JSON of `lib/json/plain` or `lib/json/value`
 */
export function filesIn(value: unknown): readonly string[] {
  const found = new Set<string>()
  const visit = (one: unknown): void => {
    if (found.size >= FILES_MAX) return
    if (typeof one === 'string') {
      const name = one.length > 2 * NAME_LENGTH_MAX ? one : withoutFolder(one).trim()
      if (name.length <= NAME_LENGTH_MAX && MEDIA_FILE.test(name)) found.add(name)
    } else if (typeof one === 'object' && one !== null)
      for (const inner of one instanceof Map ? one.values() : Object.values(one)) visit(inner)
  }
  visit(value)
  return [...found]
}

const withoutFolder = (name: string): string => name.replace(/ \[(?:input|output|temp)\]$/, '')

export type WantedFile = { readonly node: string; readonly input: string; readonly name: string }

// Loaders that every server has, if the class is unknown.
const LOADERS: ReadonlyMap<string, string> = new Map([
  ['LoadImage', 'image'],
  ['LoadImageMask', 'image'],
  ['LoadAudio', 'audio'],
  ['LoadVideo', 'file'],
])

export function imagesOf(payload: JsonObject, types: NodeTypes): readonly WantedFile[] {
  return readPayloadNodes(payload).flatMap((node) => {
    const { id, classType, inputs } = node
    const type = typeOfPayloadNode(node, types)
    const known = type?.inputs.filter(takesFile).map(({ name }) => name)
    const names = known === undefined || known.length === 0 ? [LOADERS.get(classType)] : known
    return names.flatMap((input): readonly WantedFile[] => {
      const value = input === undefined ? undefined : inputs.get(input)
      const name = isArray(value) ? undefined : asText(value)
      return input === undefined || name === undefined || name === ''
        ? []
        : [{ node: id, input, name: withoutFolder(name) }]
    })
  })
}

// Enough for a graph's prompts; a search reads this much of 10,000 runs.
const WORDS_LENGTH_MAX = 4000
const TEXT_MAX = 1500

export function wordsOf(payload: JsonObject, title: string, label = ''): string {
  const texts = readPayloadNodes(payload).flatMap(({ inputs }) =>
    [...inputs.values()].flatMap((value) => (typeof value === 'string' ? [value.slice(0, TEXT_MAX)] : [])),
  )
  return [title, label, ...new Set(texts)].join('\n').slice(0, WORDS_LENGTH_MAX).toLowerCase()
}
