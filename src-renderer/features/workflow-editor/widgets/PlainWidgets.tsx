import clsx from 'clsx'
import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { asText } from '../../../../src-main/lib/json/plain.ts'
import { type JsonValue, writeJson } from '../../../../src-main/lib/json/value.ts'
import { keepStart } from '../../../../src-main/lib/text.ts'
import { valueText } from './exact-number.ts'
import { asItIs, type Typing, useTyping } from './use-typing.ts'
import { type ControlProps, frameOf } from './widget-kind.ts'

// Longer values are data, like a drawing, which nobody edits by hand.
const LONGEST = 100_000

const show = (value: JsonValue | undefined) => (value === undefined ? '' : writeJson(value))

export function JsonWidget({ id, name, label, input, size, widget, problemId, isWrong, write, end }: ControlProps) {
  const typing = useTyping({ value: widget.value, show, read: parseJson, write, end })
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
        aria-describedby={problemId}
        spellCheck={false}
        readOnly={isTooLong}
        value={keepStart(typing.text, LONGEST)}
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
      {typing.isWrong && (
        <p className="text-small text-failed-ink">This is not valid JSON yet; the value is unchanged.</p>
      )}
    </div>
  )
}

export function SwitchWidget({ id, name, label, input, size, widget, problemId, set }: ControlProps) {
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
      aria-describedby={problemId}
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

type LineInputProps = Pick<ControlProps, 'id' | 'name' | 'isWrong' | 'problemId'> & {
  readonly typing: Typing
  readonly placeholder?: string | undefined
  readonly spellCheck?: boolean
  readonly className: string
}

export function LineInput({ name, isWrong, problemId, typing, ...look }: LineInputProps) {
  return (
    <input
      {...look}
      aria-label={name}
      aria-invalid={isWrong}
      aria-describedby={problemId}
      autoComplete="off"
      value={typing.text}
      onChange={({ target }) => typing.type(target.value)}
      onBlur={typing.leave}
      onKeyDown={({ key, ctrlKey, metaKey }) => {
        if (key === 'Enter' || ctrlKey || metaKey) typing.flush()
        if (key === 'Escape') typing.cancel()
      }}
    />
  )
}

const HEX = /^#[0-9a-f]{6}$/i

export function ColourWidget({ id, name, label, size, widget, problemId, isWrong, write, end }: ControlProps) {
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
        problemId={problemId}
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
