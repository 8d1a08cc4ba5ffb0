/**
 * Checks a payload before it is queued, so that a mistake is reported at its node and not by a worker minutes later.
 * Source: docs/spec/image-workflows.md, 4; docs/spec/comfyui.md, 9.
 */

import { isArray, type JsonObject, type JsonValue } from '../../../lib/json/value.ts'
import { checkValue } from './check-value.ts'
import { typeOfPayloadNode } from './dynamic-inputs.ts'
import { type InputType, isWidget, typesFit } from './input-type.ts'
import { type NodeType, type NodeTypes, type OutputType, typesHere } from './node-types.ts'
import { linksInto, type PayloadNode, readLink, readPayloadNode, readPayloadNodes } from './payload.ts'
import { danglingLink, type Problem, type ProblemCode } from './problem.ts'
import { recognise } from './recognise.ts'

/**
 * @param known the worker's classes; for nodes of other classes only links are checked
 * @returns problems in node order; unneeded nodes give warnings, as nobody runs them
 */
export function validate(payload: JsonValue, known: NodeTypes): readonly Problem[] {
  const types = typesHere(known)
  const recognised = recognise(payload)
  if (recognised.form === 'document') return [notAWorkflow('a saved workflow of the editor. Convert it to a payload')]
  if (recognised.form === 'other') return [notAWorkflow(`${recognised.found}. Send {id: {class_type, inputs}}`)]
  const nodes = new Map<string, PayloadNode>()
  const problems: Problem[] = []
  for (const [id, raw] of recognised.raw) {
    const node = readPayloadNode(id, raw)
    if (node !== undefined) nodes.set(id, node)
    else problems.push(at(id, 'not_a_workflow', `Node ${id} has no class_type and inputs. Remove it, or add them.`))
  }
  problems.push(...cyclesOf(nodes), ...outputsOf(nodes, types))
  const needed = neededNodes(nodes, types)
  for (const node of nodes.values()) {
    const found = checkNode(node, nodes, types)
    for (const problem of found) problems.push(needed.has(node.id) ? problem : asWarning(problem))
  }
  return problems
}

const asWarning = (problem: Problem): Problem => ({ ...problem, severity: 'warning' })

function notAWorkflow(found: string): Problem {
  return { code: 'not_a_workflow', severity: 'error', message: `This is not a workflow payload but ${found}.` }
}

function at(node: string, code: ProblemCode, message: string, input?: string): Problem {
  return { code, severity: 'error', node, ...(input === undefined ? {} : { input }), message }
}

const LOOP_SHOWN = 20

function cyclesOf(nodes: ReadonlyMap<string, PayloadNode>): readonly Problem[] {
  return findCycles(nodes).map((ids) => {
    const shown = ids.length > LOOP_SHOWN ? [...ids.slice(0, LOOP_SHOWN), '…'] : ids
    const way = [...shown, ids[0]].join(' → ')
    return at(ids[0] ?? '', 'cycle', `The links form a loop: ${way}. Remove one of them.`)
  })
}

function outputsOf(nodes: ReadonlyMap<string, PayloadNode>, types: NodeTypes): readonly Problem[] {
  const known = [...nodes.values()].map(({ classType }) => types.get(classType))
  if (known.some((type) => type === undefined || type.isOutput)) return []
  const message = 'The graph has no output: no node saves or shows a result. Add one, like SaveImage.'
  return [{ code: 'no_output_node', severity: 'error', message }]
}

/** Nodes of an unknown class also count, because they may be outputs. */
function neededNodes(nodes: ReadonlyMap<string, PayloadNode>, types: NodeTypes): ReadonlySet<string> {
  const needed = new Set<string>()
  const waiting = [...nodes.values()].flatMap(({ id, classType }) =>
    types.get(classType)?.isOutput === false ? [] : [id],
  )
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = nodes.get(id)
    if (node === undefined || needed.has(id)) continue
    needed.add(id)
    for (const link of linksInto(node)) waiting.push(link.node)
  }
  return needed
}

export function linksToNothing(payload: JsonObject): readonly Problem[] {
  return readPayloadNodes(payload).flatMap((node) =>
    linksInto(node).flatMap((link) => (payload.has(link.node) ? [] : danglingLink(link.node, node.id, link.input))),
  )
}

function checkNode(node: PayloadNode, nodes: ReadonlyMap<string, PayloadNode>, types: NodeTypes): readonly Problem[] {
  const type = typeOfPayloadNode(node, types)
  const problems: Problem[] = []
  if (type === undefined) problems.push(unknownClass(node))
  else problems.push(...missingInputs(node, type))
  const inputs = new Map(type?.inputs.map((input) => [input.name, input]))
  for (const [name, value] of node.inputs) {
    const problem = isArray(value)
      ? checkLink(node, name, { value, input: inputs.get(name), nodes, types })
      : checkGiven(node, name, value, inputs.get(name))
    if (problem !== undefined) problems.push(problem)
  }
  return problems
}

function unknownClass({ id, classType }: PayloadNode): Problem {
  const message = `The class ${classType} is not known here. A worker that has it can still run the node.`
  return { code: 'unknown_class', severity: 'warning', node: id, message }
}

// Only the server knows the number of inputs that depend on others, like growing lists.
function missingInputs({ id, inputs }: PayloadNode, type: NodeType): readonly Problem[] {
  return type.inputs.flatMap((input) => {
    if (!input.isRequired || inputs.has(input.name) || input.type.startsWith('COMFY_')) return []
    const next = isWidget(input) ? 'Link something to it, or set a value.' : 'Link something to it.'
    const message = `Input ${input.name} (${input.type}) is missing. ${next}`
    return [at(id, 'required_input_missing', message, input.name)]
  })
}

function checkGiven({ id }: PayloadNode, name: string, value: JsonValue, input?: InputType): Problem | undefined {
  const valueProblem = input === undefined ? undefined : checkValue(input, value)
  if (valueProblem === undefined || input === undefined) return undefined
  return at(id, valueProblem.code, `Input ${name} ${valueProblem.says}. ${nextStep(valueProblem.code, input)}`, name)
}

function nextStep(code: ProblemCode, input: InputType): string {
  if (code !== 'required_input_missing') return 'Choose another value.'
  if (!isWidget(input)) return `Link a ${input.type} to it.`
  return input.choices?.length === 0 ? 'Type one that the worker has.' : 'Set one.'
}

type LinkCheck = {
  readonly value: JsonValue
  readonly input: InputType | undefined
  readonly nodes: ReadonlyMap<string, PayloadNode>
  readonly types: NodeTypes
}

function checkLink(node: PayloadNode, name: string, { value, input, nodes, types }: LinkCheck): Problem | undefined {
  const link = readLink(value)
  if (link === undefined)
    return at(node.id, 'wrong_value_type', `Input ${name} is a list, but not a link of a node and an output.`, name)
  const source = nodes.get(link.node)
  if (source === undefined) return danglingLink(link.node, node.id, name)
  const sourceType = types.get(source.classType)
  if (sourceType === undefined) return undefined
  const output = sourceType.outputs[link.slot]
  if (output === undefined) {
    const message = `Input ${name} is linked to output ${link.slot} of node ${link.node} (${source.classType}), which has ${sourceType.outputs.length}. Link it to another one.`
    return at(node.id, 'bad_output_slot', message, name)
  }
  if (input === undefined || fits(output, input)) return undefined
  const message = `Input ${name} needs ${input.type}, but output ${output.name} of node ${link.node} (${source.classType}) gives ${output.type}. Link something that fits.`
  return at(node.id, 'type_mismatch', message, name)
}

// Types that depend on other links cannot be checked here.
function fits(output: OutputType, input: InputType): boolean {
  return output.type.startsWith('COMFY_') || input.type.startsWith('COMFY_') || typesFit(output.type, input.type)
}

// In a crafted graph, each link could close a loop of all nodes before it: gigabytes of ids.
const CYCLES_MAX = 100

/**
 * Cycles as node ids in data order, each once; the first 100.
 * @param nodes by id
 */
function findCycles(nodes: ReadonlyMap<string, PayloadNode>): readonly (readonly string[])[] {
  const done = new Set<string>()
  const cycles: string[][] = []
  for (const start of nodes.keys()) {
    if (!done.has(start) && cycles.length < CYCLES_MAX) visit(start, nodes, done, cycles)
  }
  return cycles
}

// Depth first with an explicit stack, because a chain of 50,000 nodes must not fail.
function visit(start: string, nodes: ReadonlyMap<string, PayloadNode>, done: Set<string>, cycles: string[][]): void {
  const path: string[] = []
  const onPath = new Set<string>()
  const stack: { readonly id: string; readonly sources: Iterator<string> }[] = []
  const enter = (id: string) => {
    const node = nodes.get(id)
    path.push(id)
    onPath.add(id)
    const sources = node === undefined ? [] : linksInto(node).map((link) => link.node)
    stack.push({ id, sources: sources.values() })
  }
  enter(start)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const source = top.sources.next().value
    if (source === undefined) {
      stack.pop()
      path.pop()
      onPath.delete(top.id)
      done.add(top.id)
    } else if (onPath.has(source)) {
      if (cycles.length < CYCLES_MAX) cycles.push(path.slice(path.indexOf(source)).reverse())
    } else if (!done.has(source)) {
      enter(source)
    }
  }
}
