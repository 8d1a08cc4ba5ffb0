import type { Output } from './output.ts'
import type { Surroundings } from './surroundings.ts'

// What a shell shows for a process that Ctrl+C ended: 128 + SIGINT.
const INTERRUPTED = 130

/** Shows that a command waits, where a person watches a terminal; elsewhere it only runs the task. */
export async function withSpinner<Result>(
  message: string,
  { output, surroundings }: { readonly output: Output; readonly surroundings: Surroundings },
  task: () => Promise<Result>,
): Promise<Result> {
  const { isTTY, columns } = surroundings.stdout
  // A spinner redraws its line, which takes a terminal that tells how wide a line is.
  if (output.json || isTTY !== true || !columns) return task()

  const { spinner } = await import('@clack/prompts')
  const shown = spinner({ indicator: 'timer', withGuide: false })
  // The spinner takes Ctrl+C for itself and ends the process with 0.
  const markInterrupted = () => {
    process.exitCode = INTERRUPTED
  }
  process.once('exit', markInterrupted)
  shown.start(message)
  try {
    return await task()
  } finally {
    shown.clear()
    process.off('exit', markInterrupted)
  }
}
