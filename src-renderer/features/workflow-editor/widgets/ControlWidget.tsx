import clsx from 'clsx'
import { asText } from '../../../../src-main/domain/workflow/json/value.ts'
import type { WidgetView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { type ControlProps, frameOf } from './control-props.ts'

/** What a control may say, in the words of the field, with what each does. */
const MODES: Readonly<Record<string, string>> = {
  fixed: 'stays as it is',
  increment: 'one step up',
  decrement: 'one step down',
  randomize: 'a new random one',
  'increment-wrap': 'the next, after the last the first',
}

/** How the value beside it changes from run to run. */
export function ControlWidget({ id, name, size, widget, set }: ControlProps) {
  const value = asText(widget.value) ?? 'fixed'
  const known = Object.keys(MODES).filter((mode) => mode !== 'increment-wrap' || ofChoice(widget))
  const modes = known.includes(value) ? known : [...known, value]
  return (
    <div className={frameOf(size)}>
      {size === 'node' && (
        <label htmlFor={id} className="min-w-0 shrink truncate text-ink-2">
          after each run
        </label>
      )}
      <select
        id={id}
        aria-label={name}
        value={value}
        onChange={({ target }) => set(target.value)}
        className={clsx(
          'nodrag min-w-0 flex-1 bg-transparent outline-none',
          size === 'node' && 'text-right [text-align-last:right]',
        )}
      >
        {modes.map((mode) => (
          <option key={mode} value={mode} title={MODES[mode]} className="bg-surface-1">
            {mode}
          </option>
        ))}
      </select>
    </div>
  )
}

const ofChoice = ({ input }: WidgetView) => input?.type === 'COMBO'
