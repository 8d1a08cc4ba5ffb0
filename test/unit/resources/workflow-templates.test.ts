import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  readDocument,
  subgraphsOf,
  type WorkflowDocument,
  writeDocument,
} from '../../../src-main/features/workflows/rules/document/document.ts'
import { nodeView } from '../../../src-main/features/workflows/rules/node-view.ts'
import { readPayloadNodes } from '../../../src-main/features/workflows/rules/payload.ts'
import { toPayload } from '../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { validate } from '../../../src-main/features/workflows/rules/validate.ts'
import { writeJson } from '../../../src-main/lib/json/value.ts'
import { type Box, nodeBox } from '../../../src-renderer/features/workflow-editor/graph/geometry.ts'
import { bundledTypes, objectOf } from '../../support/workflow-files.ts'

const RESOURCES = join(import.meta.dirname, '..', '..', '..', 'resources')
const read = (...path: string[]) => readFileSync(join(RESOURCES, ...path), 'utf8')

const index = z
  .strictObject({
    templates: z.array(z.strictObject({ id: z.string(), name: z.string().max(60), summary: z.string().max(120) })),
  })
  .parse(JSON.parse(read('workflows', 'index.json')))
const names = index.templates.map(({ id }) => id)
const types = bundledTypes()
const { classes } = z.object({ classes: z.array(z.string()) }).parse(JSON.parse(read('node', 'sketch', 'classes.json')))
const sketchClasses = new Set(classes)

test('the list and the files name the same templates', () => {
  const files = readdirSync(join(RESOURCES, 'workflows')).filter((name) => name !== 'index.json')
  expect(files.toSorted()).toEqual(names.map((name) => `${name}.json`).toSorted())
})

describe.each(names)('%s', (name) => {
  const text = read('workflows', `${name}.json`)
  const document = readDocument(objectOf(text))
  const { payload, problems } = toPayload(document, types, 0)

  test('is saved as it was opened', () => {
    expect(`${writeJson(writeDocument(document), 2)}\n`).toBe(text)
  })

  test('becomes a payload without a problem, of classes that the stand-in draws', () => {
    expect([...problems, ...validate(payload, types)]).toEqual([])
    const classes = readPayloadNodes(payload).map(({ classType }) => classType)
    expect(classes.filter((one) => !sketchClasses.has(one))).toEqual([])
  })

  test('has a note that says what it is for, and nodes that do not lie over one another', () => {
    const note = document.nodes.items.find(({ type }) => type === 'MarkdownNote')
    expect(writeJson(note?.widgetValues ?? null)).toMatch(/## .*stand-in/s)
    for (const graph of [document, ...subgraphsOf(document).values()]) expect(overlapsIn(graph, document)).toEqual([])
  })
})

function overlapsIn({ nodes }: Pick<WorkflowDocument, 'nodes'>, document: WorkflowDocument): readonly string[] {
  const definitions = subgraphsOf(document)
  const boxes = nodes.items.map((node) => {
    const known = { type: types.get(node.type ?? ''), subgraph: definitions.get(node.type ?? '') }
    const view = nodeView(node, known)
    return { title: view.title, box: nodeBox(view, node.pos, node.size) }
  })
  return boxes.flatMap((one, at) =>
    boxes.slice(at + 1).flatMap((other) => (overlap(one.box, other.box) ? [`${one.title} and ${other.title}`] : [])),
  )
}

function overlap(one: Box, other: Box): boolean {
  const across = one.x < other.x + other.width && other.x < one.x + one.width
  return across && one.y < other.y + other.height && other.y < one.y + one.height
}
