import clsx from 'clsx'
import { asText } from '../../../../src-main/domain/workflow/json/value.ts'
import { type ControlProps, frameOf } from './control-props.ts'

/** On or off, in the words of its class. */
export function SwitchWidget({ id, name, label, input, size, widget, faultId, set }: ControlProps) {
  const isOn = widget.value === true
  const on = asText(input.options.get('label_on')) ?? 'on'
  const off = asText(input.options.get('label_off')) ?? 'off'
  return (
    <button
      id={id}
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={name}
      aria-describedby={faultId}
      onClick={() => set(!isOn)}
      className={clsx(frameOf(size), 'nodrag w-full text-left')}
    >
      {size === 'node' && <span className="min-w-0 flex-1 truncate text-ink-2">{label}</span>}
      <span className={clsx('truncate', size === 'panel' && 'flex-1')}>{isOn ? on : off}</span>
      <span
        aria-hidden
        className={clsx(
          'relative h-3 w-5 shrink-0 rounded-full border',
          isOn ? 'border-accent bg-accent' : 'border-line-strong',
        )}
      >
        <span
          className={clsx(
            'absolute top-px size-2 rounded-full',
            isOn ? 'right-px bg-on-accent' : 'left-px bg-line-strong',
          )}
        />
      </span>
    </button>
  )
}
