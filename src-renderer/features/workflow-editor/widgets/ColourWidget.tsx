import { type ControlProps, frameOf } from './control-props.ts'
import { valueText } from './exact-number.ts'
import { LineInput } from './LineInput.tsx'
import { asItIs, useTyping } from './use-typing.ts'

const HEX = /^#[0-9a-f]{6}$/i

/** A colour: picked, or typed as `#rrggbb` or whatever its node takes. */
export function ColourWidget({ id, name, label, size, widget, faultId, isWrong, write, end }: ControlProps) {
  const typing = useTyping({ value: widget.value, show: valueText, read: asItIs, write, end })
  const picked = HEX.test(typing.text) ? typing.text : '#000000'
  return (
    <div className={frameOf(size)}>
      {size === 'node' && (
        <label htmlFor={id} className="min-w-0 flex-1 truncate text-ink-2">
          {label}
        </label>
      )}
      <LineInput
        id={id}
        name={name}
        isWrong={isWrong}
        faultId={faultId}
        typing={typing}
        spellCheck={false}
        className="nodrag w-20 min-w-0 grow bg-transparent font-mono outline-none"
      />
      <input
        type="color"
        aria-label={`Pick ${name}`}
        value={picked}
        onChange={({ target }) => write(target.value)}
        onBlur={end}
        className="nodrag h-4 w-6 shrink-0 cursor-pointer rounded-control border border-line-strong bg-transparent p-0"
      />
    </div>
  )
}
