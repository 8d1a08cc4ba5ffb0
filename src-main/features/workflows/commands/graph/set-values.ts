import { usageError } from '../../../../app/cli/cli-error.ts'
import { parseJson } from '../../../../lib/json/parse.ts'
import { isNumber, type JsonObject, type JsonValue, withKey } from '../../../../lib/json/value.ts'
import type { WorkflowDocument } from '../../rules/document/document.ts'
import { setWidget } from '../../rules/edit/widgets.ts'
import type { NodeTypes } from '../../rules/node-types.ts'
import { readPayloadNode } from '../../rules/payload.ts'

export type Setting = { readonly node: string; readonly input: string; readonly text: string }

/**
 * Parses `NODE.INPUT=VALUE`; node ids within subgraphs have colons, like `57:8`.
 * @throws CliError USAGE
 */
export function readSetting(
  text: string,
  form = '--set takes NODE.INPUT=VALUE, like 6.text="a cat" or 3.seed=7',
): Setting {
  const [, node, input, value] = /^([^.=]+)\.([^=]+)=(.*)$/s.exec(text) ?? []
  if (node === undefined || input === undefined || value === undefined) throw usageError(`${form}, not ${text}.`)
  return { node, input, text: value }
}

/**
 * Numbers keep their typed text.
 * @throws CliError USAGE for an unknown node or input, or a value of another kind
 */
export function setInPayload(payload: JsonObject, settings: readonly Setting[], types: NodeTypes): JsonObject {
  return settings.reduce((before, setting) => {
    const node = readPayloadNode(setting.node, before.get(setting.node))
    if (node === undefined)
      throw usageError(`There is no node ${setting.node}. The graph has ${someOf([...before.keys()])}.`)
    const type = types.get(node.classType)?.inputs.find(({ name }) => name === setting.input)
    const present = node.inputs.get(setting.input)
    if (type === undefined && present === undefined) {
      const names = [...node.inputs.keys()]
      throw usageError(
        `Node ${setting.node} (${node.classType}) has no input ${setting.input}. Its inputs are ${someOf(names)}.`,
      )
    }
    const inputs = withKey(node.inputs, setting.input, readValue(setting, type?.type ?? kindOf(present)))
    return withKey(before, setting.node, withKey(node.raw, 'inputs', inputs))
  }, payload)
}

export function setInDocument(
  document: WorkflowDocument,
  settings: readonly Setting[],
  types: NodeTypes,
): { readonly document: WorkflowDocument; readonly rest: readonly Setting[] } {
  const rest: Setting[] = []
  let changed = document
  for (const setting of settings) {
    const { node, input: name } = setting
    const found = changed.nodes.items.find(({ id }) => id === node)
    const type = types.get(found?.type ?? '')?.inputs.find((one) => one.name === name)
    const next =
      found === undefined
        ? changed
        : setWidget(changed, undefined, { node, name, value: readValue(setting, type?.type), types })
    if (next === changed) rest.push(setting)
    changed = next
  }
  return { document: changed, rest }
}

const kindOf = (value: JsonValue | undefined) =>
  typeof value === 'string' ? 'STRING' : isNumber(value) ? 'NUMBER' : undefined

function readValue({ node, input, text }: Setting, type: string | undefined): JsonValue {
  if (type === 'STRING' || type === 'COMBO') return text
  const value = parseJson(text, { bare: 'refused' })
  const isAsked = type === 'INT' || type === 'FLOAT' || type === 'NUMBER'
  if (isAsked && !isNumber(value)) throw usageError(`${node}.${input} takes a number, not ${text}.`)
  if (type === 'INT' && isNumber(value) && !/^-?\d+$/.test(value.number))
    throw usageError(`${node}.${input} takes a whole number, not ${text}.`)
  if (type === 'BOOLEAN' && typeof value !== 'boolean')
    throw usageError(`${node}.${input} takes true or false, not ${text}.`)
  return value ?? text
}

const NAMED = 12

function someOf(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  return names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ` and ${names.length - NAMED} more` : '')
}

export type Exposed = { readonly node: string; readonly input: string; readonly name: string }

export function readExposed(text: string): Exposed {
  const [, node, input, name] = /^([^.=]+)\.([^=]+?)(?:=([A-Za-z_][A-Za-z0-9_]*))?$/.exec(text) ?? []
  if (node === undefined || input === undefined)
    throw usageError(`--expose takes NODE.INPUT or NODE.INPUT=NAME, like 6.text=prompt, not ${text}.`)
  return { node, input, name: name ?? input }
}
