/** Errors of the server about nodes of a prompt. Source: docs/spec/comfyui.md, 6 and 9. */
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../../../src-main/features/workflows/rules/json/value.ts'
import type { FailureFacts } from '../failure.ts'
import { pythonText } from './python-text.ts'

export type NodeFault = {
  readonly node: string
  readonly class: string | undefined
  readonly input: string | undefined
  readonly message: string
  readonly reason: string
}

export function nodeFaults(nodeErrors: JsonValue | undefined): NodeFault[] {
  if (!isObject(nodeErrors)) return []
  return [...nodeErrors].flatMap(([node, facts]) => {
    if (!isObject(facts)) return []
    const errors = facts.get('errors')
    const name = textAt(facts, 'class_type')
    return (isArray(errors) ? errors.filter(isObject) : []).map((error) => readFault(error, node, name))
  })
}

export function faultSentence({ node, class: name, input, message }: NodeFault): string {
  const place = name === undefined ? `Node ${node}` : `${name} (${node})`
  return `${place}${input === undefined ? '' : `, ${input}`}: ${message}`
}

export function publicLines(nodeErrors: JsonValue | undefined): string[] {
  if (!isObject(nodeErrors)) return []
  return [...nodeErrors].flatMap(([id, node]) =>
    isObject(node)
      ? [...node].map(([kind, said]) => `Node ${id} (${kind}): ${pythonText(said)}`)
      : [`Node ${id}: ${pythonText(node)}`],
  )
}

export function blamedNode(error: JsonObject): Pick<FailureFacts, 'node'> {
  const extra = error.get('extra_info')
  const named = isObject(extra) ? textAt(extra, 'node_id') : undefined
  const told = /^Node ID '#(.+)'$/.exec(textAt(error, 'details') ?? '')?.[1]
  const node = named ?? told
  return node === undefined ? {} : { node }
}

function readFault(error: JsonObject, node: string, name: string | undefined): NodeFault {
  const extra = error.get('extra_info')
  const input = isObject(extra) ? textAt(extra, 'input_name') : undefined
  const [message, details] = [textAt(error, 'message') ?? 'no message', textAt(error, 'details') ?? '']
  const isNew = details !== '' && details !== input && !message.includes(details)
  const whole = isNew ? `${message}: ${details}` : message
  return { node, class: name, input, message: whole, reason: reasonOf(textAt(error, 'type'), extra) ?? whole }
}

// Source: docs/spec/comfyui.md, 9; execution.py adds the received value and the definition of the input.
function reasonOf(type: string | undefined, extra: JsonValue | undefined): string | undefined {
  if (!isObject(extra)) return undefined
  const [config, value] = [extra.get('input_config'), extra.get('received_value')]
  switch (type) {
    case 'value_not_in_list':
      return value === undefined ? undefined : `the server has no ${pythonText(value)} among its choices`
    case 'required_input_missing':
      return 'it is not connected, and has no value'
    case 'return_type_mismatch': {
      const [got, wanted] = [textAt(extra, 'received_type'), isArray(config) ? config[0] : undefined]
      return got === undefined || typeof wanted !== 'string' ? undefined : `it takes ${wanted}, and gets ${got}`
    }
    default:
      return undefined
  }
}

function textAt(object: JsonObject, key: string): string | undefined {
  const value = object.get(key)
  return typeof value === 'string' ? value : undefined
}
