import { CliError, isUnreachable } from './cli-error.ts'
import type { Output } from './output.ts'
import { createStatusLine } from './progress-line.ts'
import type { StopSignal, Surroundings } from './surroundings.ts'

export const SIGNAL_EXITS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const satisfies Record<StopSignal, number>

// ms. One Ctrl+C may arrive several times, from the terminal's process group and from npm or `timeout`. Source: ours,
// faster than a second press.
const ONE_PRESS_MS = 300

/** Returns a function that tells whether a signal is a press of its own. */
export function createPressCheck(now: () => number): () => boolean {
  let pressedAt = Number.NEGATIVE_INFINITY
  return () => {
    const at = now()
    const sinceMs = at - pressedAt
    // Negative if the clock was set back: that counts as another press.
    if (sinceMs >= 0 && sinceMs <= ONE_PRESS_MS) return false
    pressedAt = at
    return true
  }
}

type Terminal = { readonly output: Output; readonly surroundings: Surroundings }

/**
 * Follows work of the service; a stop signal prints that the work continues, and exits.
 * @param continues how to see or stop the work; undefined if the failure came before it began
 * @throws CliError CONNECTION_LOST
 */
export async function following<Result>(
  continues: (failure?: CliError) => string | undefined,
  { output, surroundings }: Terminal,
  task: () => Promise<Result>,
): Promise<Result> {
  const off = surroundings.onStopSignal((signal) => {
    noteOnOwnLine(continues() ?? '', { output, surroundings })
    surroundings.exitNow(SIGNAL_EXITS[signal])
  })
  try {
    return await task()
  } catch (error) {
    if (!isUnreachable(error)) throw error
    const text = continues(error)
    throw text === undefined
      ? error
      : new CliError('CONNECTION_LOST', { why: error.message, continues: text }, { cause: error })
  } finally {
    off()
  }
}

/**
 * The first stop signal stops the work; a second one exits at once.
 * @returns the result, and the signal that stopped it
 */
export async function stoppingFirst<Result>(
  { output, surroundings }: Terminal,
  { note, stop }: { readonly note: string; readonly stop: () => Promise<Result> },
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<{ readonly result: Result; readonly signal: StopSignal | undefined }> {
  const stopped = Promise.withResolvers<Result>()
  const isNewPress = createPressCheck(surroundings.now)
  const over = new AbortController()
  let stoppedBy: StopSignal | undefined
  const off = surroundings.onStopSignal((signal) => {
    if (!isNewPress()) return
    if (stoppedBy !== undefined) return surroundings.exitNow(SIGNAL_EXITS[signal])
    stoppedBy = signal
    noteOnOwnLine(note, { output, surroundings })
    stopped.resolve(stop())
  })
  try {
    return { result: await Promise.race([task(over.signal), stopped.promise]), signal: stoppedBy }
  } finally {
    off()
    over.abort()
  }
}

function noteOnOwnLine(text: string, { output, surroundings }: Terminal): void {
  createStatusLine(output, surroundings)('')
  output.note(text)
}
