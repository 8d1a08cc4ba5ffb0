import { takesWorkflows, type WorkflowFacts } from '../../workflows/rules/runs/takes-workflows.ts'

/**
 * `queue`: workers take jobs, with `workflows` also graphs. `graph`: a published graph, run by another endpoint.
 * `load-balanced`: workers answer HTTP.
 */
export type EndpointKindName = 'queue' | 'workflows' | 'graph' | 'load-balanced'

export function endpointKind(config: WorkflowFacts): EndpointKindName {
  if (config.graph !== undefined) return 'graph'
  if (config.loadBalanced !== undefined) return 'load-balanced'
  return takesWorkflows(config) ? 'workflows' : 'queue'
}
