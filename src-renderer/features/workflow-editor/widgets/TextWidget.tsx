import { asText, type JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { type ControlProps, frameOf } from './control-props.ts'
import { numberText } from './exact-number.ts'
import { useTyping } from './use-typing.ts'

// Python takes a number as its text.
const show = (value: JsonValue | undefined) => asText(value) ?? numberText(value)
const read = (text: string): JsonValue => text

/** One line of text. */
export function TextWidget({ id, name, label, input, size, widget, faultId, isWrong, write, end }: ControlProps) {
  const typing = useTyping({ value: widget.value, show, read, write, end })
  return (
    <div className={frameOf(size)}>
      {size === 'node' && (
        <label htmlFor={id} className="max-w-1/2 shrink-0 truncate text-ink-2">
          {label}
        </label>
      )}
      <input
        id={id}
        aria-label={name}
        aria-invalid={isWrong}
        aria-describedby={faultId}
        autoComplete="off"
        placeholder={asText(input.options.get('placeholder'))}
        value={typing.text}
        onChange={({ target }) => typing.type(target.value)}
        onBlur={typing.leave}
        onKeyDown={({ key, ctrlKey, metaKey }) => {
          if (key === 'Enter' || ctrlKey || metaKey) typing.flush()
          if (key === 'Escape') typing.cancel()
        }}
        className={
          size === 'node'
            ? 'nodrag w-full min-w-0 bg-transparent text-right outline-none'
            : 'w-full min-w-0 bg-transparent outline-none'
        }
      />
    </div>
  )
}
