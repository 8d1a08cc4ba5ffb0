import { describe, expect, test } from 'vitest'
import {
  type GraphNode,
  readDocument,
  subgraphsOf,
  type WorkflowDocument,
  writeDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import { demoteWidget, promoteWidget } from '../../../../../src-main/features/workflows/rules/edit/promote.ts'
import {
  inputToWidget,
  setSlot,
  setWidget,
  widgetToInput,
} from '../../../../../src-main/features/workflows/rules/edit/widgets.ts'
import { nodeView } from '../../../../../src-main/features/workflows/rules/node-view.ts'
import { hostWidgets } from '../../../../../src-main/features/workflows/rules/promoted-widgets.ts'
import { toPayload } from '../../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { type JsonValue, writeJson } from '../../../../../src-main/lib/json/value.ts'
import { brokenRules } from '../../../../support/graph-rules.ts'
import { bundledTypes, json, objectOf } from '../../../../support/workflow-files.ts'

const TYPES = bundledTypes()
const HUGE: JsonValue = { number: '18446744073709551615' }

const documentOf = (nodes: readonly object[], more: object = {}): WorkflowDocument =>
  readDocument(objectOf(JSON.stringify({ nodes, links: [], version: 0.4, ...more })))
const text = (document: WorkflowDocument) => writeJson(writeDocument(document))
const set = (document: WorkflowDocument, node: string, name: string, value: JsonValue, at?: string) =>
  setWidget(document, at, { node, name, value, types: TYPES })
const valuesOf = ({ nodes }: WorkflowDocument, at = 0) => {
  const { widgetValues } = nodes.items[at] ?? {}
  return widgetValues === undefined ? undefined : writeJson(widgetValues)
}

const sampler = { id: 3, type: 'KSampler', widgets_values: [1, 'fixed', 20, 8.0, 'euler', 'normal', 1] }

describe('the value of a widget', () => {
  test('is written exactly to its place, and nothing else changes', () => {
    const document = documentOf([sampler])
    const changed = set(document, '3', 'seed', HUGE)
    expect(text(changed)).toBe(text(document).replace('[1,"fixed"', '[18446744073709551615,"fixed"'))
    expect(set(changed, '3', 'seed', HUGE)).toBe(changed)
  })

  test('is written to both lists that a file may have', () => {
    const document = documentOf([{ ...sampler, widgets_values_named: { seed: 1, steps: 20 } }])
    expect(text(set(document, '3', 'steps', { number: '7' }))).toContain('"widgets_values_named":{"seed":1,"steps":7}')
  })

  test('goes to the place that older files have for it', () => {
    const document = documentOf([
      { id: 1, type: 'ControlNetApplyAdvanced', widgets_values: [0.5, 0, 1] },
      { id: 2, type: 'Video', widgets_values: { rate: 8 } },
      { id: 4, type: 'Mine', inputs: [{ name: 'a', type: 'INT', widget: { name: 'a' } }], widgets_values: [5] },
      { id: 5, type: 'Other', widgets_values: [1, 2] },
      { id: 6, type: 'Note', widgets_values: ['x'] },
      { id: 7, type: 'PrimitiveNode', widgets_values: [5, 'fixed'] },
    ])
    expect(valuesOf(set(document, '1', 'end_percent', { number: '0.9' }), 0)).toBe('[0.5,0,0.9]')
    expect(valuesOf(set(document, '2', 'rate', { number: '9' }), 1)).toBe('{"rate":9}')
    expect(valuesOf(set(document, '4', 'a', { number: '9' }), 2)).toBe('[9]')
    expect(valuesOf(set(document, '5', 'value 2', { number: '9' }), 3)).toBe('[1,9]')
    expect(valuesOf(set(document, '6', 'text', 'y'), 4)).toBe('["y"]')
    expect(valuesOf(set(document, '7', 'value', HUGE), 5)).toBe('[18446744073709551615,"fixed"]')
    expect(set(document, '5', 'no such', null)).toBe(document)
    expect(set(document, '99', 'seed', null)).toBe(document)
  })

  test('that a file has no place for yet gets one, with what a new node has before it', () => {
    const changed = set(documentOf([{ id: 3, type: 'KSampler' }]), '3', 'steps', { number: '5' })
    expect(valuesOf(changed)).toBe('[0,"randomize",5]')
  })

  test('its control and its filter have places of their own', () => {
    const document = documentOf([sampler])
    const control = { node: '3', name: 'seed', kind: 'control', value: 'increment', types: TYPES } as const
    expect(valuesOf(setSlot(document, undefined, control))).toBe('[1,"increment",20,8,"euler","normal",1]')
    const primitive = documentOf([{ id: 1, type: 'PrimitiveNode', widgets_values: ['a', 'fixed', ''] }])
    const place = { node: '1', name: 'value', kind: 'filter', value: '/x/', types: TYPES } as const
    expect(valuesOf(setSlot(primitive, undefined, place))).toBe('["a","fixed","/x/"]')
  })
})

describe('a widget as an input', () => {
  test('gets a slot, and loses it with what is linked to it', () => {
    const raw = {
      last_node_id: 3,
      last_link_id: 2,
      links: [[2, 1, 0, 3, 1, 'INT']],
    }
    const nodes = [
      { id: 1, type: 'Mine', outputs: [{ name: 'INT', type: 'INT', links: [2] }] },
      {
        ...sampler,
        inputs: [
          { name: 'seed', type: 'INT', link: null, widget: { name: 'seed' } },
          { name: 'steps', type: 'INT', link: 2, widget: { name: 'steps' } },
        ],
      },
    ]
    const document = documentOf(nodes, raw)
    const other = widgetToInput(document, undefined, { node: '3', name: 'cfg', types: TYPES })
    expect(other.nodes.items[1]?.inputs.items.map(({ name }) => name)).toEqual(['seed', 'steps', 'cfg'])
    expect(widgetToInput(other, undefined, { node: '3', name: 'cfg', types: TYPES })).toBe(other)
    // Newer files have a slot for each widget; it is shown only for one that a person made an input.
    const seeded = widgetToInput(document, undefined, { node: '3', name: 'seed', types: TYPES })
    const rows = ({ nodes }: WorkflowDocument) => {
      const { inputs, widgets } = nodeView(nodes.items[1] as GraphNode, {
        type: TYPES.get('KSampler'),
        subgraph: undefined,
      })
      const sockets = inputs.filter(({ isWidget, isShown }) => isWidget && isShown).map(({ name }) => name)
      return {
        sockets,
        inputs: widgets.flatMap(({ name, kind, isInput }) => (isInput && kind === 'input' ? name : [])),
      }
    }
    expect([rows(document), rows(seeded), rows(other)]).toEqual([
      { sockets: ['steps'], inputs: [] },
      { sockets: ['seed', 'steps'], inputs: ['seed'] },
      { sockets: ['steps', 'cfg'], inputs: ['cfg'] },
    ])
    const shifted = inputToWidget(document, undefined, { node: '3', name: 'seed' })
    expect(shifted.links.items.map(({ to }) => to.slot)).toEqual([0])
    expect(brokenRules(shifted)).toEqual([])
    expect(inputToWidget(shifted, undefined, { node: '3', name: 'steps' }).links.items).toEqual([])
  })
})

describe('a widget of an inner node on the node with its subgraph', () => {
  const definition = (more: object = {}) => ({
    id: 'sub',
    name: 'Sub',
    inputs: [],
    outputs: [],
    nodes: [{ ...sampler, id: 8 }],
    links: [],
    ...more,
  })
  const linkedInside = definition({
    inputs: [{ id: 'i', name: 'steps', type: 'INT', linkIds: [1] }],
    nodes: [{ ...sampler, id: 8, inputs: [{ name: 'steps', type: 'INT', link: 1, widget: { name: 'steps' } }] }],
    links: [{ id: 1, origin_id: -10, origin_slot: 0, target_id: 8, target_slot: 0, type: 'INT' }],
  })
  const hosted = (host: object, inner: object) =>
    documentOf([{ id: 57, type: 'sub', ...host }], { definitions: { subgraphs: [inner] } })
  const stepsInput = { name: 'steps', type: 'INT', link: null, widget: { name: 'steps' } }

  const views = (document: WorkflowDocument) => {
    const [host] = document.nodes.items
    if (host === undefined) throw new Error('there is no host')
    return hostWidgets(subgraphsOf(document), host, TYPES).map(({ name, label, value, isLinked, input }) => {
      return [name, label, value === undefined ? undefined : writeJson(value), isLinked, input?.type]
    })
  }
  const sentSteps = (document: WorkflowDocument) =>
    JSON.parse(writeJson(toPayload(document, TYPES, 0).payload))['57:8'].inputs.steps

  test.each([
    [
      'listed, its value inside',
      { properties: { proxyWidgets: [['8', 'steps']] }, widgets_values: [] },
      '8: steps',
      '20',
    ],
    [
      'listed as an input of the host',
      { inputs: [stepsInput], properties: { proxyWidgets: [['-1', 'steps']] }, widgets_values: [30] },
      'steps',
      '30',
    ],
    ['an input of the host without a list', { inputs: [stepsInput], widgets_values: [30] }, 'steps', '30'],
  ] as const)('%s: is shown, set and sent', (_, host, key, value) => {
    const document = hosted(host, linkedInside)
    expect(views(document)).toEqual([[key, 'steps', value, false, 'INT']])
    expect(sentSteps(document)).toBe(Number(value))
    const changed = set(document, '57', key, { number: '44' })
    expect(views(changed)).toEqual([[key, 'steps', '44', false, 'INT']])
    expect(sentSteps(changed)).toBe(44)
  })

  test('two levels deep it is found by its name', () => {
    const outer = {
      ...definition({ id: 'outer', nodes: [{ id: 57, type: 'sub', properties: { proxyWidgets: [['8', 'seed']] } }] }),
    }
    const document = documentOf([{ id: 1, type: 'outer', properties: { proxyWidgets: [['57', '8: seed']] } }], {
      definitions: { subgraphs: [definition(), outer] },
    })
    expect(views(document)).toEqual([['57: 8: seed', '8: seed', '1', false, 'INT']])
    expect(text(set(document, '1', '57: 8: seed', HUGE))).toContain('[18446744073709551615,"fixed"')
  })

  test('one whose node is gone is not shown', () => {
    expect(views(hosted({ properties: { proxyWidgets: [['99', 'steps']] } }, definition()))).toEqual([])
  })

  test.each([
    ['as an input whose value the host holds', {}],
    ['in the list that the host has', { properties: { proxyWidgets: [['8', 'seed']] }, widgets_values: [] }],
  ])('is promoted and taken back: %s', (_, host) => {
    const before = hosted(host, definition())
    const target = { definition: 'sub', node: '8', widget: 'steps', types: TYPES } as const
    const promoted = promoteWidget(before, target, () => 'new-id')
    const key = views(promoted).at(-1)?.[0]
    expect(views(promoted).at(-1)?.slice(1)).toEqual(['steps', '20', false, 'INT'])
    expect(valuesOf(promoted)).toBe('properties' in host ? '[]' : '[20]')
    expect(brokenRules(promoted)).toEqual([])
    const changed = set(promoted, '57', String(key), { number: '44' })
    expect(sentSteps(changed)).toBe(44)
    const back = demoteWidget(changed, undefined, { host: '57', key: String(key), types: TYPES })
    expect(views(back)).toHaveLength(views(before).length)
    expect(sentSteps(back)).toBe(44)
    expect(brokenRules(back)).toEqual([])
    expect(promoteWidget(promoted, target, () => 'other')).toBe(promoted)
  })

  test('a list that is no list, or names nothing, is no reason to fail', () => {
    for (const proxyWidgets of ['[', 7, [[]], [['x']], [[1, 2, 3]], null]) {
      expect(views(hosted({ properties: json({ proxyWidgets }), widgets_values: null }, definition()))).toEqual([])
    }
  })
})
