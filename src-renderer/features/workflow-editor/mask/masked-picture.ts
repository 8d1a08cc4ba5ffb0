/**
 * Reads the picture that a node loads for its mask to be painted, and keeps it with one. The masked picture is a file
 * of its own, which names the one that it was made of: that one stays, and is where painting begins again.
 */
import { decode, encode } from 'fast-png'
import type { AssetView } from '../../../../src-main/contract/workflows.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { assetAddress, nameInWidget, uploadAsset } from '../widgets/upload-asset.ts'
import { type Mask, maskOf, withMask } from './mask.ts'

/** A picture with its mask. */
export type MaskedPicture = {
  /** Of the file without a mask. */
  readonly original: string
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of each pixel. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  readonly mask: Mask
}

// The keyword of the text in a masked picture that names its original, as in an address: such texts are Latin.
const MASK_OF = 'drydock-mask-of'
const BYTE = 8
const CHANNELS = 4

type Client = Pick<ApiClient, 'call'>

/** Reads a picture. @param value of the widget @throws Error with a reason for a person */
export async function readMasked(client: Client, value: string): Promise<MaskedPicture> {
  const name = nameInWidget(value)
  const file = await readFile(client, name)
  if (file === undefined) throw new Error(`${name} is not on this machine. Upload it first.`)
  const { width, height, pixels, original } = await readPixels(file, name)
  const mask = maskOf(pixels, width, height)
  if (original === undefined) return { original: name, width, height, pixels, mask }
  const source = await readFile(client, original)
  const read = source && (await readPixels(source, original))
  // Somebody may have given the name to another picture.
  if (read === undefined || read.width !== width || read.height !== height)
    return { original, width, height, pixels, mask }
  return { original, width, height, pixels: read.pixels, mask }
}

/** Stores a picture with a mask. @returns its file @throws ApiError, Error */
export async function storeMasked(
  client: Client,
  { original, ...picture }: MaskedPicture,
  mask: Mask,
): Promise<AssetView> {
  const { width, height, pixels } = picture
  const text = { [MASK_OF]: encodeURIComponent(original) }
  const png = encode({ width, height, data: withMask(pixels, mask), channels: CHANNELS, depth: BYTE, text })
  return uploadAsset(
    client,
    new Blob([png.slice()], { type: 'image/png' }),
    `${original.replace(/\.[^./]*$/, '')}-masked.png`,
  )
}

async function readFile(client: Client, name: string): Promise<Blob | undefined> {
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

// A canvas forgets the colours of what is transparent, and they count for what a worker makes of it.
function readPng(bytes: Uint8Array): Pixels | undefined {
  try {
    const { width, height, data, depth, channels, text } = decode(bytes)
    if (depth !== BYTE || channels !== CHANNELS) return undefined
    const original = text?.[MASK_OF]
    const pixels = Uint8ClampedArray.from(data)
    return { width, height, pixels, original: original === undefined ? undefined : decodeURIComponent(original) }
  } catch {
    // No PNG, or none that this reader knows; the browser says whether it is a picture.
    return undefined
  }
}
