import {
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  Pair,
  type ParsedNode,
  parseDocument,
  Scalar,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml'
import { utf8Bytes } from '../../../../contract/limits.ts'
import { parseJson } from '../../../../lib/json/parse.ts'
import { isRecord } from '../../../../lib/json/plain.ts'
import { isArray, isNumber, isObject, type JsonValue, writeJson } from '../../../../lib/json/value.ts'

export type OpenText = {
  readonly text: string
  readonly isJson: boolean
  readonly document: Document
  readonly data: unknown
}

// Source: ours; a thousand packages fit, and the YAML parser takes a second for 1 MiB.
const FOREIGN_KIB = 512

export function openText(text: string, mostKib = FOREIGN_KIB): OpenText {
  if (utf8Bytes(text) > mostKib * 1024) throw new Error(`it is larger than ${mostKib} KiB`)
  const json = /^\s*[{[]/.test(text) ? parseJson(text) : undefined
  const document = json === undefined ? parsedYaml(text) : new Document()
  if (json !== undefined) document.contents = nodeOfJson(json) as ParsedNode
  return { text, isJson: json !== undefined, document, data: dataOf(document.contents) }
}

function parsedYaml(text: string): Document {
  const document = parseDocument(text)
  const [fault] = document.errors
  if (fault !== undefined) throw new Error(`it is not valid YAML: ${fault.message.split(/:?\n/)[0]}`)
  visit(document, {
    Alias() {
      throw new Error('it has YAML aliases, which are not supported')
    },
  })
  return document
}

/** @param data what the text says afterwards; items of lists keep their comments by name, or else by position */
export function changedText({ text, isJson, document, data: before }: OpenText, data: unknown): string {
  const wanted = withoutMissing(data)
  if (same(before, wanted)) return text
  const edits = isJson ? undefined : scalarEdits(document.contents, wanted)
  if (edits !== undefined)
    return edits.reduceRight((so, { start, end, by }) => so.slice(0, start) + by + so.slice(end), text)
  document.contents = synced(document, document.contents, wanted) as ParsedNode
  if (isJson) return `${writeJson(jsonOfNode(document.contents), JSON_INDENT)}\n`
  return document.toString({
    lineWidth: 0,
    indentSeq: !FLAT_LISTS.test(text),
    flowCollectionPadding: !/[:,-] [{[][^\s}\]]/.test(text),
  })
}

type Edit = { readonly start: number; readonly end: number; readonly by: string }

function scalarEdits(node: unknown, value: unknown): readonly Edit[] | undefined {
  if (same(dataOf(node), value)) return []
  if (isMap(node) && isRecord(value)) {
    const names = new Set(node.items.map(({ key }) => keyOf(key)))
    if (Object.entries(value).some(([name, one]) => !names.has(name) && !isEmpty(one))) return undefined
    return joined(
      node.items.map((pair) => {
        const one = value[keyOf(pair.key)]
        return one === undefined && isEmpty(dataOf(pair.value)) ? [] : scalarEdits(pair.value, one)
      }),
    )
  }
  if (isSeq(node) && Array.isArray(value) && node.items.length === value.length)
    return joined(
      node.items.map((item, at) =>
        isSameItem(dataOf(item), value[at], true) ? scalarEdits(item, value[at]) : undefined,
      ),
    )
  if (!isScalar(node) || !node.range || value === undefined || isRecord(value) || Array.isArray(value)) return undefined
  if (node.type === 'BLOCK_FOLDED' || node.type === 'BLOCK_LITERAL' || node.source === '') return undefined
  const quote = node.type === 'QUOTE_SINGLE' ? "'" : '"'
  return [{ start: node.range[0], end: node.range[1], by: scalarText(value, quote, node.type === 'PLAIN') }]
}

function joined(parts: readonly (readonly Edit[] | undefined)[]): readonly Edit[] | undefined {
  const known = parts.filter((part) => part !== undefined)
  return known.length === parts.length ? known.flat() : undefined
}

const PLAIN_TEXT = /^[A-Za-z][\w./+-]*$/

function scalarText(value: unknown, quote: string, isPlain: boolean): string {
  if (typeof value !== 'string') return String(value)
  const fits = PLAIN_TEXT.test(value) || /^[0-9a-f]{40}$|^\d+\.\d+\.\d+$/.test(value)
  if (isPlain && fits && parseDocument(value).toJS() === value) return value
  return quote === "'" && fits ? `'${value}'` : JSON.stringify(value)
}

export const freshText = (data: unknown): string =>
  new Document(withoutMissing(data), { aliasDuplicateObjects: false }).toString({ lineWidth: 0 })

const JSON_INDENT = 4
const FLAT_LISTS = /^( *)[^\s#-][^\n]*:[ ]*\n\1- /m

function dataOf(node: unknown): unknown {
  if (isMap(node)) return Object.fromEntries(node.items.map(({ key, value }) => [keyOf(key), dataOf(value)]))
  if (isSeq(node)) return node.items.map(dataOf)
  if (!isScalar(node)) return null
  const { value, source } = node
  return (typeof value === 'number' || typeof value === 'bigint') && source !== undefined && String(value) !== source
    ? source
    : value
}

const keyOf = (key: unknown): string => (isScalar(key) ? (key.source ?? String(key.value)) : String(key))

function synced(document: Document, node: unknown, value: unknown): Node {
  if (isNode(node) && same(dataOf(node), value)) return node
  if (isMap(node) && isRecord(value)) {
    node.items = node.items.filter((pair) => Object.hasOwn(value, keyOf(pair.key)) || isEmpty(dataOf(pair.value)))
    for (const [name, one] of Object.entries(value)) {
      if (isEmpty(one) && !node.items.some(({ key }) => keyOf(key) === name)) continue
      const pair = node.items.find(({ key }) => keyOf(key) === name)
      if (pair === undefined) node.items.push(new Pair(document.createNode(name), document.createNode(one)))
      else pair.value = synced(document, pair.value, one)
    }
    return asBlock(node)
  }
  if (isSeq(node) && Array.isArray(value)) {
    const left = [...node.items]
    node.items = value.map((one, at) => {
      const found = left.findIndex((item, index) => isSameItem(dataOf(item), one, index === at))
      const item = found < 0 ? undefined : left[found]
      if (found >= 0) left[found] = undefined
      return synced(document, item, one)
    })
    return asBlock(node)
  }
  if (isScalar(node) && !isRecord(value) && !Array.isArray(value)) {
    node.value = value
    delete node.source
    delete node.format
    return node
  }
  return document.createNode(value)
}

const isNode = (value: unknown): value is Node => isMap(value) || isSeq(value) || isScalar(value) || isAlias(value)

function asBlock<Of extends YAMLMap | YAMLSeq>(node: Of): Of {
  if (node.flow === true && node.srcToken?.type === 'flow-collection' && node.srcToken.items.length === 0)
    node.flow = false
  return node
}

function isSameItem(item: unknown, wanted: unknown, isSamePlace: boolean): boolean {
  if (item === undefined) return false
  if (!isRecord(item) || !isRecord(wanted)) return same(item, wanted)
  const [one, other] = [identityOf(item), identityOf(wanted)]
  return one === undefined && other === undefined ? isSamePlace : one === other
}

function identityOf(item: Readonly<Record<string, unknown>>): string | undefined {
  const name = item.name ?? item.filename ?? item.model
  return typeof name === 'string' ? JSON.stringify([item.folder ?? item.type, name]) : undefined
}

function same(one: unknown, other: unknown): boolean {
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => same(item, other[at]))
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other)
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => {
    if (!Object.hasOwn(other, name)) return isEmpty(one[name])
    return Object.hasOwn(one, name) ? same(one[name], other[name]) : isEmpty(other[name])
  })
}

export const isEmpty = (value: unknown): boolean =>
  (Array.isArray(value) && value.length === 0) || (isRecord(value) && Object.keys(value).length === 0)

function withoutMissing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMissing)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (one === undefined ? [] : [[name, withoutMissing(one)]])),
  )
}

function nodeOfJson(value: JsonValue): Node {
  if (isArray(value)) {
    const list = new YAMLSeq()
    list.items = value.map(nodeOfJson)
    return list
  }
  if (isObject(value)) {
    const map = new YAMLMap()
    map.items = [...value].map(([name, one]) => new Pair(new Scalar(name), nodeOfJson(one)))
    return map
  }
  if (!isNumber(value)) return new Scalar(value)
  return Object.assign(new Scalar(Number(value.number)), { source: value.number })
}

function jsonOfNode(node: unknown): JsonValue {
  if (isMap(node)) return new Map(node.items.map(({ key, value }) => [keyOf(key), jsonOfNode(value)]))
  if (isSeq(node)) return node.items.map(jsonOfNode)
  if (!isScalar(node)) return null
  const { value, source } = node
  if (typeof value === 'number') return { number: source ?? String(value) }
  return typeof value === 'string' || typeof value === 'boolean' ? value : null
}
