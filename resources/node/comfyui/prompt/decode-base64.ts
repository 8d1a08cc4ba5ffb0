/** Invalid base64; the message is that of Python's library, which the public image worker shows. */
export class BadBase64 extends Error {}

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
