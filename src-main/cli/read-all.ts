import type { Surroundings } from './surroundings.ts'

/** Reads standard input to its end, as text. */
export async function readAll(stream: Surroundings['stdin']): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString('utf8')
}
