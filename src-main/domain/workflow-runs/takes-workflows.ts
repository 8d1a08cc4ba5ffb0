/**
 * Which endpoints take graphs: those whose setting says so, whose classes of nodes have been read (which sets it), and
 * those with a program of the catalog that runs graphs. One rule for the editor, the commands and the service. Source:
 * ours.
 */
import type { NodeTypes } from '../workflow/node-types.ts'
import { linksInto, type PayloadNode } from '../workflow/payload.ts'

/** What of an endpoint tells. */
export type WorkflowFacts = {
  readonly workflows?: object | undefined
  readonly graph?: { readonly behind: string } | undefined
  readonly loadBalanced?: object | undefined
  readonly handler?: string | undefined
  readonly container?: { readonly image?: string | undefined } | undefined
}

// The name of an image without its registry's folders, tag and digest: `worker-comfyui`, and what people build upon it.
const IMAGE = /^(?:.*\/)?[\w.-]*comfyui[\w.-]*(?:[:@].*)?$/i
const HANDLER = /[\\/]resources[\\/]node[\\/](sketch|comfyui)[\\/]handler\.ts$/

/** Whether it is the worker that comes along, which draws pictures without a model. */
export const isStandIn = ({ handler }: Pick<WorkflowFacts, 'handler'>): boolean =>
  HANDLER.exec(handler ?? '')?.[1] === 'sketch'

/** Whether it is the bridge that comes along: a worker in front of a ComfyUI server. */
export const isBridge = ({ handler }: Pick<WorkflowFacts, 'handler'>): boolean =>
  HANDLER.exec(handler ?? '')?.[1] === 'comfyui'

/** Whether its program is one that runs graphs, as those of the catalog. */
const hasWorkflowProgram = ({ handler, container }: WorkflowFacts): boolean =>
  HANDLER.test(handler ?? '') || (handler === undefined && IMAGE.test(container?.image ?? ''))

/** Why an endpoint takes no graphs, as the end of a sentence; undefined: it takes them. */
export function whyNoWorkflows(endpoint: WorkflowFacts): string | undefined {
  if (endpoint.graph !== undefined) return `it is a published graph itself. Run the graph on ${endpoint.graph.behind}`
  if (endpoint.loadBalanced !== undefined) return 'it serves HTTP requests and takes no jobs. Choose another endpoint'
  if (endpoint.workflows !== undefined || hasWorkflowProgram(endpoint)) return undefined
  return 'its workers are not known to run graphs. Choose another one, or turn on "Takes workflows" in its settings'
}

/** Whether an endpoint takes graphs. */
export const takesWorkflows = (endpoint: WorkflowFacts): boolean => whyNoWorkflows(endpoint) === undefined

/**
 * Whether it is known which classes of nodes its workers have: they were read, or the worker comes along with its own.
 * Only such an endpoint is chosen for a graph without being asked for.
 */
export const knowsClasses = (endpoint: WorkflowFacts & { readonly nodeTypesReadAt?: number | undefined }): boolean =>
  endpoint.nodeTypesReadAt !== undefined || isStandIn(endpoint)

/** Whether an endpoint could take graphs if its setting said so. */
export const mayTakeWorkflows = ({ graph, loadBalanced }: WorkflowFacts): boolean =>
  graph === undefined && loadBalanced === undefined

/**
 * The nodes for which a graph cannot run on an endpoint, as its worker surely does not have their classes: those that
 * its outputs need, or all unknown ones where it has no other output. None where the worker may have classes that
 * nobody here knows; the stand-in has its own ones alone, and leaves out what no output needs.
 */
export function unrunnableNodes(
  endpoint: Pick<WorkflowFacts, 'handler'>,
  nodes: readonly PayloadNode[],
  types: NodeTypes,
): readonly PayloadNode[] {
  if (!isStandIn(endpoint)) return []
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
