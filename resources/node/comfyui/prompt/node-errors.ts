import { arrayAt, isArray, isObject, type JsonObject, type JsonValue } from '../../../../src-main/lib/json/value.ts'
import type { FailureFacts } from '../failure.ts'
import { textIn } from '../progress/server-message.ts'
import { pythonText } from './python-text.ts'

export type NodeFault = Readonly<ReturnType<typeof readFault>>

export function nodeFaults(nodeErrors: JsonValue | undefined): NodeFault[] {
  if (!isObject(nodeErrors)) return []
  return [...nodeErrors].flatMap(([node, facts]) => {
    if (!isObject(facts)) return []
    const name = textIn(facts, 'class_type')
    return arrayAt(facts, 'errors')
      .filter(isObject)
      .map((error) => readFault(error, node, name))
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
  const named = isObject(extra) ? textIn(extra, 'node_id') : undefined
  const told = /^Node ID '#(.+)'$/.exec(textIn(error, 'details') ?? '')?.[1]
  const node = named ?? told
  return node === undefined ? {} : { node }
}

function readFault(error: JsonObject, node: string, name: string | undefined) {
  const extra = error.get('extra_info')
  const input = isObject(extra) ? textIn(extra, 'input_name') : undefined
  const [message, details] = [textIn(error, 'message') ?? 'no message', textIn(error, 'details') ?? '']
  const isNew = details !== '' && details !== input && !message.includes(details)
  const whole = isNew ? `${message}: ${details}` : message
  return { node, class: name, input, message: whole, reason: reasonOf(textIn(error, 'type'), extra) ?? whole }
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
      const [got, wanted] = [textIn(extra, 'received_type'), isArray(config) ? config[0] : undefined]
      return got === undefined || typeof wanted !== 'string' ? undefined : `it takes ${wanted}, and gets ${got}`
    }
    default:
      return undefined
  }
}
