import { Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import type { JsonValue } from '../../../../src-main/lib/json/value.ts'
import { readNumber, stepNumber, valueText } from './exact-number.ts'
import { useTyping } from './use-typing.ts'
import { type ControlProps, frameOf } from './widget-kind.ts'

// Pixels of pointer movement per step. Source: ours; a hand moves less than that by accident.
const STEP_PX = 4
const LARGE = 10

export function NumberWidget(props: ControlProps) {
  const { id, name, label, input, size, widget, problemId, isWrong, set, write, end } = props
  const { value } = widget
  const typing = useTyping({ value, show: valueText, read: (text) => readNumber(text, input), write, end })
  const step = (steps: number, take: (value: JsonValue) => void) => {
    const next = stepNumber(readNumber(typing.text, input) ?? value, input, steps)
    if (next === undefined) return
    typing.cancel()
    take(next)
  }
  const drag = useDrag((from, steps) => {
    const next = stepNumber(from, input, steps)
    if (next !== undefined) write(next)
  }, end)

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key, shiftKey } = event
    if (key === 'Enter' || event.ctrlKey || event.metaKey) typing.flush()
    if (key === 'Escape') typing.cancel()
    const way =
      key === 'ArrowUp' ? 1 : key === 'ArrowDown' ? -1 : key === 'PageUp' ? LARGE : key === 'PageDown' ? -LARGE : 0
    if (way === 0 || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    step(shiftKey ? way * LARGE : way, write)
  }
  const button = (way: 1 | -1) => (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`${way > 0 ? 'Increase' : 'Decrease'} ${name}`}
      onClick={({ shiftKey }) => step(shiftKey ? way * LARGE : way, set)}
      className="nodrag shrink-0 rounded-control text-ink-2 hover:text-ink [&_svg]:size-3"
    >
      {way > 0 ? <Plus aria-hidden /> : <Minus aria-hidden />}
    </button>
  )
  return (
    <div className={frameOf(size)}>
      {button(-1)}
      {size === 'node' && (
        <label htmlFor={id} className="max-w-1/2 shrink-0 truncate text-ink-2">
          {label}
        </label>
      )}
      <input
        id={id}
        aria-label={name}
        role="spinbutton"
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        aria-valuetext={typing.text}
        aria-invalid={typing.isWrong || isWrong}
        aria-describedby={problemId}
        value={typing.text}
        onChange={({ target }) => typing.type(target.value)}
        onBlur={typing.leave}
        onKeyDown={onKeyDown}
        {...drag(value)}
        className={
          size === 'node'
            ? 'nodrag w-full min-w-0 cursor-ew-resize bg-transparent text-right outline-none focus:cursor-text'
            : 'w-full min-w-0 cursor-ew-resize bg-transparent outline-none focus:cursor-text'
        }
      />
      {button(1)}
    </div>
  )
}

/**
 * The pointer is captured after one step of movement, so a click still places the caret.
 * @param move receives the start value and the number of steps moved
 */
function useDrag(move: (from: JsonValue | undefined, steps: number) => void, end: () => void) {
  const dragged = useRef<{
    readonly x: number
    readonly from: JsonValue | undefined
    steps: number
    isMoving: boolean
  }>(undefined)
  return (value: JsonValue | undefined) => ({
    onPointerDown({ button, clientX, currentTarget }: PointerEvent<HTMLInputElement>) {
      // In a field that has the focus, dragging selects text.
      if (button !== 0 || currentTarget === document.activeElement) return
      dragged.current = { x: clientX, from: value, steps: 0, isMoving: false }
    },
    onPointerMove({ clientX, shiftKey, currentTarget, pointerId }: PointerEvent<HTMLInputElement>) {
      const now = dragged.current
      if (now === undefined) return
      const steps = Math.trunc((clientX - now.x) / STEP_PX) * (shiftKey ? LARGE : 1)
      if (steps === now.steps) return
      if (!now.isMoving) {
        currentTarget.setPointerCapture(pointerId)
        currentTarget.blur()
      }
      now.isMoving = true
      now.steps = steps
      move(now.from, steps)
    },
    onPointerUp() {
      if (dragged.current?.isMoving) end()
      dragged.current = undefined
    },
    onPointerCancel() {
      dragged.current = undefined
    },
  })
}
