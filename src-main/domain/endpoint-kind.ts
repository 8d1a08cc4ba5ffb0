/**
 * The kinds of endpoints. What each does with jobs is the table in services/endpoint-kinds.ts; here is which one an
 * endpoint is, for whoever needs no more than that.
 */
import { takesWorkflows, type WorkflowFacts } from './workflow-runs/takes-workflows.ts'

/**
 * `queue`: its workers take jobs. `workflows`: these jobs may hold a graph of nodes. `graph`: a published graph, whose
 * jobs run on the workers of another endpoint. `load-balanced`: its workers answer HTTP requests.
 */
export type EndpointKindName = 'queue' | 'workflows' | 'graph' | 'load-balanced'

/** Which kind an endpoint is, by its settings. Source: ours. */
export function endpointKind(config: WorkflowFacts): EndpointKindName {
  if (config.graph !== undefined) return 'graph'
  if (config.loadBalanced !== undefined) return 'load-balanced'
  return takesWorkflows(config) ? 'workflows' : 'queue'
}
