/** Whether what somebody wants to publish can be run, field by field. Source: image-workflows, Published graphs. */
import { AppError } from '../../contract/errors.ts'
import type { GraphParameter, PublishGraph } from '../../contract/published.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'
import { readLink, readPayloadNode } from '../../domain/workflow/payload.ts'
import { defaultOf, faultOf } from '../../domain/workflow/publish/parameter-values.ts'
import { readPayload } from './read-payload.ts'
import { refuseManyValues } from './refuse-many-values.ts'

/**
 * Checks the payload of a graph, its parameters and its results.
 * @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE, BAD_FIELD with the name of the field
 */
export function checkPublished({ payload: text, parameters, results }: PublishGraph): void {
  refuseManyValues(text, 'payload') // each of its jobs reads it again
  const payload = readPayload(text)
  parameters.forEach((parameter, at) => {
    const fault = parameterFault(payload, parameter)
    if (fault !== undefined) throw new AppError('BAD_FIELD', { ...fault, field: `parameters.${at}.${fault.field}` })
  })
  results.forEach((node, at) => {
    if (!payload.has(node)) throw new AppError('BAD_FIELD', { field: `results.${at}`, why: `there is no node ${node}` })
  })
}

function parameterFault(payload: JsonObject, parameter: GraphParameter) {
  const node = readPayloadNode(parameter.node, payload.get(parameter.node))
  if (node === undefined) return { field: 'node', why: `there is no node ${parameter.node}` }
  if (readLink(node.inputs.get(parameter.input)) !== undefined)
    return { field: 'input', why: `${parameter.input} of node ${parameter.node} is linked to another node` }
  if (parameter.default === undefined) return undefined
  const value = defaultOf(parameter)
  const why = value === undefined ? 'is no valid JSON' : faultOf(parameter, value)
  return why === undefined ? undefined : { field: 'default', why }
}
