/** Shows why a command waits: a line on a terminal, otherwise notes, or nothing. */
import { type Output, plainText } from './output.ts'
import type { Surroundings } from './surroundings.ts'

// Exit code of shells for a process that Ctrl+C ended: 128 + SIGINT.
const INTERRUPTED = 130

const AROUND = 16

/**
 * Without a terminal, each reason is printed once.
 * @param task shows a reason by its argument; empty: none
 */
export async function withSpinner<Result>(
  message: string,
  { output, surroundings }: { readonly output: Output; readonly surroundings: Surroundings },
  task: (show: (reason: string) => void) => Promise<Result>,
): Promise<Result> {
  if (output.json) return task(() => undefined)
  if (!redrawsLines(surroundings)) return task(createNotes(output))

  const { spinner } = await import('@clack/prompts')
  const shown = spinner({ indicator: 'timer', withGuide: false })
  // The spinner handles Ctrl+C itself and exits with 0.
  const markInterrupted = () => {
    process.exitCode = INTERRUPTED
  }
  process.once('exit', markInterrupted)
  shown.start(message)
  try {
    return await task((reason) => {
      const text = plainText(reason === '' ? message : `${message}: ${output.asCalled(reason)}`).replace(/\s+/g, ' ')
      shown.message(text.slice(0, Math.max(0, (surroundings.stdout.columns ?? 0) - AROUND)))
    })
  } finally {
    shown.clear()
    process.off('exit', markInterrupted)
  }
}

/** Shows reasons in a terminal's last line, else as notes printed once. Clear it with an empty text before printing. */
export function createReasons(output: Output, surroundings: Surroundings): (reason: string) => void {
  if (output.json) return () => undefined
  if (!redrawsLines(surroundings)) return createNotes(output)
  const draw = createStatusLine(output, surroundings)
  return (reason) => draw(reason === '' ? '' : `waits: ${output.asCalled(reason)}`)
}

function redrawsLines({ stdout }: Surroundings): boolean {
  return stdout.isTTY === true && (stdout.columns ?? 0) > 0
}

function createNotes(output: Output): (reason: string) => void {
  let before = ''
  return (reason) => {
    const news = reason.replace(/\d+/g, '0')
    if (news !== '' && news !== before) output.note(`waits: ${reason}`)
    before = news
  }
}

const CLEAR_LINE = '\r\x1b[2K'

/** Shows the state in a terminal's last line, elsewhere nothing. Clear it with an empty text before printing. */
export function createStatusLine(
  output: Pick<Output, 'json'>,
  { stdout }: Pick<Surroundings, 'stdout'>,
): (text: string) => void {
  const columns = !output.json && stdout.isTTY === true ? (stdout.columns ?? 0) : 0
  return (text) => {
    const line = plainText(text).replaceAll('\n', ' ')
    if (columns > 0) stdout.write(CLEAR_LINE + line.slice(0, columns - 1))
  }
}
