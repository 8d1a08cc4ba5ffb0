import Markdown, { type MarkdownToJSX, RuleType } from 'markdown-to-jsx/react'
import { Component, type ComponentProps, type ReactNode, useState } from 'react'
import type { NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { asText } from '../../../../src-main/lib/json/plain.ts'
import type { JsonValue } from '../../../../src-main/lib/json/value.ts'
import { asItIs, useTyping } from '../widgets/use-typing.ts'
import { useWidgetEdits } from '../widgets/use-widget-edits.ts'

export type NoteBodyProps = { readonly view: NodeView }

const show = (value: JsonValue | undefined) => asText(value) ?? ''

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
      title="Double-click to edit"
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
        <p className="text-ink-2">An empty note. Double-click to write.</p>
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
  const named = { name: widget?.name ?? 'value 1', kind: 'input' } as const
  const { write, end } = useWidgetEdits(view.id, named, `text of ${view.title}`)
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

const textOf = ({ widgets }: NodeView) => widgets.find(({ name }) => name === 'text') ?? widgets[0]

// Source: ours; a note is read in one sitting. Longer ones are shown as plain text, because parsing would block the
// page.
const LONGEST = 50_000
// Nested quotes and lists on one line: parsing takes the square of their depth, 12 s for 5,000.
const TOO_DEEP = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){20}/m

type Inside = { readonly children?: ReactNode }

const CELL = 'border border-line-strong px-1.5 py-0.5'

function Link({ href, children }: Inside & { readonly href?: string }) {
  const address = safeLink(href)
  if (address === undefined) return <span title="This link is not http or https, so it is disabled.">{children}</span>
  return <Outside address={address}>{children}</Outside>
}

// A remote picture would tell its server when and where the note is opened.
function Picture({ src, alt }: { readonly src?: string; readonly alt?: string }) {
  const address = safeLink(src)
  const name = `[${alt === undefined || alt === '' ? 'picture' : alt}]`
  if (address === undefined) return <span className="text-ink-2">{name}</span>
  return (
    <Outside address={address} note=" (external pictures are not loaded)">
      {name}
    </Outside>
  )
}

function Outside({ address, note = '', children }: Inside & { readonly address: string; readonly note?: string }) {
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={`${address}${note}`}
      className="nodrag text-accent underline"
    >
      {children}
    </a>
  )
}

// Titles in notes are large text, so that the headings for screen readers are only those of the editor.
const LargeTitle = ({ children }: Inside) => (
  <p className="mt-2 mb-1 text-section font-semibold first:mt-0">{children}</p>
)
const Title = ({ children }: Inside) => <p className="mt-2 mb-1 font-semibold first:mt-0">{children}</p>

const PARTS: MarkdownToJSX.Overrides = {
  a: Link,
  img: Picture,
  h1: LargeTitle,
  h2: Title,
  h3: Title,
  h4: Title,
  h5: Title,
  h6: Title,
  p: ({ children }: Inside) => <p className="my-1 first:mt-0 last:mb-0">{children}</p>,
  ul: ({ children }: Inside) => <ul className="my-1 list-disc pl-4">{children}</ul>,
  ol: ({ children }: Inside) => <ol className="my-1 list-decimal pl-4">{children}</ol>,
  li: ({ children }: Inside) => <li className="has-[>input]:-ml-4 has-[>input]:list-none">{children}</li>,
  input: ({ checked }: ComponentProps<'input'>) => (
    <input type="checkbox" checked={checked ?? false} disabled readOnly className="mr-1 align-middle" />
  ),
  table: ({ children }: Inside) => (
    <div className="my-1 overflow-x-auto">
      <table className="border-collapse">{children}</table>
    </div>
  ),
  th: ({ children, style }: ComponentProps<'th'>) => (
    <th style={style} className={`${CELL} bg-surface-2 font-semibold`}>
      {children}
    </th>
  ),
  td: ({ children, style }: ComponentProps<'td'>) => (
    <td style={style} className={CELL}>
      {children}
    </td>
  ),
  code: ({ children }: Inside) => <code className="rounded-control bg-surface-2 px-1 font-mono">{children}</code>,
  pre: ({ children }: Inside) => (
    <pre className="my-1 overflow-x-auto rounded-control bg-surface-2 p-1.5">{children}</pre>
  ),
  blockquote: ({ children }: Inside) => (
    <blockquote className="my-1 border-l-2 border-line-strong pl-2">{children}</blockquote>
  ),
  hr: () => <hr className="my-2 border-line" />,
}

const OPTIONS: MarkdownToJSX.Options = {
  overrides: PARTS,
  sanitizer: (address) => safeLink(address) ?? null,
  // Drops HTML tags and keeps the text between them.
  renderRule: (next, node, renderChildren, state) => {
    if (node.type === RuleType.htmlSelfClosing || node.type === RuleType.htmlComment) return null
    if (node.type === RuleType.htmlBlock) return renderChildren(node.children ?? [], state)
    return next()
  },
}

// Unclosed marks of emphasis and brackets: each is compared with all before it, 17 s for 24,000.
const MARKS_MOST = 3000
const countOfMarks = (text: string): number => text.match(/[*_[\]`~<]/g)?.length ?? 0

/** Markdown from an untrusted file: no HTML, no remote pictures, only web links. */
function MarkdownText({ text }: { readonly text: string }) {
  const plain = <p className="whitespace-pre-wrap">{text}</p>
  if (text.length > LONGEST || TOO_DEEP.test(text) || countOfMarks(text) > MARKS_MOST) return plain
  return (
    <Fallback key={text} instead={plain}>
      <Markdown options={OPTIONS}>{text}</Markdown>
    </Fallback>
  )
}

/** Shows text that is nested too deeply to render as plain text. */
class Fallback extends Component<{ readonly instead: ReactNode; readonly children: ReactNode }> {
  override readonly state: { readonly hasFailed: boolean } = { hasFailed: false }

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? this.props.instead : this.props.children
  }
}

/**
 * The URL if it is absolute http or https.
 * @returns undefined for all others
 */
function safeLink(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}
