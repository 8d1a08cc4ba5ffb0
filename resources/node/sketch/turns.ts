/** Long work in pieces, so that the event loop has its turn: a cancel is to be heard within 100 ms. */
import { setImmediate as turn } from 'node:timers/promises'

// How long a piece may be, in ms. Source: ours, a quarter of the 100.
const PIECE_MS = 25

/** Does something for each row. @throws what the signal was aborted with */
export async function eachRow(rows: number, work: (row: number) => void, signal: AbortSignal): Promise<void> {
  let until = performance.now() + PIECE_MS
  for (let row = 0; row < rows; row += 1) {
    work(row)
    if (performance.now() < until) continue
    await nextTurn(signal)
    until = performance.now() + PIECE_MS
  }
}

/** Lets other work go first. @throws what the signal was aborted with */
export async function nextTurn(signal: AbortSignal): Promise<void> {
  await turn()
  signal.throwIfAborted()
}
