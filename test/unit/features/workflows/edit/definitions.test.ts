import { describe, expect, test } from 'vitest'
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import { copyNodes, paste } from '../../../../../src-main/features/workflows/rules/edit/clipboard.ts'
import { insertIntoLink } from '../../../../../src-main/features/workflows/rules/edit/connect.ts'
import { removeNodes } from '../../../../../src-main/features/workflows/rules/edit/remove.ts'
import { toPayload } from '../../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'
import { brokenRules } from '../../../../support/graph-rules.ts'
import { bundledTypes, objectOf } from '../../../../support/workflow-files.ts'

const TYPES = bundledTypes()
const documentOf = (nodes: readonly object[], more: object = {}) =>
  readDocument(objectOf(JSON.stringify({ nodes, links: [], version: 0.4, ...more })))
const written = (document: WorkflowDocument) => JSON.parse(writeJson(writeDocument(document)))
const options = { pos: [0, 0] as const, keepInbound: true, types: TYPES, newUuid: () => 'another' }

const sampler = (id: number, more: object = {}) => ({
  id,
  type: 'KSampler',
  widgets_values: [1, 'fixed', 20, 8, 'euler', 'normal', 1],
  ...more,
})

describe('definitions of subgraphs', () => {
  const definitions = {
    subgraphs: [
      { id: 'inner', nodes: [sampler(8)] },
      { id: 'outer', nodes: [{ id: 9, type: 'inner' }] },
      { id: 'spare', nodes: [] },
    ],
  }
  const ids = (document: WorkflowDocument) =>
    written(document).definitions.subgraphs.map(({ id }: { id: string }) => id)

  test('are gone with their last instance, and those that only they needed; others stay', () => {
    const twice = documentOf(
      [
        { id: 1, type: 'outer' },
        { id: 2, type: 'outer' },
        { id: 3, type: 'inner' },
      ],
      { definitions },
    )
    const once = removeNodes(twice, undefined, new Set(['1']))
    expect(ids(once)).toEqual(['inner', 'outer', 'spare'])
    expect(ids(removeNodes(once, undefined, new Set(['2'])))).toEqual(['inner', 'spare'])
    expect(ids(removeNodes(once, undefined, new Set(['2', '3'])))).toEqual(['spare'])
  })

  test('whose nodes have ids that are taken get others, and lists on their hosts follow', () => {
    const host = { id: 1, type: 'inner', properties: { proxyWidgets: [['8', 'steps']] }, widgets_values: [] }
    const text = copyNodes(documentOf([host], { definitions }), undefined, new Set(['1']))
    const pasted = paste(documentOf([sampler(8)]), undefined, text, options)
    if ('problem' in pasted) throw new Error(pasted.problem)
    const { nodes, definitions: after } = written(pasted.document)
    expect(after.subgraphs[0].nodes[0].id).toBe(9)
    expect(nodes[1].properties).toEqual({ proxyWidgets: [['9', 'steps']] })
    expect(brokenRules(pasted.document)).toEqual([])
  })

  test('whose nodes get other ids are followed by their hosts in other definitions, in whichever order a file has them', () => {
    const listed = { id: 9, type: 'inner', properties: { proxyWidgets: [['8', 'steps']] } }
    const subgraphs = [
      { id: 'outer', nodes: [listed] },
      { id: 'inner', nodes: [sampler(8)] },
    ]
    for (const ordered of [subgraphs, subgraphs.toReversed()]) {
      const source = documentOf([{ id: 1, type: 'outer' }], { definitions: { subgraphs: ordered } })
      const text = copyNodes(source, undefined, new Set(['1']))
      const pasted = paste(documentOf([sampler(8)]), undefined, text, options)
      if ('problem' in pasted) throw new Error(pasted.problem)
      const [inner, outer] = written(pasted.document).definitions.subgraphs
      expect([inner.id, outer.id]).toEqual(['inner', 'outer'])
      expect(outer.nodes[0].properties.proxyWidgets).toEqual([[`${inner.nodes[0].id}`, 'steps']])
      expect(inner.nodes[0].id).not.toBe(8)
    }
  })

  test('within each other: the value of the outermost host counts', () => {
    const slot = { name: 'steps', type: 'INT', link: 1, widget: { name: 'steps' } }
    const entering = (target: number) => [
      { id: 1, origin_id: -10, origin_slot: 0, target_id: target, target_slot: 0, type: 'INT' },
    ]
    const inputs = [{ id: 'i', name: 'steps', type: 'INT', linkIds: [1] }]
    const inner = { id: 'inner', inputs, nodes: [sampler(8, { inputs: [slot] })], links: entering(8) }
    const between = { id: 9, type: 'inner', inputs: [slot], widgets_values: [30] }
    const outer = { id: 'outer', inputs, nodes: [between], links: entering(9) }
    const steps = (values: readonly number[]) => {
      const host = { id: 1, type: 'outer', inputs: [{ ...slot, link: null }], widgets_values: values }
      const document = documentOf([host], { definitions: { subgraphs: [inner, outer] } })
      return JSON.parse(writeJson(toPayload(document, TYPES, 0).payload))['1:9:8'].inputs.steps
    }
    expect(steps([40])).toBe(40)
    expect(steps([])).toBe(30)
  })
})

test('links with one end alone are gone with the node at it', () => {
  const floating = (id: number, origin: number, target: number) => {
    return { id, origin_id: origin, origin_slot: 0, target_id: target, target_slot: 0, type: 'T' }
  }
  const document = documentOf(
    [
      { id: 1, type: 'A' },
      { id: 2, type: 'A' },
    ],
    {
      floatingLinks: [floating(5, 1, -1), floating(6, -1, 2)],
    },
  )
  const { floatingLinks } = written(removeNodes(document, undefined, new Set(['1'])))
  expect(floatingLinks.map(({ id }: { id: number }) => id)).toEqual([6])
})

test('a pasted link begins only at an output that gives what it brought', () => {
  const target = { id: 2, type: 'SaveImage', inputs: [{ name: 'images', type: 'IMAGE', link: 1 }] }
  const links = [[1, 1, 0, 2, 0, 'IMAGE']]
  const source = (type: string) => ({ id: 1, type: 'Some', outputs: [{ name: 'o', type, links: [] }] })
  const text = copyNodes(documentOf([source('IMAGE'), target], { links }), undefined, new Set(['2']))
  const linksOf = (type: string) => {
    const pasted = paste(documentOf([source(type)]), undefined, text, options)
    return 'problem' in pasted ? [] : pasted.document.links.items
  }
  expect(linksOf('IMAGE')).toHaveLength(1)
  expect(linksOf('LATENT')).toHaveLength(0)
})

test('a node that its own links lead to is not put into a link before it', () => {
  const image = { name: 'image', type: 'IMAGE' }
  const document = documentOf(
    [
      {
        id: 1,
        type: 'ImageInvert',
        inputs: [{ ...image, link: 2 }],
        outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
      },
      { id: 2, type: 'SaveImage', inputs: [{ name: 'images', type: 'IMAGE', link: 1 }] },
      {
        id: 3,
        type: 'ImageInvert',
        inputs: [{ ...image, link: null }],
        outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [2] }],
      },
    ],
    {
      links: [
        [1, 1, 0, 2, 0, 'IMAGE'],
        [2, 3, 0, 1, 0, 'IMAGE'],
      ],
    },
  )
  expect(insertIntoLink(document, undefined, { linkId: '1', nodeId: '3', types: TYPES })).toBe(document)
})
