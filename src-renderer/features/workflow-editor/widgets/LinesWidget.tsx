import clsx from 'clsx'
import { Maximize2 } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { asText } from '../../../../src-main/lib/json/plain.ts'
import { Button } from '../../../ui/Button.tsx'
import { ProseEditor } from '../../../ui/editor/LazyEditors.tsx'
import { WideDialog } from '../../../ui/WideDialog.tsx'
import { valueText } from './exact-number.ts'
import { changeWeight } from './prompt-weight.ts'
import { asItIs, useTyping } from './use-typing.ts'
import type { ControlProps } from './widget-kind.ts'

export function LinesWidget({ id, name, label, input, size, widget, problemId, isWrong, write, end }: ControlProps) {
  const typing = useTyping({ value: widget.value, show: valueText, read: asItIs, write, end })
  const [isLarge, setLarge] = useState(false)
  const { wheelClass, onPointerEnter } = useOwnWheel()
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, ctrlKey, metaKey, currentTarget } = event
    if ((ctrlKey || metaKey) && (key === 'ArrowUp' || key === 'ArrowDown')) {
      event.preventDefault()
      weigh(currentTarget, key === 'ArrowUp' ? 1 : -1, typing.type)
      return
    }
    // The other shortcuts, like Run, have to see the typed text.
    if (ctrlKey || metaKey) typing.flush()
  }
  return (
    <div className={clsx('group/lines relative flex min-h-12 flex-col', size === 'node' ? 'flex-1' : 'min-h-24')}>
      <textarea
        id={id}
        aria-label={name}
        aria-invalid={isWrong}
        aria-describedby={problemId}
        spellCheck={false}
        placeholder={asText(input.options.get('placeholder')) ?? label}
        value={typing.text}
        onChange={({ target }) => typing.type(target.value)}
        onBlur={typing.leave}
        onKeyDown={onKeyDown}
        onPointerEnter={onPointerEnter}
        className={clsx(
          wheelClass,
          'nodrag nopan w-full flex-1 rounded-control border px-1.5 py-1 outline-none placeholder:text-ink-2 focus:border-accent aria-invalid:border-failed',
          size === 'node'
            ? 'resize-none border-line bg-surface-2 text-small'
            : 'field-sizing-content max-h-96 min-h-24 resize-y border-line-strong bg-surface-1 leading-5',
        )}
      />
      <button
        type="button"
        aria-label={`Open ${name} in large`}
        title="Open in a large editor"
        tabIndex={size === 'node' ? -1 : 0}
        onClick={() => {
          typing.leave()
          setLarge(true)
        }}
        className="nodrag absolute right-1 bottom-1 rounded-control bg-surface-2 p-0.5 text-ink-2 opacity-0 group-hover/lines:opacity-100 hover:text-ink focus-visible:opacity-100 [&_svg]:size-3.5"
      >
        <Maximize2 aria-hidden />
      </button>
      {isLarge && (
        <LargeText
          name={name}
          value={typing.text}
          onChange={typing.type}
          onClose={() => {
            typing.leave()
            setLarge(false)
          }}
        />
      )}
    </div>
  )
}

function weigh(field: HTMLTextAreaElement, by: number, type: (text: string) => void): void {
  const { value: text, selectionStart: from, selectionEnd: to } = field
  const changed = changeWeight({ text, from, to }, by)
  if (changed === undefined) return
  // Set on the field first, because the caret would jump to its end.
  field.value = changed.text
  field.setSelectionRange(changed.from, changed.to)
  type(changed.text)
}

/**
 * Lets the wheel scroll a field that overflows; elsewhere the canvas keeps it, or zooming would stop over any prompt.
 * @returns handlers, and the class that makes React Flow ignore the wheel
 */
function useOwnWheel() {
  const [isOwn, setOwn] = useState(false)
  return {
    wheelClass: isOwn && 'nowheel',
    onPointerEnter: ({ currentTarget: { scrollHeight, clientHeight } }: PointerEvent) =>
      setOwn(scrollHeight > clientHeight),
  }
}

type LargeTextProps = {
  readonly name: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly onClose: () => void
}

function LargeText({ name, value, onChange, onClose }: LargeTextProps) {
  return (
    <WideDialog title={name} size="text" onClose={onClose}>
      <ProseEditor label={name} value={value} onChange={onChange} weigh={changeWeight} />
      <div className="flex items-center justify-between gap-4">
        <p className="text-small text-ink-2">Ctrl with arrow up or down changes the weight of the selection.</p>
        <Button kind="main" onClick={onClose}>
          Done
        </Button>
      </div>
    </WideDialog>
  )
}
