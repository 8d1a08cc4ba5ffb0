/**
 * Which endpoints take graphs: by setting, by read node classes (which sets it), or by a known program. One rule for
 * editor, commands and service. Source: ours.
 */
import { type NodeTypes, typesHere } from '../node-types.ts'
import { linksInto, type PayloadNode } from '../payload.ts'

export type WorkflowFacts = {
  readonly workflows?: object | undefined
  readonly graph?: { readonly behind: string } | undefined
  readonly loadBalanced?: object | undefined
  readonly handler?: string | undefined
  readonly container?: { readonly image?: string | undefined } | undefined
}

// Image name without registry, tag and digest: `worker-comfyui` and images based on it.
const IMAGE = /^(?:.*\/)?[\w.-]*comfyui[\w.-]*(?:[:@].*)?$/i
const HANDLER = /[\\/]resources[\\/]node[\\/](sketch|comfyui)[\\/]handler\.ts$/

export const isStandIn = ({ handler }: Pick<WorkflowFacts, 'handler'>): boolean =>
  HANDLER.exec(handler ?? '')?.[1] === 'sketch'

export const isBridge = ({ handler }: Pick<WorkflowFacts, 'handler'>): boolean =>
  HANDLER.exec(handler ?? '')?.[1] === 'comfyui'

const hasWorkflowProgram = ({ handler, container }: WorkflowFacts): boolean =>
  HANDLER.test(handler ?? '') || (handler === undefined && IMAGE.test(container?.image ?? ''))

/** The end of a sentence; undefined: it takes them. */
export function whyNoWorkflows(endpoint: WorkflowFacts): string | undefined {
  if (endpoint.graph !== undefined) return `it is a published graph itself. Run the graph on ${endpoint.graph.behind}`
  if (endpoint.loadBalanced !== undefined) return 'it serves HTTP requests and takes no jobs. Choose another endpoint'
  if (endpoint.workflows !== undefined || hasWorkflowProgram(endpoint)) return undefined
  return 'its workers are not known to run graphs. Choose another one, or turn on "Takes workflows" in its settings'
}

export const takesWorkflows = (endpoint: WorkflowFacts): boolean => whyNoWorkflows(endpoint) === undefined

export const knowsClasses = (endpoint: WorkflowFacts & { readonly nodeTypesReadAt?: number | undefined }): boolean =>
  endpoint.nodeTypesReadAt !== undefined || isStandIn(endpoint)

export const mayTakeWorkflows = ({ graph, loadBalanced }: WorkflowFacts): boolean =>
  graph === undefined && loadBalanced === undefined

/**
 * Nodes that outputs need and whose class the worker surely lacks (all unknown without another output); none if it may
 * have unknown classes.
 */
export function unrunnableNodes(
  endpoint: Pick<WorkflowFacts, 'handler'>,
  nodes: readonly PayloadNode[],
  known: NodeTypes,
): readonly PayloadNode[] {
  if (!isStandIn(endpoint)) return []
  const types = typesHere(known)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const needed = new Set<string>()
  const waiting = nodes.flatMap(({ id, classType }) => (types.get(classType)?.isOutput === true ? [id] : []))
  const hasOutput = waiting.length > 0
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = byId.get(id)
    if (node === undefined || needed.has(id)) continue
    needed.add(id)
    waiting.push(...linksInto(node).map((link) => link.node))
  }
  return nodes.filter(({ id, classType }) => !types.has(classType) && (needed.has(id) || !hasOutput))
}
