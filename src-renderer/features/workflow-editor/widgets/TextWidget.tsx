import { asText } from '../../../../src-main/domain/workflow/json/value.ts'
import { type ControlProps, frameOf } from './control-props.ts'
import { valueText } from './exact-number.ts'
import { LineInput } from './LineInput.tsx'
import { asItIs, useTyping } from './use-typing.ts'
import { isListUnknown } from './widget-kind.ts'

/** One line of text. */
export function TextWidget({ id, name, label, input, size, widget, faultId, isWrong, write, end }: ControlProps) {
  const typing = useTyping({ value: widget.value, show: valueText, read: asItIs, write, end })
  return (
    <div className={frameOf(size)}>
      {size === 'node' && (
        <label htmlFor={id} className="max-w-1/2 shrink-0 truncate text-ink-2">
          {label}
        </label>
      )}
      <LineInput
        id={id}
        name={name}
        isWrong={isWrong}
        faultId={faultId}
        typing={typing}
        placeholder={isListUnknown(input) ? 'type a name' : asText(input.options.get('placeholder'))}
        className={
          size === 'node'
            ? 'nodrag w-full min-w-0 bg-transparent text-right outline-none'
            : 'w-full min-w-0 bg-transparent outline-none'
        }
      />
    </div>
  )
}
