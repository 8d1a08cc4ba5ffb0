/**
 * How the runs of the open document go, for the nodes that show it, and which endpoint they go to. Nodes are named as
 * the payload names them: `57:8` is node 8 within node 57. Source: docs/spec/image-workflows.md, 5.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { RunResult, RunView } from '../../../../src-main/contract/workflows.ts'
import type { Problem } from '../../../../src-main/domain/workflow/problem.ts'
import type { WantedFile } from '../../../../src-main/domain/workflow-runs/payload-files.ts'
import {
  knowsClasses,
  mayTakeWorkflows,
  takesWorkflows,
  type WorkflowFacts,
} from '../../../../src-main/domain/workflow-runs/takes-workflows.ts'
import type { Platform } from '../../../platform/platform.ts'

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
  /** Settles when the classes of nodes of the endpoint are shown, or cannot be read. */
  readonly typesShown: Promise<void>
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
    typesShown: Promise.resolve(),
    set: (change) => set(change),
  }))
}

/** Where the last choice of an endpoint for graphs is kept. */
export const CHOSEN_ENDPOINT = 'workflow-endpoint'

type Facts = Pick<LiveEndpoint, 'id' | 'nodeTypesReadAt'> & WorkflowFacts

/** Lets the runs of a tab go to an endpoint. The tabs that are opened next begin with it too. */
export function chooseEndpoint(
  { platform, runs }: { readonly platform: Pick<Platform, 'writePreference'>; readonly runs: RunStore },
  endpointId: string,
): void {
  platform.writePreference(CHOSEN_ENDPOINT, endpointId)
  // What kept a run from being sent to the other one may be none here.
  runs.getState().set({ endpointId, refusal: undefined })
}

/** The endpoints that take graphs, or would if their setting said so: those that do, then the others; each by name. */
export function runEndpoints<Endpoint extends Facts>(
  endpoints: Readonly<Record<string, Endpoint>>,
): readonly Endpoint[] {
  const rank = (endpoint: Facts) => (takesWorkflows(endpoint) ? 0 : 1)
  return Object.values(endpoints)
    .filter(mayTakeWorkflows)
    .sort((one, other) => rank(one) - rank(other) || one.id.localeCompare(other.id))
}

/**
 * The endpoint to begin with: the one that was chosen last while it is there, else the first that takes graphs and
 * whose classes of nodes are known.
 * @returns undefined where there is none: a graph that nobody could check, or sent to a worker of something else, would
 * only fail
 */
export function firstEndpoint(endpoints: readonly Facts[], chosenLast: string | undefined): string | undefined {
  const last = endpoints.find(({ id }) => id === chosenLast)
  return (last ?? endpoints.find((one) => takesWorkflows(one) && knowsClasses(one)))?.id
}
