/**
 * The slots of its parts that a group node (`workflow>NAME`) shows: inputs and outputs by name, widgets in the order of
 * the stored values. Source: ComfyUI's page; docs/spec/comfyui.md, 1.3.
 */
import { asText } from '../../../../lib/json/plain.ts'
import { asIndex, isArray, isObject, type JsonObject, type JsonValue } from '../../../../lib/json/value.ts'
import type { GraphNode } from '../document/document.ts'
import type { ValueSlot } from '../input-type.ts'

export type GroupLink = {
  readonly from: number
  readonly slot: number
  readonly to: number
  readonly toSlot: number
  readonly type: string
}

export type Part = {
  readonly node: GraphNode
  readonly inputs: readonly string[]
  readonly values: readonly ValueSlot[]
  readonly outputs: readonly string[]
  readonly shownAs?: string
}

export type InputEnd = { readonly name: string; readonly part: number; readonly input: string }
export type OutputEnd = { readonly name: string; readonly part: number; readonly slot: number }
export type GroupValue = ValueSlot & { readonly part: number }

export type GroupSlots = {
  readonly inputs: readonly InputEnd[]
  readonly outputs: readonly OutputEnd[]
  readonly values: readonly GroupValue[]
}

export function groupSlots(group: JsonObject, parts: readonly Part[], links: readonly GroupLink[]): GroupSlots {
  const names = createNames()
  const inputs: InputEnd[] = []
  const values: GroupValue[] = []
  // An input that the part does not list has the place of its class.
  const isLinked = ({ node }: Part, part: number, input: string, place = -1) => {
    const slot = node.inputs.items.findIndex(({ name }) => name === input)
    return links.some(({ to, toSlot }) => to === part && toSlot === (slot < 0 ? place : slot))
  }
  const show = (part: number, input: string, isSocket: boolean) => {
    const one = parts[part]
    if (one === undefined) return
    const custom = configOf(group, part, 'input', input)
    const label = one.node.inputs.items.find(({ name }) => name === input)?.label
    const name = names.next(one.node, input, asText(custom?.get('name')) ?? label ?? one.shownAs ?? input)
    if (!isSocket || custom?.get('visible') !== false) inputs.push({ name, part, input })
  }
  const addValues = (part: number, input: string) => {
    for (const slot of parts[part]?.values ?? []) if (slot.name === input) values.push({ ...slot, part })
  }
  for (const [part, one] of parts.entries()) {
    for (const input of one.inputs) {
      if (!hasValue(one, input) || isConverted(one, input)) continue
      show(part, input, false)
      addValues(part, input)
    }
    const sockets = one.inputs.filter((input) => !hasValue(one, input))
    for (const [place, input] of sockets.entries()) if (!isLinked(one, part, input, place)) show(part, input, true)
  }
  // Widgets converted to inputs follow those of all parts.
  for (const [part, one] of parts.entries()) {
    for (const { name: input = '' } of one.node.inputs.items) {
      if (!hasValue(one, input) || !isConverted(one, input) || isLinked(one, part, input)) continue
      show(part, input, false)
      addValues(part, input)
    }
  }
  return { inputs, outputs: outputsOf(group, parts, links), values }
}

const hasValue = ({ values }: Part, input: string): boolean => values.some(({ name }) => name === input)

const isConverted = ({ node }: Part, input: string): boolean =>
  node.inputs.items.some(({ name, widget }) => name === input && widget === input)

function outputsOf(group: JsonObject, parts: readonly Part[], links: readonly GroupLink[]): readonly OutputEnd[] {
  const external = group.get('external')
  const isExternal = (part: number, slot: number) =>
    isArray(external) && external.some((one) => isArray(one) && asIndex(one[0]) === part && asIndex(one[1]) === slot)
  const seen = new Set<string>()
  return parts.flatMap(({ node, outputs }, part) =>
    outputs.flatMap((given, slot): readonly OutputEnd[] => {
      const custom = configOf(group, part, 'output', String(slot))
      const isHidden = links.some((link) => link.from === part && link.slot === slot) && !isExternal(part, slot)
      if (custom?.get('visible') === undefined ? isHidden : custom.get('visible') === false) return []
      const label = asText(custom?.get('name')) ?? node.outputs.items.find(({ name }) => name === given)?.label ?? given
      const prefix = node.title ?? node.type ?? ''
      const name = [label, `${prefix} ${label}`, `${prefix} ${part} ${label}`].find((one) => !seen.has(one)) ?? label
      seen.add(name)
      return [{ name, part, slot }]
    }),
  )
}

function configOf(group: JsonObject, part: number, side: 'input' | 'output', key: string): JsonObject | undefined {
  const at = (value: JsonValue | undefined, name: string) => (isObject(value) ? value.get(name) : undefined)
  const found = at(at(at(group.get('config'), String(part)), side), key)
  return isObject(found) ? found : undefined
}

/** A repeated name is preceded by its part's title, and then by a number. */
function createNames() {
  const seen = new Map<string, number>()
  return {
    next({ type = '', title }: GraphNode, input: string, wanted: string): string {
      let [name, key] = [wanted, wanted]
      if ((type === 'PrimitiveNode' && title !== undefined && title !== '') || seen.has(wanted)) {
        const prefix = `${title ?? type} `
        key = `${prefix}${input}`
        name = seen.has(key) ? `${prefix}${seen.get(key)} ${input}` : key
      }
      seen.set(key, (seen.get(key) ?? 1) + 1)
      return name
    },
  }
}
