/**
 * The line that says what a command waits for, where a person watches a terminal; elsewhere it is notes, or nothing.
 */
import { type Output, plainText } from './output.ts'
import type { Surroundings } from './surroundings.ts'

// What a shell shows for a process that Ctrl+C ended: 128 + SIGINT.
const INTERRUPTED = 130

// What the spinner puts around its message: a sign before it and the time after it, like `◒  ...  [12s]`.
const AROUND = 16

/**
 * Shows that a command waits, where a person watches a terminal. Elsewhere the task's reasons are notes, each once.
 * @param task shows with its argument what it waits for; an empty text: nothing to say
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
  // The spinner takes Ctrl+C for itself and ends the process with 0.
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

/**
 * Makes what shows why a command waits that prints lines meanwhile: the last line of a terminal, else notes, each once.
 * An empty text clears the line, which is to be done before anything is printed.
 */
export function createReasons(output: Output, surroundings: Surroundings): (reason: string) => void {
  if (output.json) return () => undefined
  if (!redrawsLines(surroundings)) return createNotes(output)
  const draw = createStatusLine(output, surroundings)
  return (reason) => draw(reason === '' ? '' : `waits: ${output.asCalled(reason)}`)
}

// A line can be redrawn only in a terminal that tells how wide it is.
function redrawsLines({ stdout }: Surroundings): boolean {
  return stdout.isTTY === true && (stdout.columns ?? 0) > 0
}

/** Notes on stderr for those who read a log: a reason that differs in its times alone is no news. */
function createNotes(output: Output): (reason: string) => void {
  let before = ''
  return (reason) => {
    const news = reason.replace(/\d+/g, '0')
    if (news !== '' && news !== before) output.note(`waits: ${reason}`)
    before = news
  }
}

const CLEAR_LINE = '\r\x1b[2K'

/**
 * Makes what shows the present state in the last line of a terminal; elsewhere it shows nothing. An empty text clears
 * the line, which is to be done before anything else is printed.
 */
export function createStatusLine(
  output: Pick<Output, 'json'>,
  { stdout }: Pick<Surroundings, 'stdout'>,
): (text: string) => void {
  // A line can be redrawn only where it is known how wide it is.
  const columns = !output.json && stdout.isTTY === true ? (stdout.columns ?? 0) : 0
  return (text) => {
    const line = plainText(text).replaceAll('\n', ' ')
    if (columns > 0) stdout.write(CLEAR_LINE + line.slice(0, columns - 1))
  }
}
