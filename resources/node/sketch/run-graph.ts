import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { NodeTypes } from '../../../src-main/features/workflows/rules/node-types.ts'
import { linksInto, type PayloadNode, readLink } from '../../../src-main/features/workflows/rules/payload.ts'
import { asText } from '../../../src-main/lib/json/plain.ts'
import { writeJson } from '../../../src-main/lib/json/value.ts'
import { createInputs, NodeError, type Picture, type Value } from './inputs.ts'
import { NODE_RUNS } from './nodes.ts'

export type Progress = {
  readonly node: string
  readonly step: number
  readonly steps: number
  readonly done: readonly string[]
  readonly preview?: () => string
}

type GraphRun = {
  readonly nodes: ReadonlyMap<string, PayloadNode>
  readonly types: NodeTypes
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  readonly save: (node: string, picture: Picture, prefix: string) => void
  readonly note: (text: string) => unknown
}

export async function runGraph(run: GraphRun): Promise<void> {
  const { nodes, types, files, signal, onProgress } = run
  const planned = planRun(nodes, types)
  noteUnknown(run, planned)
  const keys = new Map<string, string>()
  const values = new Map<string, readonly Value[]>()
  for (const node of planned) {
    const done = [...values.keys()]
    onProgress({ node: node.id, step: 0, steps: 1, done })
    await turn()
    signal.throwIfAborted()
    const type = types.get(node.classType)
    if (type === undefined) throw unknownClass(node)
    const key = keyOf(node, keys, files)
    keys.set(node.id, key)
    const inputs = createInputs(node, type, values)
    try {
      const made = await NODE_RUNS[node.classType]?.(inputs, {
        key,
        signal,
        onStep: (step, steps, preview) => onProgress({ node: node.id, step, steps, done, preview }),
        file: (name) => files.get(name),
        save: (picture, prefix) => run.save(node.id, picture, prefix),
      })
      const outputs = type.outputs.map(({ type: kind }) => ({ ...(inputs.ofKind(kind) ?? NOTHING), ...made, kind }))
      values.set(node.id, outputs)
    } catch (error) {
      if (error instanceof NodeError || signal.aborted) throw error
      throw new NodeError(error instanceof Error ? error.message : String(error), node, { cause: error })
    }
  }
}

const NOTHING = { text: '', steps: 0, pictures: [] }

/** The nodes that outputs need, each after its sources. The payload has no loops. */
function planRun(nodes: ReadonlyMap<string, PayloadNode>, types: NodeTypes): readonly PayloadNode[] {
  const ordered: PayloadNode[] = []
  const seen = new Set<string>()
  const stack = [...nodes.values()]
    .filter(({ classType }) => types.get(classType)?.isOutput === true)
    .toReversed()
    .map((node) => ({ node, isReady: false }))
  // Depth first with a stack of its own, because a chain may be long.
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.isReady) ordered.push(top.node)
    if (seen.has(top.node.id)) continue
    seen.add(top.node.id)
    stack.push({ node: top.node, isReady: true })
    for (const link of linksInto(top.node)) {
      const source = nodes.get(link.node)
      if (source !== undefined && !seen.has(source.id)) stack.push({ node: source, isReady: false })
    }
  }
  return ordered
}

/** Notes unknown nodes that no output needs. @throws NodeError if there is nothing else */
function noteUnknown({ nodes, types, note }: GraphRun, planned: readonly PayloadNode[]): void {
  const unknown = [...nodes.values()].filter(({ classType }) => !types.has(classType))
  const [first] = unknown
  if (first === undefined) return
  if (planned.length === 0) throw unknownClass(first)
  const left = unknown.filter((node) => !planned.includes(node)).map(({ id, classType }) => `${classType} (node ${id})`)
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : ''
  if (left.length > 0) note(`Left out, as the stand-in does not have them: ${left.slice(0, NAMED).join(', ')}${more}`)
}

const NAMED = 5

const unknownClass = (node: PayloadNode) =>
  new NodeError(`The stand-in has no class ${node.classType}. Run the graph on a worker that has it.`, node)

/** Digest of everything that the outputs of a node depend on. @param keys of its sources */
function keyOf(node: PayloadNode, keys: ReadonlyMap<string, string>, files: GraphRun['files']): string {
  const hash = createHash('sha256').update(node.classType)
  for (const [name, value] of [...node.inputs].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const link = readLink(value)
    const text = link === undefined ? writeJson(value) : `${keys.get(link.node)} ${link.slot}`
    hash.update(`\0${name}\0${text}`)
  }
  const file = files.get(asText(node.inputs.get('image')) ?? '')
  return (file === undefined ? hash : hash.update(file)).digest('hex')
}
