import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { typesIn } from '../../../../../src-main/features/workflows/rules/classes-file.ts'
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import { addBlueprint } from '../../../../../src-main/features/workflows/rules/edit/add-blueprint.ts'
import { toPayload } from '../../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { validate } from '../../../../../src-main/features/workflows/rules/validate.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'
import { BLUEPRINT } from '../../../../support/blueprint.ts'

const RESOURCES = new URL('../../../../../resources/', import.meta.url)
const types = typesIn(readFileSync(new URL('node-types.json', RESOURCES), 'utf8'))

const TEXT = JSON.stringify(BLUEPRINT)

function adder() {
  let made = 0
  const newUuid = () => {
    made += 1
    return `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`
  }
  return (document: WorkflowDocument, text: string, at?: string) =>
    addBlueprint(document, at, text, { pos: [40, 50], newUuid })
}

const empty = readDocument(new Map())
const definitionsOf = ({ definitions }: WorkflowDocument) => definitions?.subgraphs.items ?? []

it('adds the host with a definition of its own each time, which makes a valid payload', () => {
  const add = adder()
  const once = add(empty, TEXT)?.document ?? empty
  const twice = add(once, TEXT)?.document ?? empty
  const hosts = twice.nodes.items.map(({ type }) => type)
  expect(new Set(hosts).size).toBe(2)
  expect(definitionsOf(twice).map(({ id }) => id)).toEqual(hosts)
  expect(definitionsOf(twice).map(({ name }) => name)).toEqual(['Plain picture', 'Plain picture'])
  const saved = JSON.parse(writeJson(writeDocument(twice)))
  // Its title is above.
  expect(saved.nodes[0]).toMatchObject({ type: hosts[0], pos: [40, 80] })
  const { payload, problems } = toPayload(twice, types, 0)
  expect(problems).toEqual([])
  expect(validate(payload, types)).toEqual([])
  const classes = [...payload.values()].map((node) => (node as ReadonlyMap<string, unknown>).get('class_type'))
  expect(classes.toSorted()).toEqual(['EmptyImage', 'EmptyImage', 'SaveImage', 'SaveImage'])
})

it('adds one inside a subgraph, also inside one of the same blueprint', () => {
  const add = adder()
  const outer = add(empty, TEXT)?.document ?? empty
  const [first] = definitionsOf(outer)
  const nested = add(outer, TEXT, first?.id)?.document ?? empty
  const { payload, problems } = toPayload(nested, types, 0)
  expect(problems).toEqual([])
  expect(validate(payload, types)).toEqual([])
  expect(payload.size).toBe(4)
})

it('refuses what is not a document with one subgraph node', () => {
  const [host] = BLUEPRINT.nodes
  for (const text of [
    'null',
    '{',
    JSON.stringify({ ...BLUEPRINT, nodes: [] }),
    JSON.stringify({ ...BLUEPRINT, nodes: [host, { ...host, id: 6 }] }),
    JSON.stringify({ ...BLUEPRINT, definitions: { subgraphs: [] } }),
  ])
    expect(adder()(empty, text)).toBeUndefined()
})
