import { createContext, useContext } from 'react'

// Below this zoom nodes are plain boxes with their titles: nothing else could be read, and there may be thousands.
const PLAIN_BELOW = 0.4

// Below this zoom titles are left out too.
const BARE_BELOW = 0.15

/** How much of a node can be seen. */
export type Detail = 'all' | 'plain' | 'bare'

/** What of a node can be seen at a zoom. */
export function detailAt(zoom: number): Detail {
  return zoom < BARE_BELOW ? 'bare' : zoom < PLAIN_BELOW ? 'plain' : 'all'
}

/** How much of the nodes is drawn. One value for all of them: none asks for the zoom of its own. */
export const DetailContext = createContext<Detail>('all')

/** How much of a node is drawn. */
export const useDetail = (): Detail => useContext(DetailContext)
