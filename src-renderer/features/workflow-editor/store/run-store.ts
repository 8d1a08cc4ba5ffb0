/**
 * How a run of the open document goes, for the nodes that show it. Nodes are named as the payload names them: `57:8` is
 * node 8 within node 57. Source: image-workflows, Running a graph.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { RunResult, RunView } from '../../../../src-main/contract/workflows.ts'
import type { Problem } from '../../../../src-main/domain/workflow/problem.ts'
import type { WantedFile } from '../../../../src-main/domain/workflow/view/images-of.ts'

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

/** What is known of the first active run beside its record. */
export type RunHead = {
  readonly runId: string
  /** Why it waits. */
  readonly waitingReason: string | undefined
  /** When its worker began, ms since the epoch. */
  readonly startedAt: number | undefined
}

/** Why a run was not sent: what is wrong with the graph, or a sentence. */
export type Refusal = {
  readonly message: string
  readonly problems: readonly Problem[]
  /** Files that are too large together. */
  readonly tooLarge?: readonly WantedFile[]
}

type Changes = Partial<Omit<RunState, 'set'>>

/** What a tab runs and has run. */
export type RunState = {
  /** The endpoint that runs go to; undefined until one is chosen or found. */
  readonly endpointId: string | undefined
  /** How often the graph is run at a press, 1 to 100. */
  readonly count: number
  /** Whether it runs by itself: when it has changed, or again and again. */
  readonly auto: 'off' | 'change' | 'again'
  /** Runs of this tab that have not ended, in the order in which they were queued. */
  readonly active: readonly RunView[]
  /** The run that nodes show: the active one, else the last. */
  readonly shown: RunView | undefined
  /** By id of the node. */
  readonly progress: ReadonlyMap<string, NodeProgress>
  /** Runs that are about to be queued: the service has not answered yet. */
  readonly sending: number
  readonly head: RunHead | undefined
  /** Whether anything was run since the document was opened. */
  readonly hasRun: boolean
  /** Why the last one was not sent; gone with the next try. */
  readonly refusal: Refusal | undefined
  readonly set: (change: Changes | ((state: RunState) => Changes)) => void
}

/** The store of the runs of a tab. */
export type RunStore = StoreApi<RunState>

/** Makes one that has not run anything. */
export function createRunStore(): RunStore {
  return createStore<RunState>()((set) => ({
    endpointId: undefined,
    count: 1,
    auto: 'off',
    active: [],
    shown: undefined,
    progress: new Map(),
    sending: 0,
    head: undefined,
    hasRun: false,
    refusal: undefined,
    set: (change) => set(change),
  }))
}
