import { asText, isNumber, type JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { type ControlProps, frameOf } from './control-props.ts'
import { useTyping } from './use-typing.ts'

const HEX = /^#[0-9a-f]{6}$/i
const show = (value: JsonValue | undefined) => asText(value) ?? (isNumber(value) ? value.number : '')
const read = (text: string): JsonValue => text

/** A colour: picked, or typed as `#rrggbb` or whatever its node takes. */
export function ColourWidget({ id, name, label, size, widget, faultId, isWrong, write, end }: ControlProps) {
  const typing = useTyping({ value: widget.value, show, read, write, end })
  const picked = HEX.test(typing.text) ? typing.text : '#000000'
  return (
    <div className={frameOf(size)}>
      {size === 'node' && (
        <label htmlFor={id} className="min-w-0 flex-1 truncate text-ink-2">
          {label}
        </label>
      )}
      <input
        id={id}
        aria-label={name}
        aria-invalid={isWrong}
        aria-describedby={faultId}
        spellCheck={false}
        value={typing.text}
        onChange={({ target }) => typing.type(target.value)}
        onBlur={typing.leave}
        onKeyDown={({ ctrlKey, metaKey }) => (ctrlKey || metaKey) && typing.flush()}
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
