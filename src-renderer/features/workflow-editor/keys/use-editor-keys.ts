import { useReactFlow } from '@xyflow/react'
import { type RefObject, useEffect, useMemo, useRef } from 'react'
import { useLocation } from 'wouter'
import { useApp } from '../../../store/app-context.ts'
import type { Command } from '../../../store/app-slices.ts'
import { isOverlaid, isTyping, SEQUENCE_MS } from '../../../ui/keyboard.ts'
import { useFileActions } from '../files/use-file-actions.ts'
import type { Flow } from '../graph/flow-graph.ts'
import type { CanvasNode, FlowLink } from '../graph/flow-types.ts'
import { roomOf, viewportOf } from '../graph/viewport.ts'
import { useRunActions } from '../run/run-actions.ts'
import { type Point, useCanvasStore } from '../store/canvas-store.ts'
import { useTab } from '../store/editor-store.ts'
import { createActions, type EditorActions } from './create-actions.ts'
import { type ActionId, actionOf, SHORTCUTS, type Shortcut, shownKeys } from './shortcuts.ts'

// Browsers provide the clipboard only in events of these keys.
const BY_EVENT: ReadonlySet<string> = new Set(['copy', 'cut', 'paste', 'pasteLinked'])

export function useEditorKeys(actions: EditorActions): void {
  useEffect(() => {
    let linked = false
    let ledAt = Number.NEGATIVE_INFINITY

    function onKeyDown(event: KeyboardEvent) {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey
      // A letter after `g` opens another page; the frame handles it.
      const isLed = plain && event.timeStamp - ledAt < SEQUENCE_MS
      ledAt = plain && event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (event.defaultPrevented || isLed || isEditorOverlaid()) return
      const id = actionOf(event, isTyping(event.target))
      if (id === undefined || isPressing(event)) return
      if (BY_EVENT.has(id)) {
        linked = id === 'pasteLinked'
        return
      }
      event.preventDefault()
      // The frame also listens for keys, and the palette registers this one there.
      event.stopImmediatePropagation()
      actions[id]()
    }

    function onClipboard(event: ClipboardEvent) {
      const { clipboardData } = event
      if (isTyping(event.target) || isEditorOverlaid() || hasSelectedText() || clipboardData === null) return
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

    const end = new AbortController()
    const { signal } = end
    addEventListener('keydown', onKeyDown, { capture: true, signal })
    for (const type of ['copy', 'cut', 'paste'] as const) addEventListener(type, onClipboard, { signal })
    return () => end.abort()
  }, [actions])
}

// A button handles Enter and Space itself; arrows with Ctrl move within tabs and lists.
function isPressing({ target, key }: KeyboardEvent): boolean {
  return key === 'Enter' && target instanceof Element && target.closest('[role="tab"], [role="option"]') !== null
}

const isEditorOverlaid = () => isOverlaid('[data-add-node]')

const hasSelectedText = () => (getSelection()?.toString() ?? '') !== ''

export function useEditorCommands(actions: EditorActions): readonly Command[] {
  return useMemo(
    () =>
      SHORTCUTS.map(({ id, name, keys }: Shortcut & { readonly id: ActionId }): Command => {
        const [first] = keys
        const command = { id: `editor-${id}`, label: name, group: 'Editor', run: actions[id] }
        return first === undefined ? command : { ...command, keys: shownKeys(first) }
      }),
    [actions],
  )
}

export function useActions(shown: Flow, area: RefObject<HTMLElement | null>, pointer: RefObject<Point | undefined>) {
  const app = useApp()
  const tab = useTab()
  const canvas = useCanvasStore()
  const flow = useReactFlow<CanvasNode, FlowLink>()
  const files = useFileActions()
  const runs = useRunActions()
  const [, go] = useLocation()
  const { address } = shown
  // The actions keep their identity while the graph changes.
  const latest = useRef(shown)
  useEffect(() => {
    latest.current = shown
  }, [shown])
  return useMemo(() => {
    const graph = () => latest.current
    const bringIntoView = (ids: ReadonlySet<string>) => {
      const { width = 0, height = 0 } = area.current?.getBoundingClientRect() ?? {}
      const nodes = ids.size === 0 ? graph().nodes : [...ids].flatMap((id) => graph().byId.get(id) ?? [])
      const view = viewportOf(nodes, roomOf(canvas.getState(), { width, height }))
      if (view === undefined) return
      if (ids.size === 0) canvas.getState().set({ fitted: view })
      void flow.setViewport(view)
    }
    const middle = () => {
      const { left = 0, top = 0, width = 0, height = 0 } = area.current?.getBoundingClientRect() ?? {}
      return { x: left + width / 2, y: top + height / 2 }
    }
    const view = { address, canvas, flow, graph, bringIntoView, middle, pointer: () => pointer.current }
    return createActions({ app, tab, files, runs, go, ...view, newUuid: () => crypto.randomUUID() })
  }, [app, tab, address, canvas, flow, files, runs, go, area, pointer])
}
