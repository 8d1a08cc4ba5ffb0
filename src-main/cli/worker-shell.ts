/**
 * A shell in the container of a worker, at this terminal: every key goes there, also Ctrl+C, until the shell exits. What
 * comes from a pipe is typed, and its end ends the shell.
 */
import { shellOutput } from '../contract/shell.ts'
import type { ServiceClient } from './client.ts'
import type { Surroundings } from './surroundings.ts'

const NO_TERMINAL = { columns: 80, rows: 24 }
// What one call may bring, a quarter of its bytes in characters.
const INPUT_CHARACTERS = 16_000
const END_OF_INPUT = '\u0004'
const AGAIN_AFTER_MS = 200

/** Opens it and stays until its end. @returns why it ended, for a person */
export async function runWorkerShell(
  { client, surroundings }: { readonly client: ServiceClient; readonly surroundings: Surroundings },
  workerId: string,
): Promise<string> {
  const { stdin, stdout } = surroundings
  const size = () => ({
    columns: stdout.columns || NO_TERMINAL.columns,
    rows: stdout.rows || NO_TERMINAL.rows,
  })
  const { shellId } = await client.call('shellOpen', { path: { workerId }, body: size() })
  const path = { shellId }
  const resized = () => void client.call('shellResize', { path, body: size() }).catch(() => undefined)
  const isTerminal = stdin.isTTY === true
  if (isTerminal) stdin.setRawMode?.(true)
  stdout.on?.('resize', resized)
  // What cannot be typed any more has no shell; its output says why.
  type(client, surroundings, shellId).catch(() => undefined)
  try {
    return await show(client, surroundings, shellId)
  } finally {
    stdout.off?.('resize', resized)
    if (isTerminal) stdin.setRawMode?.(false)
    stdin.destroy?.() // open, it would keep the process alive
  }
}

async function show(client: ServiceClient, { stdout, pause }: Surroundings, shellId: string): Promise<string> {
  const decoder = new TextDecoder()
  let seen = 0
  for (;;) {
    const query = { after: seen, follow: 'true' }
    for await (const { event, data } of client.follow('shellOutput', { path: { shellId }, query })) {
      if (event !== 'output') continue
      const piece = shellOutput.parse(JSON.parse(data))
      seen = piece.end
      stdout.write(decoder.decode(Buffer.from(piece.data, 'base64'), { stream: true }))
      if (piece.ended !== undefined) return piece.ended
    }
    await pause(AGAIN_AFTER_MS)
  }
}

// One call after the other, so that the order stays.
async function type(client: ServiceClient, { stdin }: Surroundings, shellId: string): Promise<void> {
  const send = (text: string) => client.call('shellInput', { path: { shellId }, body: { text } })
  const decoder = new TextDecoder()
  for await (const chunk of stdin) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    for (let at = 0; at < text.length; at += INPUT_CHARACTERS) await send(text.slice(at, at + INPUT_CHARACTERS))
  }
  if (stdin.isTTY !== true) await send(END_OF_INPUT)
}
