/** Runs a payload, node by node. */
import { asText } from '../../../../src-main/domain/workflow/json/value.ts'
import type { NodeType, NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import { type PayloadNode, readLink } from '../../../../src-main/domain/workflow/payload.ts'
import { NODE_RUNS } from '../nodes/node-runs.ts'
import { nextTurn } from '../turns.ts'
import type { Raster, Value } from '../values.ts'
import { type Cache, createTally, keyOf } from './cache.ts'
import { createInputs, type Given } from './inputs.ts'
import { NodeError } from './node-error.ts'
import { planRun } from './plan.ts'

/** How far a run is. */
export type Progress = {
  readonly node: string
  readonly step: number
  readonly steps: number
  readonly done: readonly string[]
  readonly preview?: () => string
}

/** What a run is given. */
export type GraphRun = {
  readonly nodes: ReadonlyMap<string, PayloadNode>
  readonly types: NodeTypes
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly cache: Cache
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  readonly show: (node: string, raster: Raster, prefix: string, isPreview: boolean) => Promise<void>
  readonly note: (text: string) => unknown
}

// Most that the values of a run take, in bytes. Source: ours; a hundred pictures of 1024 x 1024 and their latents.
const HELD_MAX = 2 * 1024 ** 3

/** Runs the nodes of a graph in their order. @throws NodeError, or what the signal was aborted with */
export async function runGraph(run: GraphRun): Promise<void> {
  const { nodes, types, cache, files } = run
  const planned = planRun(nodes, types)
  tellUnknown(run, planned)
  const keys = new Map<string, string>()
  const values = new Map<string, readonly Value[]>()
  for (const node of planned) {
    const key = keyOf(node, keys, fileOf(node, files))
    keys.set(node.id, key)
    const kept = types.get(node.classType)?.isOutput === true ? undefined : cache.get(key)
    if (kept !== undefined) values.set(node.id, kept)
  }
  const done = [...values.keys()]
  const held = createTally()
  for (const kept of values.values()) held.add(kept)
  try {
    for (const node of planned) {
      if (values.has(node.id)) continue
      run.onProgress({ node: node.id, step: 0, steps: 1, done })
      await nextTurn(run.signal)
      const made = await runNode(node, run, values, done)
      values.set(node.id, made)
      held.add(made)
      if (held.bytes() > HELD_MAX)
        throw new NodeError(
          'The pictures of this graph take more than 2 GiB in total. Make fewer or smaller ones.',
          node,
        )
      cache.put(keys.get(node.id) ?? '', made)
      done.push(node.id)
    }
  } finally {
    cache.sweep()
  }
}

/** Nodes of other workers are left out where nothing needs them. @throws NodeError where nothing else is there */
function tellUnknown({ nodes, types, note }: GraphRun, planned: readonly PayloadNode[]): void {
  const unknown = [...nodes.values()].filter(({ classType }) => !types.has(classType))
  const [first] = unknown
  if (first === undefined) return
  if (planned.length === 0) throw notHere(first)
  const left = unknown.filter((node) => !planned.includes(node)).map(({ id, classType }) => `${classType} (node ${id})`)
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : ''
  if (left.length > 0) note(`Left out, as the stand-in does not have them: ${left.slice(0, NAMED).join(', ')}${more}`)
}

const NAMED = 5

const notHere = (node: PayloadNode) =>
  new NodeError(`The stand-in has no class ${node.classType}. Run the graph on a worker that has it.`, node)

async function runNode(
  node: PayloadNode,
  { types, files, signal, onProgress, show, note }: GraphRun,
  values: ReadonlyMap<string, readonly Value[]>,
  done: readonly string[],
): Promise<readonly Value[]> {
  const [type, run] = [types.get(node.classType), NODE_RUNS[node.classType]]
  if (type === undefined || run === undefined) throw notHere(node)
  try {
    return await run(createInputs(node, type, givenTo(node, type, values)), {
      signal,
      onStep: (step, steps, preview) =>
        onProgress({ node: node.id, step, steps, done, ...(preview === undefined ? {} : { preview }) }),
      file: (name) => files.get(name),
      show: (raster, prefix, isPreview) => show(node.id, raster, prefix, isPreview),
      note: (text) => note(`${text} (node ${node.id})`),
    })
  } catch (error) {
    if (error instanceof NodeError || signal.aborted) throw error
    const message = error instanceof Error ? error.message : String(error)
    // What a node says for people is an Error and no more; of others it is told where they come from.
    const isSaid = error instanceof Error && error.constructor === Error
    throw new NodeError(isSaid ? message : `${node.classType} failed: ${message}`, node, { cause: error })
  }
}

function givenTo(
  node: PayloadNode,
  type: NodeType,
  values: ReadonlyMap<string, readonly Value[]>,
): ReadonlyMap<string, Given> {
  const known = new Set(type.inputs.map(({ name }) => name))
  return new Map(
    [...node.inputs].flatMap(([name, json]): [string, Given][] => {
      const link = readLink(json)
      const value = link && values.get(link.node)?.[link.slot]
      if (link !== undefined && value !== undefined) return [[name, { value }]]
      return known.has(name) ? [[name, { json }]] : []
    }),
  )
}

/** The file that a node reads; how its name is written is known to nodes/images. */
function fileOf(node: PayloadNode, files: ReadonlyMap<string, Uint8Array>): Uint8Array | undefined {
  const name = asText(node.inputs.get('image'))
  return name === undefined ? undefined : files.get(name.replace(/ \[\w+\]$/, ''))
}
