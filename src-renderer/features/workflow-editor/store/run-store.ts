/**
 * How a run of the open document goes, for the nodes that show it. Nodes are named as the payload names them: `57:8` is
 * node 8 within node 57. Source: image-workflows, Running a graph.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { RunResult, RunView } from '../../../../src-main/contract/workflows.ts'

/** How one node does. */
export type NodeProgress = {
  readonly state: 'waiting' | 'running' | 'cached' | 'done' | 'failed'
  readonly step?: number
  readonly steps?: number
  /** Address of a picture of how far it is. */
  readonly preview?: string
  readonly error?: string
  readonly results?: readonly RunResult[]
}

/** What a tab runs and has run. */
export type RunState = {
  /** The endpoint that runs go to; undefined until one is chosen or found. */
  readonly endpointId: string | undefined
  /** Runs of this tab that have not ended, in the order in which they were queued. */
  readonly active: readonly RunView[]
  /** The run that nodes show: the active one, else the last. */
  readonly shown: RunView | undefined
  /** By id of the node. */
  readonly progress: ReadonlyMap<string, NodeProgress>
  readonly set: (change: Partial<Pick<RunState, 'endpointId' | 'active' | 'shown' | 'progress'>>) => void
}

/** The store of the runs of a tab. */
export type RunStore = StoreApi<RunState>

/** Makes one that has not run anything. */
export function createRunStore(): RunStore {
  return createStore<RunState>()((set) => ({
    endpointId: undefined,
    active: [],
    shown: undefined,
    progress: new Map(),
    set: (change) => set(change),
  }))
}
