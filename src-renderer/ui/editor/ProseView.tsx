import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { type Command, drawSelection, EditorView, keymap } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { THEME } from './theme.ts'

export type SelectedText = { readonly text: string; readonly from: number; readonly to: number }

export type ProseViewProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  /** Changes the weight of the selection, by steps up or down; undefined if nothing can have one. */
  readonly weigh: (selected: SelectedText, by: number) => SelectedText | undefined
}

export function ProseView({ label, value, onChange, weigh }: ProseViewProps) {
  const container = useRef<HTMLDivElement>(null)
  const onChangeRef = useRef(onChange)
  useEffect(() => {
    onChangeRef.current = onChange
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; it alone changes the text while it is open
  useEffect(() => {
    if (container.current === null) return
    const editor = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: value,
        selection: { anchor: value.length },
        extensions: [
          history(),
          drawSelection(),
          THEME,
          keymap.of([
            { key: 'Mod-ArrowUp', run: weighing(weigh, 1) },
            { key: 'Mod-ArrowDown', run: weighing(weigh, -1) },
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onChangeRef.current(update.state.doc.toString())
          }),
        ],
      }),
    })
    editor.focus()
    return () => editor.destroy()
  }, [])
  return (
    <div
      ref={container}
      className="min-h-40 flex-1 overflow-hidden rounded-control border border-line-strong bg-surface-1 focus-within:border-accent"
    />
  )
}

const weighing =
  (weigh: ProseViewProps['weigh'], by: number): Command =>
  ({ state, dispatch }) => {
    const { from, to } = state.selection.main
    const changed = weigh({ text: state.doc.toString(), from, to }, by)
    if (changed === undefined) return false
    dispatch({
      changes: { from: 0, to: state.doc.length, insert: changed.text },
      selection: { anchor: changed.from, head: changed.to },
    })
    return true
  }
