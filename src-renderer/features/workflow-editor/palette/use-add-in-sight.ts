import { useCallback } from 'react'
import { canvasPlace } from '../canvas/canvas-place.ts'
import type { Addable } from './addable.ts'
import { useAddNode } from './use-add-node.ts'

/** Adds a node in what is seen of the canvas, where it is free. */
export function useAddInSight(): (what: Addable) => void {
  const addNode = useAddNode()
  return useCallback(
    (what) => {
      const area = document.querySelector('.workflow-canvas')
      if (area === null) return
      const { left, top, width, height } = area.getBoundingClientRect()
      const place = canvasPlace({ x: left + width / 3, y: top + height / 4 })
      addNode(what, place === undefined ? { x: 0, y: 0 } : { x: place[0], y: place[1] }, { isByKey: true })
    },
    [addNode],
  )
}
