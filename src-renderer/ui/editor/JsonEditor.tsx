import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers, placeholder as placeholderText } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { completion, type SeenField } from './completion.ts'
import { HIGHLIGHT, THEME } from './theme.ts'

export type JsonEditorProps = {
  readonly label: string
  readonly value: string
  /** Called for each change; without it the text is read-only. */
  readonly onChange?: (value: string) => void
  readonly placeholder?: string
  readonly fields?: readonly SeenField[]
  readonly focuses?: boolean
}

const NONE: readonly SeenField[] = []

/** An editor for JSON. Escape, then Tab, leaves it. */
export function JsonEditor({
  label,
  value,
  onChange,
  placeholder = '',
  fields = NONE,
  focuses = false,
}: JsonEditorProps) {
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const onChangeRef = useRef(onChange)
  const seen = useRef(fields)
  useEffect(() => {
    onChangeRef.current = onChange
    seen.current = fields
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; a value from outside goes in below
  useEffect(() => {
    if (container.current === null) return
    const editor = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          json(),
          syntaxHighlighting(HIGHLIGHT),
          THEME,
          placeholderText(placeholder),
          completion(() => seen.current),
          keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, indentWithTab]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorState.readOnly.of(onChangeRef.current === undefined),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onChangeRef.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    if (focuses) {
      editor.dispatch({ selection: { anchor: Math.max(0, value.lastIndexOf('"')) } })
      editor.focus()
    }
    return () => editor.destroy()
  }, [])

  useEffect(() => {
    const editor = view.current
    if (editor === null || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])

  return (
    <div
      ref={container}
      className="min-h-40 flex-1 overflow-hidden rounded-control border border-line-strong bg-surface-1"
    />
  )
}
