import { useReactFlow } from '@xyflow/react'
import { type RefObject, useEffect, useMemo, useRef } from 'react'
import { useLocation } from 'wouter'
import { useApp } from '../../../store/app-context.ts'
import { showsMinimap, viewportOf } from '../canvas/first-view.ts'
import type { CanvasNode, FlowLink } from '../canvas/flow-types.ts'
import type { Flow } from '../canvas/use-flow.ts'
import { useFileActions } from '../files/use-file-actions.ts'
import { useRunActions } from '../run/use-run-actions.ts'
import { useCanvasStore } from '../store/canvas-context.ts'
import type { Point } from '../store/canvas-store.ts'
import { useTab } from '../store/editor-context.ts'
import { createActions, type EditorActions } from './create-actions.ts'

/** All that can be done on a canvas. @param shown what is on it @param area the canvas @param pointer where the pointer was last */
export function useActions(
  shown: Flow,
  area: RefObject<HTMLElement | null>,
  pointer: RefObject<Point | undefined>,
): EditorActions {
  const app = useApp()
  const tab = useTab()
  const canvas = useCanvasStore()
  const flow = useReactFlow<CanvasNode, FlowLink>()
  const files = useFileActions()
  const runs = useRunActions()
  const [, go] = useLocation()
  const { address } = shown
  // The actions stay the same while the graph changes.
  const latest = useRef(shown)
  useEffect(() => {
    latest.current = shown
  }, [shown])
  return useMemo(() => {
    const graph = () => latest.current
    const lookAt = (ids: ReadonlySet<string>) => {
      const { width = 0, height = 0 } = area.current?.getBoundingClientRect() ?? {}
      const nodes = ids.size === 0 ? graph().nodes : [...ids].flatMap((id) => graph().byId.get(id) ?? [])
      const hasMinimap = showsMinimap(canvas.getState().preferences, window.innerWidth)
      const view = viewportOf(nodes, { width, height, hasMinimap })
      if (view !== undefined) void flow.setViewport(view)
    }
    const middle = () => {
      const { left = 0, top = 0, width = 0, height = 0 } = area.current?.getBoundingClientRect() ?? {}
      return { x: left + width / 2, y: top + height / 2 }
    }
    const ports = {
      app,
      tab,
      address,
      canvas,
      flow,
      graph,
      lookAt,
      files,
      runs,
      go,
      middle,
      newUuid: () => crypto.randomUUID(),
    }
    return createActions({ ...ports, pointer: () => pointer.current })
  }, [app, tab, address, canvas, flow, files, runs, go, area, pointer])
}
