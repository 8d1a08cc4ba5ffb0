/** What the engine tells while it pulls or builds: JSON documents, one a line. */

/** One of them; which fields there are depends on what is told. */
export type EngineTold = {
  /** Layer that is told of, or tag. */
  readonly id?: string
  readonly status?: string
  readonly progressDetail?: { readonly current?: number; readonly total?: number }
  /** Output of a build. */
  readonly stream?: string
  /** It failed; this is the last one. */
  readonly error?: string
}

/** Reads them as they come. Rejects when the connection breaks or is aborted. */
export async function* readTold(stream: AsyncIterable<string | Uint8Array>): AsyncGenerator<EngineTold> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
  }
  if (rest.trim() !== '') yield JSON.parse(rest)
}
