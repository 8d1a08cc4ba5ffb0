import type { GraphParameter, PublishGraph } from '../../../../contract/published.ts'
import type { JsonObject } from '../../../../lib/json/value.ts'
import { readLink, readPayloadNode } from '../payload.ts'
import { defaultOf, valueProblem } from '../publish/parameter-values.ts'
import { type NoPayload, readPayloadText } from './run-graph.ts'
import { manyValues } from './sent-graph.ts'

export type PublishedParts = Pick<PublishGraph, 'payload' | 'parameters' | 'results'>

export type PublishProblem = NoPayload | { readonly field: string; readonly why: string } | { readonly isFine: true }

export function publishProblem({ payload: text, parameters, results }: PublishedParts): PublishProblem {
  const tooMany = manyValues(text)
  if (tooMany !== undefined) return { field: 'payload', why: tooMany }
  const read = readPayloadText(text)
  if (!('payload' in read)) return read
  const { payload } = read
  for (const [at, parameter] of parameters.entries()) {
    const problem = parameterProblem(payload, parameter)
    if (problem !== undefined) return { ...problem, field: `parameters.${at}.${problem.field}` }
  }
  for (const [at, node] of results.entries())
    if (!payload.has(node)) return { field: `results.${at}`, why: `there is no node ${node}` }
  return { isFine: true }
}

function parameterProblem(payload: JsonObject, parameter: GraphParameter) {
  const node = readPayloadNode(parameter.node, payload.get(parameter.node))
  if (node === undefined) return { field: 'node', why: `there is no node ${parameter.node}` }
  if (readLink(node.inputs.get(parameter.input)) !== undefined)
    return { field: 'input', why: `${parameter.input} of node ${parameter.node} is linked to another node` }
  if (parameter.default === undefined) return undefined
  const value = defaultOf(parameter)
  const why = value === undefined ? 'is not valid JSON' : valueProblem(parameter, value)
  return why === undefined ? undefined : { field: 'default', why }
}
