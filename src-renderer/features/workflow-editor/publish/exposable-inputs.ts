import type { GraphParameter } from '../../../../src-main/contract/published.ts'
import type { JsonObject } from '../../../../src-main/domain/workflow/json/value.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import { readPayloadNodes } from '../../../../src-main/domain/workflow/payload.ts'
import { suggestParameter } from '../../../../src-main/domain/workflow/publish/suggest-parameter.ts'

/** An input that could be a parameter. */
export type ExposableInput = { readonly title: string; readonly suggestion: GraphParameter }

/** The values of a payload that can be given from outside, in its order. */
export function exposableInputs(payload: JsonObject, types: NodeTypes): readonly ExposableInput[] {
  return readPayloadNodes(payload).flatMap(({ id, classType, title, inputs }) =>
    [...inputs.keys()].flatMap((input) => {
      const suggestion = suggestParameter(payload, types, { node: id, input })
      return 'parameter' in suggestion ? [{ title: title ?? classType, suggestion: suggestion.parameter }] : []
    }),
  )
}

/** A node that gives results. */
export type ResultNode = { readonly id: string; readonly title: string }

/** The nodes of a payload that give results. */
export function resultNodes(payload: JsonObject, types: NodeTypes): readonly ResultNode[] {
  return readPayloadNodes(payload)
    .filter(({ classType }) => types.get(classType)?.isOutput === true)
    .map(({ id, classType, title }) => ({ id, title: title ?? classType }))
}
