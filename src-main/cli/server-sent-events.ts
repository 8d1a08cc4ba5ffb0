/** One server-sent event; `event` is `message` where the sender names none. */
export type ServerSentEvent = { readonly id: string | undefined; readonly event: string; readonly data: string }

/** Cuts a body of type text/event-stream into its events. Comments and unknown fields are skipped. */
export async function* readEvents(body: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let rest = ''
  let block: string[] = []
  for await (const piece of body) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line
      if (text !== '') {
        block.push(text)
        continue
      }
      const event = eventOf(block)
      block = []
      if (event !== undefined) yield event
    }
  }
  // An event without the empty line after it was cut off, and is not one.
}

/** The event of the lines between two empty lines; undefined where they hold no data. */
function eventOf(lines: readonly string[]): ServerSentEvent | undefined {
  const data: string[] = []
  let id: string | undefined
  let event = 'message'
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') data.push(value)
    else if (name === 'id') id = value
    else if (name === 'event') event = value
  }
  return data.length === 0 ? undefined : { id, event, data: data.join('\n') }
}
