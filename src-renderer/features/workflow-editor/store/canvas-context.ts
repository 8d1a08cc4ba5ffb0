import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { CanvasState, CanvasStore } from './canvas-store.ts'

/** The store of the canvas that a component is on. */
export const CanvasContext = createContext<CanvasStore | undefined>(undefined)

/** The store of the canvas. @throws Error outside of the editor */
export function useCanvasStore(): CanvasStore {
  const store = useContext(CanvasContext)
  if (store === undefined) throw new Error('this component is for the inside of the workflow editor')
  return store
}

/** Selects from what the canvas shows beside the document. */
export function useCanvas<Selected>(selector: (state: CanvasState) => Selected): Selected {
  return useStore(useCanvasStore(), selector)
}
