/**
 * Progress of the open document's runs for its nodes, and the chosen endpoint. Nodes have their payload ids: `57:8` is
 * node 8 within node 57. Source: docs/spec/image-workflows.md, 5.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { RunResult, RunView } from '../../../../src-main/contract/workflows.ts'
import type { Problem } from '../../../../src-main/features/workflows/rules/problem.ts'
import type { WantedFile } from '../../../../src-main/features/workflows/rules/runs/payload-files.ts'
import {
  knowsClasses,
  mayTakeWorkflows,
  takesWorkflows,
  type WorkflowFacts,
} from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import type { Platform } from '../../../browser/platform.ts'

export type NodeProgress = {
  readonly state: 'waiting' | 'running' | 'cached' | 'done' | 'failed'
  readonly step?: number
  readonly steps?: number
  readonly preview?: string
  readonly error?: string
  readonly results?: readonly RunResult[]
}

export type Refusal = {
  readonly message: string
  readonly problems: readonly Problem[]
  readonly tooLarge?: readonly WantedFile[]
}

type RunHead = {
  readonly runId: string
  readonly waitingReason: string | undefined
  readonly startedAt: number | undefined
}

type Changes = Partial<Omit<RunState, 'set'>>

export type RunState = {
  readonly endpointId: string | undefined
  readonly count: number
  readonly auto: 'off' | 'change' | 'again'
  readonly active: readonly RunView[]
  readonly shown: RunView | undefined
  readonly progress: ReadonlyMap<string, NodeProgress>
  readonly sending: number
  readonly head: RunHead | undefined
  readonly hasRun: boolean
  readonly refusal: Refusal | undefined
  readonly typesShown: Promise<void>
  readonly set: (change: Changes | ((state: RunState) => Changes)) => void
}

export type RunStore = StoreApi<RunState>

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

export const CHOSEN_ENDPOINT = 'workflow-endpoint'

type Facts = Pick<LiveEndpoint, 'id' | 'nodeTypesReadAt'> & WorkflowFacts

export function chooseEndpoint(
  { platform, runs }: { readonly platform: Pick<Platform, 'writePreference'>; readonly runs: RunStore },
  endpointId: string,
): void {
  platform.writePreference(CHOSEN_ENDPOINT, endpointId)
  // The reason why a run was not sent to the other endpoint may not apply here.
  runs.getState().set({ endpointId, refusal: undefined })
}

/** Those that take graphs first, then those that lack only the setting; each by name. */
export function runEndpoints<Endpoint extends Facts>(endpoints: Readonly<Record<string, Endpoint>>) {
  const rank = (endpoint: Facts) => (takesWorkflows(endpoint) ? 0 : 1)
  return Object.values(endpoints)
    .filter(mayTakeWorkflows)
    .sort((one, other) => rank(one) - rank(other) || one.id.localeCompare(other.id))
}

/**
 * The last chosen endpoint if it exists, otherwise the first that takes graphs and has known classes.
 * @returns undefined if there is none, as a graph sent elsewhere would only fail
 */
export function firstEndpoint(endpoints: readonly Facts[], chosenLast: string | undefined): string | undefined {
  const last = endpoints.find(({ id }) => id === chosenLast)
  return (last ?? endpoints.find((one) => takesWorkflows(one) && knowsClasses(one)))?.id
}
