import { networkReason } from '../../../../src-main/lib/network-error.ts'
import { BridgeFailure } from '../failure.ts'
import { askText, type ComfyServer, isGatewayError, statusSentence } from '../server/comfy-server.ts'
import { pythonText } from './python-text.ts'
import type { InputImage } from './read-input.ts'

// Limit for one picture, in ms; source: worker-comfyui, handler.py.
const UPLOAD_MS = 30_000

/** Invalid base64; the message is that of Python's library, which the public image worker shows. */
class BadBase64 extends Error {}

export async function uploadImages(
  server: ComfyServer,
  images: readonly InputImage[],
  signal: AbortSignal,
): Promise<void> {
  const faults: string[] = []
  let cause: unknown
  for (const image of images) {
    const fault = await upload(server, image, signal).catch((error) => {
      cause = error
      return `Error uploading ${image.name}: ${networkReason(error)}`
    })
    signal.throwIfAborted()
    if (fault !== undefined) faults.push(fault)
  }
  if (faults.length > 0)
    throw new BridgeFailure('Failed to upload one or more input images', { details: faults }, { cause })
}

async function upload(server: ComfyServer, { name, image }: InputImage, signal: AbortSignal) {
  if (typeof name !== 'string') return `Unexpected error uploading ${pythonText(name)}: its name is not text`
  if (typeof image !== 'string') return `Unexpected error uploading ${name}: it is not text`
  if (/^https?:\/\//i.test(image)) return `Error uploading ${name}: URLs are not supported. Send the file as base64`
  if (leavesFolder(name))
    return `Error uploading ${name}: the name is outside the input folder. Use a relative name without ..`
  const form = new FormData()
  try {
    const bytes = decodeBase64(image.slice(image.indexOf(',') + 1))
    const folder = name.lastIndexOf('/')
    form.set('image', new Blob([Uint8Array.from(bytes)], { type: 'image/png' }), name.slice(folder + 1))
    if (folder > 0) form.set('subfolder', name.slice(0, folder))
    form.set('overwrite', 'true')
    const answer = await askText(server, { path: 'upload/image', body: form, timeoutMs: UPLOAD_MS, signal })
    if (isGatewayError(answer.status)) throw new Error(statusSentence(answer))
    return answer.status < 300 ? undefined : `Error uploading ${name}: ${statusSentence(answer)}`
  } catch (error) {
    if (error instanceof BadBase64) return `Error decoding base64 for ${name}: ${error.message}`
    if (error instanceof Error && error.name === 'TimeoutError') return `Timeout uploading ${name}`
    throw error
  }
}

const leavesFolder = (name: string): boolean => /^([\\/]|[a-z]:)/i.test(name) || name.split(/[\\/]/).includes('..')

/**
 * Decodes as Python does by default: skips foreign characters and requires complete padding.
 * @throws BadBase64
 */
export function decodeBase64(text: string): Buffer {
  const clean = text.replace(/[^A-Za-z0-9+/=]/g, '')
  const padded = /^([A-Za-z0-9+/]*)(=*)/.exec(clean)
  const data = padded?.[1] ?? ''
  const padding = padded?.[2]?.length ?? 0
  const rest = data.length % 4
  if (rest === 1)
    throw new BadBase64(
      `Invalid base64-encoded string: number of data characters (${data.length}) cannot be 1 more than a multiple of 4`,
    )
  if (rest > 0 && padding < 4 - rest) throw new BadBase64('Incorrect padding')
  return Buffer.from(data, 'base64')
}
