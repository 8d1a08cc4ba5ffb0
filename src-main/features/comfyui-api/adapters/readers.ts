import { scanJson } from '../../../lib/json/scan.ts'
import { mediaTypeOf } from '../../../lib/media.ts'
import { ownBytes } from '../../../lib/node/own-bytes.ts'
import {
  isOpaque,
  type Pixels,
  readPixels,
  withAlphaOf,
  withoutAlpha,
  writeJpeg,
  writePng,
} from '../../../lib/node/pixels.ts'
import { withGraphOf } from '../../workflows/adapters/graph-in-png.ts'
import { lastTypes } from '../../workflows/adapters/last-types.ts'
import type { ComfyuiReaders } from '../ports.ts'
import { checkPrompt } from '../rules/check-prompt.ts'

export const COMFYUI_READERS: ComfyuiReaders = {
  fields(json) {
    const scan = scanJson(json, { maxKeys: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY })
    return typeof scan === 'string' ? { problem: scan } : { fields: scan.fields }
  },
  prompt: (text, asked, types) => checkPrompt(text, asked, lastTypes(types)),
  picture(bytes, form) {
    const pixels = pixelsOf(bytes)
    if (form.kind === 'rgb') return { type: 'image/png', bytes: writePng(withoutAlpha(pixels)) }
    if (form.kind === 'a') {
      const black = { ...pixels, data: new Uint8Array(pixels.data.length) }
      return { type: 'image/png', bytes: writePng(withAlphaOf(black, pixels.data)) }
    }
    if (form.isOpaque || isOpaque(pixels)) return { type: 'image/jpeg', bytes: writeJpeg(pixels, form.quality) }
    return { type: 'image/png', bytes: writePng(pixels) }
  },
  maskedPicture(original, mask) {
    const [colours, alpha] = [pixelsOf(original), pixelsOf(mask)]
    if (colours.width !== alpha.width || colours.height !== alpha.height)
      return { problem: 'its mask has another size' }
    const png = writePng(withAlphaOf(colours, alpha.data))
    return ownBytes(Buffer.from(withGraphOf(png, original)))
  },
}

function pixelsOf(bytes: Uint8Array): Pixels {
  const pixels = readPixels(bytes, mediaTypeOf(bytes))
  if (pixels === undefined) throw new Error('it is not a PNG or JPEG, or it is too large')
  return pixels
}
