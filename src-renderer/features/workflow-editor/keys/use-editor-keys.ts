import { useEffect } from 'react'
import { isTyping } from '../../../ui/is-typing.ts'
import type { EditorActions } from './create-actions.ts'
import { actionOf } from './match-key.ts'

// The browser hands the clipboard over in events of its own, and only to these keys.
const BY_EVENT: ReadonlySet<string> = new Set(['copy', 'cut', 'paste', 'pasteLinked'])
// How long a letter after `g` leads to another page, ms; those keys are heard by the frame.
const SEQUENCE_MS = 1000

/** Hears the keys of the editor, wherever in the page they are pressed. */
export function useEditorKeys(actions: EditorActions): void {
  useEffect(() => {
    let linked = false
    let ledAt = Number.NEGATIVE_INFINITY

    function onKeyDown(event: KeyboardEvent) {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey
      const isLed = plain && event.timeStamp - ledAt < SEQUENCE_MS
      ledAt = plain && event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (event.defaultPrevented || isLed || isOverlaid()) return
      const id = actionOf(event, isTyping(event.target))
      if (id === undefined || isPressing(event)) return
      if (BY_EVENT.has(id)) {
        linked = id === 'pasteLinked'
        return
      }
      event.preventDefault()
      // The frame hears keys too, and the palette names this one to it.
      event.stopImmediatePropagation()
      actions[id]()
    }

    function onClipboard(event: ClipboardEvent) {
      const { clipboardData } = event
      if (isTyping(event.target) || isOverlaid() || hasSelectedText() || clipboardData === null) return
      if (event.type === 'paste') {
        const text = clipboardData.getData('text/plain')
        const files = [...clipboardData.files]
        if (text === '' && files.length === 0) return
        event.preventDefault()
        return text === '' ? actions.pasteFiles(files) : actions.pasteText(text, linked)
      }
      const text = actions.copied(event.type === 'cut')
      if (text === undefined) return
      event.preventDefault()
      clipboardData.setData('text/plain', text)
    }

    addEventListener('keydown', onKeyDown, true)
    for (const type of ['copy', 'cut', 'paste'] as const) addEventListener(type, onClipboard)
    return () => {
      removeEventListener('keydown', onKeyDown, true)
      for (const type of ['copy', 'cut', 'paste'] as const) removeEventListener(type, onClipboard)
    }
  }, [actions])
}

// A button hears Enter and Space itself; arrows with Ctrl move within tabs and lists.
function isPressing({ target, key }: KeyboardEvent): boolean {
  return key === 'Enter' && target instanceof Element && target.closest('[role="tab"], [role="option"]') !== null
}

const isOverlaid = () =>
  document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [data-add-node]') !== null

const hasSelectedText = () => (getSelection()?.toString() ?? '') !== ''
