import clsx from 'clsx'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { Point } from '../store/canvas-store.ts'

export type PickItem<Value> = {
  readonly key: string
  readonly label: string
  readonly detail?: string
  readonly colour?: string | undefined
  readonly value: Value
}

export type PickListProps<Value> = {
  readonly label: string
  readonly at: Point
  readonly find: (typed: string) => readonly PickItem<Value>[]
  readonly nothing: string
  readonly onPick: (value: Value) => void
  readonly onClose: () => void
}

const SHOWN = 60
const WIDTH = 340
const HEIGHT = 380
const EDGE = 8

export function PickList<Value>({ label, at, find, nothing, onPick, onClose }: PickListProps<Value>) {
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const name = useId()
  const items = find(typed)
  const shown = items.slice(0, SHOWN)

  useEffect(() => {
    const onPress = (event: Event) => {
      if (!(event.target instanceof Node) || box.current?.contains(event.target) !== true) onClose()
    }
    addEventListener('pointerdown', onPress, true)
    return () => removeEventListener('pointerdown', onPress, true)
  }, [onClose])

  useEffect(() => {
    box.current?.querySelector(`[data-at="${active}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && shown.length > 0) {
      event.preventDefault()
      setActive((active + step + shown.length) % shown.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const item = shown[active]
      if (item !== undefined) onPick(item.value)
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault()
      onClose()
    }
  }

  return (
    <div
      ref={box}
      data-add-node
      style={positionOf(at)}
      className="enters fixed z-40 flex flex-col overflow-hidden rounded-control border border-line bg-surface-1 shadow-float"
    >
      <input
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={`${name}-list`}
        aria-activedescendant={shown.length === 0 ? undefined : `${name}-${active}`}
        // biome-ignore lint/a11y/noAutofocus: it was asked for with a key or the pointer, and is typed into at once
        autoFocus
        value={typed}
        placeholder={label}
        onChange={(event) => {
          setTyped(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
        className="h-9 shrink-0 border-b border-line bg-transparent px-3 outline-none placeholder:text-ink-2"
      />
      <div id={`${name}-list`} role="listbox" aria-label={label} className="min-h-0 overflow-y-auto p-1">
        {shown.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and hears the keys
          <div
            key={item.key}
            id={`${name}-${index}`}
            role="option"
            aria-selected={index === active}
            data-at={index}
            onPointerMove={() => setActive(index)}
            onClick={() => onPick(item.value)}
            className={clsx(
              'flex min-h-7 cursor-pointer items-center gap-2 rounded-control px-2',
              index === active && 'bg-accent-soft',
            )}
          >
            {item.colour !== undefined && (
              <span aria-hidden className="size-2.5 shrink-0 rounded-full" style={{ background: item.colour }} />
            )}
            <span className="shrink-0">{item.label}</span>
            <span className="ml-auto truncate text-small text-ink-2">{item.detail}</span>
          </div>
        ))}
      </div>
      {shown.length === 0 && <p className="px-3 pb-3 text-ink-2">{nothing}</p>}
      {items.length > SHOWN && (
        <p className="border-t border-line px-3 py-1 text-small text-ink-2">
          {items.length - SHOWN} more: type to find them.
        </p>
      )}
    </div>
  )
}

function positionOf({ x, y }: Point) {
  const width = Math.min(WIDTH, innerWidth - 2 * EDGE)
  const maxHeight = Math.min(HEIGHT, innerHeight - 2 * EDGE)
  const left = Math.max(EDGE, Math.min(x, innerWidth - width - EDGE))
  const top = Math.max(EDGE, Math.min(y, innerHeight - maxHeight - EDGE))
  return { width, maxHeight, left, top }
}
