import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { layOut } from '../../../../src-main/features/workflows/rules/arrange/lay-out.ts'
import { readDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { type NodeTypes, readNodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { toResolvedPayload } from '../../../../src-main/features/workflows/rules/resolve/resolve.ts'
import { toDocument } from '../../../../src-main/features/workflows/rules/to-document.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { type JsonObject, writeJson } from '../../../../src-main/lib/json/value.ts'
import {
  bundledTypes,
  json,
  noWorkflowFiles,
  objectOf,
  readWorkflowFile,
  specifiedTypes,
  workflowFiles,
} from '../../../support/workflow-files.ts'

const TYPES = readNodeTypes(
  json({
    Load: { input: { required: { name: [['a', 'b']] }, optional: { big: ['INT'] } }, output: ['MODEL', 'CLIP'] },
    Run: {
      input: { required: { model: ['MODEL'], seed: ['INT', {}], text: ['STRING', { multiline: true }] } },
      output: ['IMAGE'],
    },
  }) as JsonObject,
)

type Node = { readonly class_type: string; readonly inputs: Readonly<Record<string, unknown>> }
type Payload = Readonly<Record<string, Node>>

// The part of a payload that a worker reads: titles are for people.
function said(payload: JsonObject): Payload {
  const nodes: Record<string, Node> = JSON.parse(writeJson(payload))
  return Object.fromEntries(Object.entries(nodes).map(([id, { class_type, inputs }]) => [id, { class_type, inputs }]))
}

const thereAndBack = (payload: JsonObject, types: NodeTypes) =>
  toPayload(readDocument(toDocument(payload, types)), types, 0)

const ids = fc.constantFrom('1', '2', '30', '007', '5:6', 'a')
const link = fc.tuple(ids, fc.nat(1))
const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.integer()), link)
const node = fc.record({
  class_type: fc.constantFrom('Load', 'Run', 'Unknown'),
  inputs: fc.dictionary(fc.constantFrom('name', 'big', 'model', 'seed', 'text', 'more', '__proto__'), value),
})

describe('from a payload to a document', () => {
  test('and back, it says the same: every link and value is kept', () => {
    fc.assert(
      fc.property(fc.dictionary(ids, node, { minKeys: 1 }), (made) => {
        const linked = withoutDangling(made)
        const payload = json(linked) as JsonObject
        const { payload: back, problems } = thereAndBack(payload, TYPES)
        expect(problems.filter(({ code }) => code !== 'cycle')).toEqual([])
        expect(said(back)).toEqual(said(payload))
      }),
      { numRuns: 500 },
    )
  })

  test('braces in a prompt are not choices: the settled prompt is the text of the payload', () => {
    const types = readNodeTypes(
      json({ Text: { input: { required: { text: ['STRING', { dynamicPrompts: true }] } }, output: [] } }) as JsonObject,
    )
    // Comments, and what stands behind a backslash, cannot be said in a prompt.
    const sayable = fc.array(fc.constantFrom('{', '}', '|', 'a', ' ')).map((signs) => signs.join(''))
    fc.assert(
      fc.property(sayable, (text) => {
        const payload = json({ 1: { class_type: 'Text', inputs: { text } } }) as JsonObject
        const back = toResolvedPayload(readDocument(toDocument(payload, types)), types, 0)
        expect(said(back.payload)).toEqual(said(payload))
      }),
    )
  })

  test.each(workflowFiles.filter((name) => !readWorkflowFile(name).includes('"nodes"')))(
    '%s and back says the same, with its classes known or not',
    (name) => {
      const payload = objectOf(readWorkflowFile(name))
      for (const types of [specifiedTypes(), new Map()])
        expect(said(thereAndBack(payload, types).payload)).toEqual(said(payload))
    },
  )

  test('the folder of real files says where it is missing', ({ skip }) => {
    skip(noWorkflowFiles !== undefined, noWorkflowFiles)
    expect(workflowFiles.length).toBeGreaterThan(0)
  })

  test('seeds keep their digits, titles stay where they are not the usual ones', () => {
    const text = `{"3": {"class_type": "Run", "_meta": {"title": "Mine"}, "inputs": {"seed": 18446744073709551615, "text": "a", "model": ["4", 0]}},
      "4": {"class_type": "Load", "_meta": {"title": "Load"}, "inputs": {"name": "a"}}}`
    const document = writeJson(toDocument(objectOf(text), TYPES))
    expect(document).toContain('"widgets_values":[18446744073709551615,"fixed","a"]')
    expect(JSON.parse(document).nodes.map(({ title }: { title?: string }) => title)).toEqual(['Mine', undefined])
  })

  test('inputs that a choice brings stand where the choice does, behind the sockets of the class', () => {
    const types = bundledTypes()
    const payload = {
      1: {
        class_type: 'Wan2VideoEditApi',
        inputs: {
          ...{ model: 'wan2.7-videoedit', 'model.prompt': ['2', 0], video: ['3', 0], seed: ['4', 0] },
          'model.reference_images.image1': ['5', 0],
        },
      },
    }
    const [edit] = JSON.parse(writeJson(toDocument(json(payload) as JsonObject, types))).nodes
    const names = edit.inputs.map(({ name }: { name: string }) => name)
    expect(names).toEqual([
      ...['video', 'model.prompt', 'model.reference_images.image1', 'model.reference_images.image2', 'seed'],
    ])
  })

  test('an optional input is marked, and a linked widget names itself', () => {
    const payload = json({ 3: { class_type: 'Run', inputs: { seed: ['4', 1] } } }) as JsonObject
    const [run] = JSON.parse(writeJson(toDocument(payload, TYPES))).nodes
    expect(run.inputs).toEqual([
      { name: 'model', type: 'MODEL', link: null },
      { name: 'seed', type: 'INT', widget: { name: 'seed' }, link: 1 },
    ])
  })
})

function withoutDangling(payload: Payload): Payload {
  const isThere = (given: unknown) =>
    !(Array.isArray(given) && given.length === 2 && typeof given[0] === 'string') || given[0] in payload
  return Object.fromEntries(
    Object.entries(payload).map(([id, { class_type, inputs }]) => [
      id,
      { class_type, inputs: Object.fromEntries(Object.entries(inputs).filter(([, given]) => isThere(given))) },
    ]),
  )
}

describe('the places of nodes', () => {
  const box = (id: string, ...from: string[]) => ({ id, width: 100, height: 50, from })

  test('each stands to the right of what it gets data from', () => {
    const places = layOut([box('c', 'a', 'b'), box('b', 'a'), box('a')])
    const x = (id: string) => places.get(id)?.x ?? Number.NaN
    expect(x('a')).toBeLessThan(x('b'))
    expect(x('b')).toBeLessThan(x('c'))
  })

  test('none lies over another, whatever the links, loops too', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const graph = fc.array(fc.array(fc.constantFrom(...names), { maxLength: 4 }), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(graph, (sources) => {
        const places = layOut(names.map((id, at) => box(id, ...(sources[at] ?? []))))
        const all = [...places.values()]
        expect(all.length).toBe(names.length)
        for (const one of all)
          for (const other of all)
            expect(one === other || Math.abs(one.x - other.x) >= 100 || Math.abs(one.y - other.y) >= 50).toBe(true)
      }),
    )
  })
})
