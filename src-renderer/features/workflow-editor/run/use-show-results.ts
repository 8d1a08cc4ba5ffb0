import { useContext, useSyncExternalStore } from 'react'
import { useSearchParts } from '../../../ui/use-search-parts.ts'
import { CanvasContext } from '../store/canvas-context.ts'

const noChanges = () => () => undefined

/** Brings the panel of results into sight; undefined where it is, as beside the form of a graph. */
export function useShowResults(): (() => void) | undefined {
  const canvas = useContext(CanvasContext)
  const isSideOpen = useSyncExternalStore(
    canvas?.subscribe ?? noChanges,
    () => canvas?.getState().preferences.isSideOpen ?? true,
  )
  const [search, set] = useSearchParts()
  if (canvas === undefined || (isSideOpen && search.get('side') === 'results')) return undefined
  return () => {
    canvas.getState().prefer({ isSideOpen: true })
    set({ side: 'results', run: undefined })
  }
}
