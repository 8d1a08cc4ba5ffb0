import clsx from 'clsx'
import { parseJson } from '../../../../src-main/domain/workflow/json/parse.ts'
import type { JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { writeJson } from '../../../../src-main/domain/workflow/json/write.ts'
import type { ControlProps } from './control-props.ts'
import { useTyping } from './use-typing.ts'

// Longer ones are data, like a drawing, which nobody changes by hand.
const LONGEST = 100_000

const show = (value: JsonValue | undefined) => (value === undefined ? '' : writeJson(value))

function read(text: string): JsonValue | undefined {
  const parsed = parseJson(text)
  return parsed.kind === 'value' ? parsed.value : undefined
}

/** A value of a type that has no control of its own: its JSON, which is taken over as soon as it is some. */
export function JsonWidget({ id, name, label, input, size, widget, faultId, isWrong, write, end }: ControlProps) {
  const typing = useTyping({ value: widget.value, show, read, write, end })
  const isTooLong = typing.text.length > LONGEST
  return (
    <div className={clsx('flex min-w-0 flex-col gap-0.5', size === 'node' && 'min-h-12 flex-1')}>
      {size === 'node' && (
        <label htmlFor={id} className="truncate text-small text-ink-2">
          {label} {input.type !== '*' && `(${input.type})`}
        </label>
      )}
      <textarea
        id={id}
        aria-label={name}
        aria-invalid={typing.isWrong || isWrong}
        aria-describedby={faultId}
        spellCheck={false}
        readOnly={isTooLong}
        value={isTooLong ? `${typing.text.slice(0, LONGEST)}…` : typing.text}
        onChange={({ target }) => typing.type(target.value)}
        onBlur={typing.leave}
        onKeyDown={({ ctrlKey, metaKey }) => (ctrlKey || metaKey) && typing.flush()}
        className={clsx(
          'nodrag nowheel nopan w-full flex-1 rounded-control border px-1.5 py-1 font-mono text-small outline-none focus:border-accent aria-invalid:border-failed',
          size === 'node'
            ? 'min-h-7 resize-none border-line bg-surface-2'
            : 'min-h-16 resize-y border-line-strong bg-surface-1',
        )}
      />
      {typing.isWrong && <p className="text-small text-failed-ink">This is no JSON yet; the value stays as it was.</p>}
    </div>
  )
}
