import { useState } from 'react'
import { asText, type JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { asItIs, useTyping } from '../widgets/use-typing.ts'
import { useWidgetEdits } from '../widgets/use-widget-edits.ts'
import { MarkdownText } from './MarkdownText.tsx'

/** A note of the graph. */
export type NoteBodyProps = { readonly view: NodeView }

const show = (value: JsonValue | undefined) => asText(value) ?? ''

/** The text of a note, plain or Markdown; a double click or Enter begins to edit it. */
export function NoteBody({ view }: NoteBodyProps) {
  const [isEdited, setEdited] = useState(false)
  const text = show(textOf(view)?.value)
  if (isEdited) return <NoteField view={view} onDone={() => setEdited(false)} />
  return (
    // biome-ignore lint/a11y/useSemanticElements: what is in it, like links, cannot be within a button
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: Enter begins to edit it, and long ones are scrolled
      tabIndex={0}
      aria-label={`Text of ${view.title}. Press Enter to edit it`}
      title="Double click to edit"
      onDoubleClick={(event) => {
        event.stopPropagation()
        setEdited(true)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.target !== event.currentTarget) return
        event.preventDefault()
        event.stopPropagation()
        setEdited(true)
      }}
      className="nowheel min-h-8 min-w-0 flex-1 overflow-y-auto rounded-control px-1.5 py-1 text-small break-words"
    >
      {text === '' ? (
        <p className="text-ink-2">An empty note. Double click to write.</p>
      ) : view.kind === 'markdown' ? (
        <MarkdownText text={text} />
      ) : (
        <p className="whitespace-pre-wrap">{text}</p>
      )}
    </div>
  )
}

function NoteField({ view, onDone }: NoteBodyProps & { readonly onDone: () => void }) {
  const widget = textOf(view)
  const { write, end } = useWidgetEdits(
    view.id,
    { name: widget?.name ?? 'value 1', kind: 'input' },
    `text of ${view.title}`,
  )
  const typing = useTyping({ value: widget?.value, show, read: asItIs, write, end })
  return (
    <textarea
      aria-label={`Text of ${view.title}`}
      // biome-ignore lint/a11y/noAutofocus: it stands in the place of what was just pressed
      autoFocus
      value={typing.text}
      onChange={({ target }) => typing.type(target.value)}
      onBlur={() => {
        typing.leave()
        onDone()
      }}
      onDoubleClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey) typing.flush()
        if (event.key !== 'Escape') return
        event.stopPropagation()
        typing.leave()
        onDone()
      }}
      className="nodrag nowheel nopan min-h-16 w-full flex-1 resize-none rounded-control border border-accent bg-surface-1 px-1.5 py-1 text-small outline-none"
    />
  )
}

/** Where the text of a note is: its only value. */
const textOf = ({ widgets }: NodeView) => widgets.find(({ name }) => name === 'text') ?? widgets[0]
