/**
 * Reads a body up to a size limit.
 * @returns undefined when it is larger; the rest is not read
 */
export async function readBounded(answer: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const told = Number(answer.headers.get('content-length') ?? 0)
  const parts: Uint8Array[] = []
  let length = 0
  const isTooLarge = told > maxBytes
  if (answer.body === null) return new Uint8Array()
  const reader = answer.body.getReader()
  while (!isTooLarge && length <= maxBytes) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(parts)
    parts.push(value)
    length += value.length
  }
  await reader.cancel()
  return undefined
}
