import type { BuildEvent } from '../contract/build.ts'
import { duration } from './format.ts'
import type { Output } from './output.ts'
import { createStatusLine } from './status-line.ts'
import type { Surroundings } from './surroundings.ts'

const STEP_WIDTH = 14
const TIME_WIDTH = 9

/** What a step tells: that of a build, or one that comes after it. */
type StepEvent = BuildEvent | (DistributiveOmit<BuildEvent, 'step'> & { readonly step: 'upload' })

type DistributiveOmit<Union, Name extends PropertyKey> = Union extends unknown ? Omit<Union, Name> : never

/** Shows the steps of a build or deploy, a line for each with its time; a terminal also shows what the present one does. */
export function showBuildSteps(
  output: Output,
  surroundings: Pick<Surroundings, 'stdout'>,
): { readonly tell: (event: StepEvent) => void; readonly end: () => void } {
  const draw = createStatusLine(output, surroundings)
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
