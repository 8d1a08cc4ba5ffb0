import { loadCode } from '../../browser/load-code.ts'
import { lazily } from '../LazyView.tsx'

export type { GraphItem, GraphLink } from './GraphView.tsx'

// The renderer is as large as a page of everything else, and only one tab has a graph.
export const Graph = lazily(async () => (await loadCode(() => import('./GraphView.tsx'))).GraphView)
