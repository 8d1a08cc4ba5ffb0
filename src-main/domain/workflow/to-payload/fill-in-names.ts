/**
 * Places like `%KSampler.seed%` and `%date:yyyy-MM-dd%` in the names of files that nodes save. Source: editor research, 2,
 * Replacement.
 */
import { sentValues } from '../default-values.ts'
import type { GraphNode } from '../document/document.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { asText, isNumber, isObject, type JsonValue } from '../json/value.ts'
import type { NodeTypes } from '../node-types.ts'
import type { Scope } from './scope.ts'

const SAVING = new Set([
  ...['SaveImage', 'SaveVideo', 'SaveAnimatedWEBP', 'SaveAnimatedPNG', 'SaveWEBM', 'SaveAudio', 'SaveGLB'],
  ...['SaveLatent', 'CLIPSave', 'VAESave', 'ModelSave', 'LoraSave'],
])
const PLACE = /%([^%]+)%/g
// As the editor does: they cannot be in the name of a file.
const NOT_IN_NAMES = /[/\\:*?"<>|]/g

/** Fills in the value of a widget where its node saves files under it. */
export type Filler = (node: GraphNode, widget: string, value: JsonValue) => JsonValue

/** Makes it. @param scope the graph whose nodes are named @param now ms since the epoch */
export function createFiller(scope: Scope, types: NodeTypes, now: number): Filler {
  function textOf(place: string): string | undefined {
    const date = /^date:(.+)$/.exec(place)?.[1]
    if (date !== undefined) return writeDate(date, new Date(now))
    const [name, widget, ...more] = place.split('.')
    if (widget === undefined || more.length > 0) return undefined
    const nodes = scope.graph.nodes.items
    const node = nodes.find((one) => searchName(one) === name) ?? nodes.find(({ title }) => title === name)
    if (node === undefined) return undefined
    const value = sentValues(node, typeOfNode(node, types))?.get(widget)
    const text = isNumber(value) ? value.number : asText(value)
    return text?.replace(NOT_IN_NAMES, '_')
  }
  return (node, widget, value) => {
    if (widget !== 'filename_prefix' || typeof value !== 'string' || !SAVING.has(node.type ?? '')) return value
    return value.replace(PLACE, (whole, place: string) => textOf(place) ?? whole)
  }
}

function searchName({ properties }: GraphNode): string | undefined {
  return isObject(properties) ? asText(properties.get('Node name for S&R')) : undefined
}

function writeDate(pattern: string, at: Date): string {
  const parts: Readonly<Record<string, number>> = {
    d: at.getDate(),
    M: at.getMonth() + 1,
    h: at.getHours(),
    m: at.getMinutes(),
    s: at.getSeconds(),
  }
  return pattern.replace(/yyyy|yy|([dMhms])\1?/g, (letters, letter?: string) => {
    const value = letter === undefined ? String(at.getFullYear()).slice(-letters.length) : String(parts[letter])
    return value.padStart(letters.length, '0')
  })
}
