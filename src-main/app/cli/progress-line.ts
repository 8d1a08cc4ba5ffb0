import { PROGRESS_MARK, PROGRESS_VARIABLE } from '../../contract/command-variables.ts'
import { duration, type Output, plainText } from './output.ts'
import type { Surroundings } from './surroundings.ts'

const TICK_MS = 1000

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

  // Not the spinner of a library: in raw mode Ctrl+C is a key, so a command could not answer it.
  const draw = createStatusLine(output, surroundings)
  const beganAt = surroundings.now()
  let shown = message
  const redraw = () => draw(`${shown} [${duration(surroundings.now() - beganAt)}]`)
  const ticks = setInterval(redraw, TICK_MS)
  redraw()
  try {
    return await task((reason) => {
      shown = reason === '' ? message : `${message}: ${output.asCalled(reason)}`
      redraw()
    })
  } finally {
    clearInterval(ticks)
    draw('')
  }
}

/** Like `createStatusLine`, but prints each reason once as a note if there is no terminal. */
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

/** Does nothing without a terminal. Clear it with an empty text before printing. */
export function createStatusLine(
  output: Pick<Output, 'json'>,
  { stdout, stderr, env }: Pick<Surroundings, 'stdout' | 'stderr' | 'env'>,
): (text: string) => void {
  const isRead = env[PROGRESS_VARIABLE] === 'lines'
  const columns = !output.json && stdout.isTTY === true ? (stdout.columns ?? 0) : 0
  return (text) => {
    const line = plainText(text).replaceAll('\n', ' ')
    if (isRead && line !== '') stderr.write(`${PROGRESS_MARK}${line}\n`)
    else if (columns > 0) stdout.write(CLEAR_LINE + line.slice(0, columns - 1))
  }
}
