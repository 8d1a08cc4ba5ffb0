import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  readDocument,
  subgraphsOf,
  type WorkflowDocument,
  writeDocument,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import { type JsonObject, writeJson } from '../../../../src-main/lib/json/value.ts'
import { json, objectOf, readWorkflowFile, workflowFiles } from '../../../support/workflow-files.ts'

const DOCUMENT = objectOf(`{
  "id": "a-b", "revision": 0, "last_node_id": "7", "version": 0.4, "third_party": {"2": 1, "1": 2},
  "nodes": [
    {"id": 3, "type": "KSampler", "pos": [1.0, 2], "size": {"0": 300, "1": 100.5}, "flags": {}, "order": 1, "mode": 0,
     "inputs": [{"name": "model", "type": "MODEL", "link": 9, "localized_name": "Modell"},
                {"name": "seed", "type": "INT", "link": null, "widget": {"name": "seed"}, "shape": 7}],
     "outputs": [{"name": "LATENT", "type": "LATENT", "links": null, "slot_index": 0}],
     "properties": {"cnr_id": "comfy-core"}, "widgets_values": [18446744073709551615, "fixed"], "future": [1, {"x": 1}]},
    {"no": "node"},
    {"id": "4", "type": "Loader", "outputs": [{"name": "MODEL", "type": ["a", "b"], "links": [9]}]}
  ],
  "links": [[9, "4", 0, 3, 0, "MODEL"], null, {"id": 10, "origin_id": 4, "origin_slot": 0, "target_id": 3, "target_slot": 1, "type": "INT", "parentId": 2}],
  "groups": [{"title": "Group", "bounding": [0, 0, 10, 10], "color": "#123"}],
  "definitions": {"subgraphs": [{"id": "u", "name": "Inner", "inputs": [{"id": "i", "name": "text", "type": "STRING", "linkIds": [1]}], "nodes": [], "links": []}]}
}`)

const withFirstNode = (document: WorkflowDocument, change: object): WorkflowDocument => {
  const [first, ...rest] = document.nodes.items
  if (first === undefined) throw new Error('the document has no node')
  return { ...document, nodes: { ...document.nodes, items: [{ ...first, ...change }, ...rest] } }
}

describe('a workflow document', () => {
  test('is read with nodes, slots, links of both forms, groups and subgraphs', () => {
    const document = readDocument(DOCUMENT)
    const [sampler, loader] = document.nodes.items
    expect(document.nodes.items.map(({ id, type }) => `${id} ${type}`)).toEqual(['3 KSampler', '4 Loader'])
    expect(sampler).toMatchObject({ pos: [1, 2], size: [300, 100.5], mode: 0 })
    expect(sampler?.inputs.items.map(({ name, link, widget }) => [name, link, widget])).toEqual([
      ['model', '9', undefined],
      ['seed', undefined, 'seed'],
    ])
    expect(loader?.outputs.items[0]).toMatchObject({ type: 'COMBO', links: ['9'] })
    expect(document.links.items.map(({ id, from, to }) => [id, from, to])).toEqual([
      ['9', { node: '4', slot: 0 }, { node: '3', slot: 0 }],
      ['10', { node: '4', slot: 0 }, { node: '3', slot: 1 }],
    ])
    expect(document.groups.items[0]?.title).toBe('Group')
    expect(subgraphsOf(document).get('u')?.inputs.items[0]?.name).toBe('text')
  })

  test('is written as the very object it was read from, while nothing has changed', () => {
    expect(writeDocument(readDocument(DOCUMENT))).toBe(DOCUMENT)
  })

  test.each(workflowFiles.filter((name) => readWorkflowFile(name).includes('"nodes"')))('%s too', (name) => {
    const file = objectOf(readWorkflowFile(name))
    expect(writeDocument(readDocument(file))).toBe(file)
  })

  test('any object does, also one with other things where nodes and links should be', () => {
    const odd = fc.dictionary(fc.constantFrom('nodes', 'links', 'groups', 'definitions', 'extra', 'x'), fc.jsonValue())
    fc.assert(
      fc.property(odd, (value) => {
        const raw = json(value) as JsonObject
        expect(writeDocument(readDocument(raw))).toBe(raw)
      }),
    )
  })

  test('changes where it was edited, and nowhere else', () => {
    const edited = withFirstNode(readDocument(DOCUMENT), { pos: [5, 6], title: 'Mine' })
    const before = writeJson(DOCUMENT)
    expect(writeJson(writeDocument(edited))).toBe(
      before
        .replace('"pos":[1.0,2]', '"pos":[5,6]')
        .replace('"future":[1,{"x":1}]}', '"future":[1,{"x":1}],"title":"Mine"}'),
    )
  })

  test('keeps the form of what is edited: sizes as objects, links as tuples or objects', () => {
    const document = readDocument(DOCUMENT)
    const to = { node: '4', slot: 2 }
    const moved = { ...document.links, items: document.links.items.map((link) => ({ ...link, to })) }
    const edited = withFirstNode({ ...document, links: moved }, { size: [10, 20] })
    const written = writeJson(writeDocument(edited))
    expect(written).toContain('"size":{"0":10,"1":20}')
    expect(written).toContain('"links":[[9,4,0,4,2,"MODEL"],null,{"id":10,"origin_id":4,"origin_slot":0,"target_id":4,')
    expect(written).toContain('"parentId":2}')
  })

  test('keeps what is no node at its place when others go', () => {
    const document = readDocument(DOCUMENT)
    const written = writeDocument({ ...document, nodes: { ...document.nodes, items: [] } })
    expect(writeJson(written.get('nodes') ?? null)).toBe('[{"no":"node"}]')
  })
})
