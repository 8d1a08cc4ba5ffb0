import type { Output } from './output.ts'
import { plainWords } from './plain-words.ts'
import type { Surroundings } from './surroundings.ts'

const CLEAR_LINE = '\r\x1b[2K'

/**
 * Makes what shows the present state in the last line of a terminal; elsewhere it shows nothing. An empty text clears the
 * line, which is to be done before anything else is printed.
 */
export function createStatusLine(
  output: Pick<Output, 'json'>,
  { stdout }: Pick<Surroundings, 'stdout'>,
): (text: string) => void {
  // A line can be redrawn only where it is known how wide it is.
  const columns = !output.json && stdout.isTTY === true ? (stdout.columns ?? 0) : 0
  return (text) => {
    if (columns > 0) stdout.write(CLEAR_LINE + plainWords(text).slice(0, columns - 1))
  }
}
