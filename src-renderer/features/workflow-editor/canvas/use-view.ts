import { useReactFlow, useStoreApi } from '@xyflow/react'
import { useEffect } from 'react'
import { useCanvasStore } from '../store/canvas-context.ts'
import { useEditor, useTab } from '../store/editor-context.ts'
import type { EditorStore } from '../store/editor-store.ts'
import { keepView, showsMinimap, viewportOf } from './first-view.ts'
import type { Flow } from './use-flow.ts'

const LEAST_ZOOM_TO_READ = 0.6

// Which asking of each document was followed last: a canvas may be made because of it.
const followed = new WeakMap<EditorStore, number>()

/** Leads to what somebody asks for, and keeps where the graph was looked at. */
export function useView(flow: Flow): void {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const { getViewport, setViewport, setCenter, getZoom } = useReactFlow()
  const store = useStoreApi()
  const revealed = useEditor((state) => state.revealed)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a canvas shows one graph as long as it lives
  useEffect(() => () => keepView(editor, flow, getViewport()), [])

  useEffect(() => {
    if ((followed.get(editor) ?? 0) === revealed.at) return
    followed.set(editor, revealed.at)
    const boxes = revealed.ids.flatMap((id) => flow.byId.get(id) ?? [])
    const { width: across, height: down } = store.getState()
    const hasMinimap = showsMinimap(canvas.getState().preferences, window.innerWidth)
    const all = boxes.length > 1 ? viewportOf(boxes, { width: across, height: down, hasMinimap }) : undefined
    if (all !== undefined) void setViewport(all)
    const [box] = boxes
    if (boxes.length !== 1 || box === undefined) return
    const { position, width = 0, height = 0 } = box
    const zoom = Math.max(getZoom(), LEAST_ZOOM_TO_READ)
    void setCenter(position.x + width / 2, position.y + height / 2, { zoom })
  }, [editor, canvas, revealed, flow, store, setViewport, setCenter, getZoom])
}
