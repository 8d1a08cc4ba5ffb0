import { useCallback } from 'react'
import { canvasPlace } from '../canvas/canvas-place.ts'
import type { Addable } from './addable.ts'
import { useAddNode } from './use-add-node.ts'

// Nodes that are added one after the other do not lie on each other.
const BESIDE = 24
const STEPS = 8

/** Adds a node in the middle of what is seen of the canvas. */
export function useAddInSight(): (what: Addable) => void {
  const addNode = useAddNode()
  return useCallback(
    (what) => {
      const area = document.querySelector('.workflow-canvas')
      if (area === null) return
      const { left, top, width, height } = area.getBoundingClientRect()
      const beside = (area.querySelectorAll('.react-flow__node').length % STEPS) * BESIDE
      const place = canvasPlace({ x: left + width / 2, y: top + height / 3 })
      addNode(what, place === undefined ? { x: 0, y: 0 } : { x: place[0] + beside, y: place[1] + beside })
    },
    [addNode],
  )
}
