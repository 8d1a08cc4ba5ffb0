/** A masked picture is a separate file that names its original, which stays and is where painting resumes. */
import { decode, encode } from 'fast-png'
import type { Caller } from '../../../api-client/client.ts'
import { assetAddress, nameInWidget, uploadAsset } from '../widgets/upload-asset.ts'
import { type Mask, maskOf, withMask } from './mask.ts'

export type MaskedPicture = {
  readonly original: string
  readonly width: number
  readonly height: number
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  readonly mask: Mask
}

// Keyword of the PNG text that names the original, encoded like an address, because such texts are Latin-1.
const MASK_OF = 'drydock-mask-of'
const BYTE = 8
const CHANNELS = 4

export async function readMasked(client: Caller, value: string): Promise<MaskedPicture> {
  const name = nameInWidget(value)
  const file = await readFile(client, name)
  if (file === undefined) throw new Error(`${name} is not on this machine. Upload it first.`)
  const { width, height, pixels, original } = await readPixels(file, name)
  const mask = maskOf(pixels, width, height)
  if (original === undefined) return { original: name, width, height, pixels, mask }
  const source = await readFile(client, original)
  const read = source && (await readPixels(source, original))
  // The name may belong to another picture by now.
  const isSame = read?.width === width && read.height === height
  return { original, width, height, pixels: isSame ? read.pixels : pixels, mask }
}

export async function storeMasked(client: Caller, { original, ...picture }: MaskedPicture, mask: Mask) {
  const { width, height, pixels } = picture
  const text = { [MASK_OF]: encodeURIComponent(original) }
  const png = encode({ width, height, data: withMask(pixels, mask), channels: CHANNELS, depth: BYTE, text })
  const name = `${original.replace(/\.[^./]*$/, '')}-masked.png`
  return uploadAsset(client, new Blob([png.slice()], { type: 'image/png' }), name)
}

async function readFile(client: Caller, name: string): Promise<Blob | undefined> {
  const { assets } = await client.call('assetFind', { query: { name } })
  const [asset] = assets
  const response = asset && (await fetch(assetAddress(asset.id)))
  return response?.ok ? response.blob() : undefined
}

type Pixels = Pick<MaskedPicture, 'width' | 'height' | 'pixels'> & { readonly original: string | undefined }

async function readPixels(file: Blob, name: string): Promise<Pixels> {
  const exact = readPng(new Uint8Array(await file.arrayBuffer()))
  if (exact !== undefined) return exact
  const bitmap = await createImageBitmap(file).catch((cause: unknown) => {
    throw new Error(`${name} is not a picture that a browser can read.`, { cause })
  })
  const { width, height } = bitmap
  const context = new OffscreenCanvas(width, height).getContext('2d')
  if (context === null) throw new Error('This browser cannot draw pictures.')
  context.drawImage(bitmap, 0, 0)
  return { width, height, pixels: context.getImageData(0, 0, width, height).data, original: undefined }
}

// A canvas loses the colours of transparent pixels, which workers use.
function readPng(bytes: Uint8Array): Pixels | undefined {
  try {
    const { width, height, data, depth, channels, text } = decode(bytes)
    if (depth !== BYTE || channels !== CHANNELS) return undefined
    const original = text?.[MASK_OF]
    const pixels = Uint8ClampedArray.from(data)
    return { width, height, pixels, original: original === undefined ? undefined : decodeURIComponent(original) }
  } catch {
    // Not a PNG, or an unsupported one; the browser decides whether it is a picture.
    return undefined
  }
}
