import { beforeEach, describe, expect, test } from 'vitest'
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import { addNode } from '../../../../../src-main/features/workflows/rules/edit/add-node.ts'
import {
  moveNodes,
  setCollapsed,
  setMode,
  setTitle,
} from '../../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { removeNodes } from '../../../../../src-main/features/workflows/rules/edit/remove.ts'
import { setWidget } from '../../../../../src-main/features/workflows/rules/edit/widgets.ts'
import { isArray, isObject, type JsonValue, writeJson } from '../../../../../src-main/lib/json/value.ts'
import {
  bundledTypes,
  noWorkflowFiles,
  objectOf,
  readWorkflowFile,
  workflowFiles,
} from '../../../../support/workflow-files.ts'

const TYPES = bundledTypes()

/**
 * The places of a value that differ in another: paths like `nodes.3.pos.0`. Those that are the very same are not
 * entered.
 */
function differences(one: JsonValue | undefined, other: JsonValue | undefined, path = ''): readonly string[] {
  if (one === other) return []
  const at = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`)
  if (isArray(one) && isArray(other) && one.length === other.length)
    return one.flatMap((value, index) => differences(value, other[index], at(index)))
  if (isObject(one) && isObject(other)) {
    const keys = [...new Set([...one.keys(), ...other.keys()])]
    return keys.flatMap((key) => differences(one.get(key), other.get(key), at(key)))
  }
  return one !== undefined && other !== undefined && writeJson(one) === writeJson(other) ? [] : [path]
}

describe('a file of a user, after one edit', () => {
  beforeEach(({ skip }) => skip(noWorkflowFiles !== undefined, noWorkflowFiles))

  // A describe without tests fails, so there is one test to skip.
  const files = noWorkflowFiles === undefined ? workflowFiles.filter((name) => name.includes('ui')) : ['no file']
  const open = (name: string) => {
    const raw = objectOf(readWorkflowFile(name))
    return { raw, document: readDocument(raw) }
  }

  test.each(files)('%s differs in that alone', (name) => {
    const { raw, document } = open(name)
    const place = Math.floor(document.nodes.items.length / 2)
    const id = document.nodes.items[place]?.id ?? ''
    const ids = new Set([id])
    const changes = (changed: WorkflowDocument) => differences(raw, writeDocument(changed))
    const at = (...fields: readonly string[]) => fields.map((field) => `nodes.${place}.${field}`)
    const pos = changes(moveNodes(document, undefined, new Map([[id, [12345.5, -7]]])))
    expect(pos.every((path) => path.startsWith(`nodes.${place}.pos`))).toBe(true)
    expect(changes(setTitle(document, undefined, id, 'another title'))).toEqual(at('title'))
    expect(changes(setCollapsed(document, undefined, ids, true))).toEqual(at('flags.collapsed'))
    expect(changes(setMode(document, undefined, ids, 'bypass'))).toEqual(at('mode'))
    expect(changes(setMode(setMode(document, undefined, ids, 'bypass'), undefined, ids, 'always'))).toEqual([])
  })

  test.each(files)('%s with a value set differs in that place, and only once in the text', (name) => {
    const { raw, document } = open(name)
    const place = document.nodes.items.findIndex(({ type, inputs }) => {
      return (
        type === 'CLIPTextEncode' && inputs.items.every(({ name: slot, link }) => slot !== 'text' || link === undefined)
      )
    })
    const id = document.nodes.items[place]?.id
    if (id === undefined) return
    const changed = setWidget(document, undefined, { node: id, name: 'text', value: 'other words', types: TYPES })
    expect(differences(raw, writeDocument(changed))).toEqual([`nodes.${place}.widgets_values.0`])
  })

  test.each(files)('%s without a node has lost that, its links and what named them', (name) => {
    const { raw, document } = open(name)
    const [first] = document.nodes.items
    const removed = writeDocument(removeNodes(document, undefined, new Set([first?.id ?? ''])))
    const kept = [...removed].filter(([key, value]) => value === raw.get(key)).map(([key]) => key)
    const changed = [...raw.keys()].filter((key) => !kept.includes(key))
    expect(['nodes', 'links', 'definitions']).toEqual(expect.arrayContaining(changed))
    expect([...removed.keys()]).toEqual([...raw.keys()])
  })

  test.each(files)('%s with a node added has that, and a counter that is higher', (name) => {
    const { raw, document } = open(name)
    const type = TYPES.get('VAEDecode')
    if (type === undefined) throw new Error('the class is missing')
    const { document: grown, id } = addNode(document, undefined, { type, pos: [0, 0] })
    const { nodes, last_node_id, ...rest } = JSON.parse(writeJson(writeDocument(grown)))
    const { nodes: before, last_node_id: counted, ...same } = JSON.parse(writeJson(raw))
    expect(rest).toEqual(same)
    expect(nodes.slice(0, -1)).toEqual(before)
    expect(String(last_node_id)).toBe(id)
    expect(Number(last_node_id)).toBeGreaterThan(Number(counted))
  })
})
