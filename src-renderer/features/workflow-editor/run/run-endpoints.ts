import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import {
  knowsClasses,
  mayTakeWorkflows,
  takesWorkflows,
  type WorkflowFacts,
} from '../../../../src-main/domain/workflow-runs/takes-workflows.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { RunStore } from '../store/run-store.ts'

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
 * The endpoint to begin with: the one that was chosen last while it is there, else the first that takes graphs and whose
 * classes of nodes are known.
 * @returns undefined where there is none: a graph that nobody could check, or sent to a worker of something else, would
 * only fail
 */
export function firstEndpoint(endpoints: readonly Facts[], chosenLast: string | undefined): string | undefined {
  const last = endpoints.find(({ id }) => id === chosenLast)
  return (last ?? endpoints.find((one) => takesWorkflows(one) && knowsClasses(one)))?.id
}
