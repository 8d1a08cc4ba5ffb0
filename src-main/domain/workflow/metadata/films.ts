/** Tags of MP4 and MOV films, by which a film holds the graph that made it. Source: editor research, 4; QuickTime keys. */
import { boxesOf, boxIn, brandOf } from './boxes.ts'
import { type ByteTools, latin1, type PictureText, viewOf } from './bytes.ts'

const FULL_BOX = 4
const KEY_HEAD = 8
const DATA_HEAD = 8
const KEYS_MAX = 1000

/** The tags of a film. */
export function readFilmTexts(bytes: Uint8Array, tools: ByteTools): readonly PictureText[] {
  const brand = brandOf(bytes)
  if (brand === undefined || brand === 'avif' || brand === 'avis') return []
  const moov = boxIn(bytes, 'moov')
  const metas = [boxIn(moov, 'meta'), boxIn(boxIn(moov, 'udta'), 'meta')]
  return metas.flatMap((meta) => (meta === undefined ? [] : tagsOf(meta, tools)))
}

// QuickTime writes the box without version and flags.
function tagsOf(meta: Uint8Array, tools: ByteTools): readonly PictureText[] {
  const boxes = [boxesOf(meta), boxesOf(meta.subarray(FULL_BOX))].find((list) => list.some(isItems)) ?? []
  const items = boxes.find(isItems)?.data
  const keys = boxes.find(({ type }) => type === 'keys')?.data
  const names = keys === undefined ? [] : namesOf(keys, tools)
  if (items === undefined) return []
  return boxesOf(items).flatMap(({ type, data }) => {
    const text = boxIn(data, 'data')
    const keyword = names[viewOf(Uint8Array.from(type, (sign) => sign.charCodeAt(0))).getUint32(0) - 1] ?? ITEMS[type]
    return text === undefined || keyword === undefined ? [] : [{ keyword, text: tools.utf8(text.subarray(DATA_HEAD)) }]
  })
}

const isItems = ({ type }: { readonly type: string }): boolean => type === 'ilst'

// Of films whose items have names of their own.
const ITEMS: Readonly<Record<string, string>> = { '\u00a9cmt': 'comment', '\u00a9des': 'description' }

function namesOf(keys: Uint8Array, { utf8 }: ByteTools): readonly string[] {
  if (keys.length < KEY_HEAD) return []
  const view = viewOf(keys)
  const count = Math.min(KEYS_MAX, view.getUint32(FULL_BOX))
  const names: string[] = []
  for (let at = KEY_HEAD; names.length < count && at + KEY_HEAD <= keys.length; ) {
    const length = view.getUint32(at)
    if (length < KEY_HEAD || latin1(keys.subarray(at + 4, at + KEY_HEAD)) !== 'mdta') break
    names.push(utf8(keys.subarray(at + KEY_HEAD, at + length)))
    at += length
  }
  return names
}
