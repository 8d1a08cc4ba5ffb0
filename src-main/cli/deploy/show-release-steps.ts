import type { ReleaseStep } from '../../contract/app.ts'
import type { Colour, Output } from '../output.ts'
import type { Surroundings } from '../surroundings.ts'

// More lines than these may leave the screen, where nothing can be redrawn; source: a terminal has 24 at least.
const REDRAWN_AT_MOST = 20
const STATE_WIDTH = 'unchanged'.length
const CLEAR_LINE = '\x1b[2K'

/** Shows how far a release is. */
export type ShownSteps = {
  readonly tell: (steps: readonly ReleaseStep[]) => void
  /** What is written next stands below, and later steps stand below that. */
  readonly leave: () => void
}

/** Shows each endpoint of a release on a line: redrawn in place on a terminal, else printed whenever it changes. */
export function showReleaseSteps(output: Output, { stdout }: Pick<Surroundings, 'stdout'>): ShownSteps {
  const columns = !output.json && stdout.isTTY === true ? (stdout.columns ?? 0) : 0
  const shown = new Map<string, string>()
  let drawn = 0

  function print(steps: readonly ReleaseStep[], width: number): void {
    for (const step of steps) {
      const line = stepLine(output, step, { width })
      if (shown.get(step.resource) === line) continue
      shown.set(step.resource, line)
      output.line(line)
    }
  }

  function redraw(steps: readonly ReleaseStep[], width: number): void {
    const lines = steps.map((step) => stepLine(output, step, { width, columns }))
    const up = drawn === 0 ? '' : `\x1b[${drawn}A`
    stdout.write(up + lines.map((line) => `${CLEAR_LINE}${line}\n`).join(''))
    drawn = lines.length
  }

  return {
    tell(steps) {
      // A service that was started again knows them no more.
      if (output.json || steps.length === 0) return
      const width = Math.max(...steps.map(({ resource }) => resource.length))
      if (columns > 0 && steps.length <= REDRAWN_AT_MOST) redraw(steps, width)
      else print(steps, width)
    },
    leave() {
      drawn = 0
    },
  }
}

type Look = { readonly mark: string; readonly colour: Colour; readonly text: string }

function stepLine(
  output: Output,
  step: ReleaseStep,
  { width, columns = Number.POSITIVE_INFINITY }: { readonly width: number; readonly columns?: number },
): string {
  const { mark, colour, text } = lookOf(step)
  const head = ` ${step.resource.padEnd(width)}  ${text.padEnd(STATE_WIDTH)}`
  const [note = ''] = (step.note ?? '').split('\n', 1)
  // A line can be redrawn only as long as it is one.
  const rest = `${head}  ${note}`.trimEnd().slice(0, columns - 1 - mark.length)
  return `${output.paint(colour, mark)}${rest}`
}

function lookOf({ action, state, note }: ReleaseStep): Look {
  if (state === 'failed') return { mark: '✗', colour: 'red', text: 'failed' }
  if (state === 'waiting' || state === 'starting') return { mark: '·', colour: 'gray', text: state }
  if (action === 'unchanged') return { mark: '=', colour: 'gray', text: 'unchanged' }
  if (action === 'delete') return { mark: '-', colour: 'red', text: note === undefined ? 'deleted' : 'kept' }
  // Also when it is done: that it is active is said once, of the release.
  return { mark: '✓', colour: 'green', text: 'ready' }
}
