import type { BuildEvent } from '../contract/build.ts'
import { duration } from './format.ts'
import type { Output } from './output.ts'
import type { Surroundings } from './surroundings.ts'

const STEP_WIDTH = 14
const TIME_WIDTH = 9
const CLEAR_LINE = '\r\x1b[2K'

/** What a step tells: that of a build, or one that comes after it. */
type StepEvent = BuildEvent | (DistributiveOmit<BuildEvent, 'step'> & { readonly step: 'upload' })

type DistributiveOmit<Union, Name extends PropertyKey> = Union extends unknown ? Omit<Union, Name> : never

/** Shows the steps of a build or deploy, a line for each with its time; a terminal also shows what the present one does. */
export function showBuildSteps(
  output: Output,
  { stdout }: Pick<Surroundings, 'stdout'>,
): { readonly tell: (event: StepEvent) => void; readonly end: () => void } {
  // A line can be redrawn only where it is known how wide it is.
  const columns = !output.json && stdout.isTTY === true ? (stdout.columns ?? 0) : 0
  const draw = (text: string) => {
    if (columns > 0) stdout.write(CLEAR_LINE + text.slice(0, columns - 1))
  }
  return {
    end: () => draw(''),
    tell(event) {
      if (output.json) return
      if (event.kind === 'started') draw(`  ${event.step} ...`)
      else if (event.kind === 'progress') draw(`  ${event.step.padEnd(STEP_WIDTH)}${event.text.trim()}`)
      else {
        draw('')
        const mark = output.paint('green', '✓')
        const time = output.paint('gray', duration(event.tookMs).padStart(TIME_WIDTH))
        output.line(`${mark} ${event.step.padEnd(STEP_WIDTH)}${time}  ${event.summary}`)
      }
    },
  }
}
