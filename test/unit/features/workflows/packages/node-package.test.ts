import { describe, expect, test } from 'vitest'
import { readDocument } from '../../../../../src-main/features/workflows/rules/document/document.ts'
import {
  packagesOfDocument,
  packagesOfPayload,
  packagesText,
  readNodePackage,
  readPackageIndex,
  withNamed,
} from '../../../../../src-main/features/workflows/rules/node-packages.ts'
import { withPackages } from '../../../../../src-main/features/workflows/rules/problem.ts'
import { objectOf } from '../../../../support/workflow-files.ts'

const read = (properties: object) => readNodePackage(objectOf(JSON.stringify(properties)))
const INK = { name: 'ink-nodes', address: 'https://registry.comfy.org/nodes/ink-nodes', version: '1.2.0' }

describe('the package of a node', () => {
  test('is that of the registry, or of a repository, with its version', () => {
    expect(read({ cnr_id: 'ink-nodes', ver: '1.2.0' })).toEqual(INK)
    const commit = 'd9ae5b7f0c5b1f5aa7c4d2de0b7f4f2c7f1a9e10'
    expect(read({ aux_id: 'ann/Ink.Nodes', ver: commit })).toEqual({
      name: 'ann/Ink.Nodes',
      address: 'https://github.com/ann/Ink.Nodes',
      version: 'd9ae5b7f',
    })
    expect(read({ cnr_id: 'comfy-core', ver: '0.33.0' })).toEqual({ name: 'ComfyUI', version: '0.33.0' })
  })

  test.each([
    [{ cnr_id: '../../evil' }],
    [{ cnr_id: 'a?b=c' }],
    [{ cnr_id: 7 }],
    [{ aux_id: 'ann/..' }],
    [{ aux_id: 'far.example/ann/ink' }],
    [{ aux_id: 'ann/ink#x' }],
    [{ aux_id: 'https://far.example' }],
    [{}],
  ])('is none that %j names', (properties) => {
    expect(read(properties)).toBeUndefined()
  })

  test('has no version that is no word of one', () => {
    expect(read({ cnr_id: 'ink-nodes', ver: '1.0 (see http://far.example)' })?.version).toBeUndefined()
  })

  test('is found in documents, within subgraphs too, and in payloads', () => {
    const node = (type: string, cnr_id: string) => ({ id: 1, type, properties: { cnr_id } })
    const subgraph = { id: 'x', nodes: [node('Paint', 'paint')], links: [] }
    const document = { nodes: [node('Ink', 'ink-nodes'), { id: 2 }], links: [], definitions: { subgraphs: [subgraph] } }
    const found = packagesOfDocument(readDocument(objectOf(JSON.stringify(document))))
    expect([...found].map(([name, [one]]) => [name, one?.name])).toEqual([
      ['Ink', 'ink-nodes'],
      ['Paint', 'paint'],
    ])
    const payload = { '1': { class_type: 'Ink', inputs: {}, _meta: { title: 'x', cnr_id: 'ink-nodes', ver: '1.2.0' } } }
    expect(packagesOfPayload(objectOf(JSON.stringify(payload))).get('Ink')).toEqual([INK])
  })
})

describe('an index of packages', () => {
  const INDEX = {
    'https://github.com/ann/Ink.git': [['Ink', 'Brush', 7], { title_aux: 'Ink and brush' }],
    'https://github.com/bob/copy': [['Ink'], { title: 'x', nodename_pattern: '(a+)+$' }],
    'javascript:alert(1)': [['Ink'], {}],
    odd: 7,
  }

  test('is the map of ComfyUI-Manager', () => {
    const index = readPackageIndex(JSON.stringify(INDEX))
    expect([...index]).toEqual([
      [
        'Ink',
        [
          { name: 'Ink and brush', address: 'https://github.com/ann/Ink.git' },
          { name: 'bob/copy', address: 'https://github.com/bob/copy' },
        ],
      ],
      ['Brush', [{ name: 'Ink and brush', address: 'https://github.com/ann/Ink.git' }]],
    ])
  })

  test('is an answer of the registry', () => {
    const nodes = [
      { id: 'ink-nodes', name: 'Ink', preempted_comfy_node_names: ['Ink'] },
      { id: 'none' },
      { id: '../x', preempted_comfy_node_names: ['Ink'] },
    ]
    expect([...readPackageIndex(JSON.stringify({ nodes, total: 1 }))]).toEqual([
      ['Ink', [{ name: 'Ink', address: 'https://registry.comfy.org/nodes/ink-nodes' }]],
    ])
  })

  test.each([
    ['[]', 'it is not a JSON object'],
    ['{', 'it is not JSON'],
    ['{"a": 1}', 'it names no node classes'],
  ])('is not %s', (text, why) => {
    expect(() => readPackageIndex(text)).toThrow(why)
  })

  test('has the word before the graph, whose package comes first where the index has it too', () => {
    const index = readPackageIndex(JSON.stringify(INDEX))
    const copy = { name: 'bob/copy', address: 'https://github.com/bob/copy', version: '2' }
    const both = withNamed(
      index,
      new Map([
        ['Ink', [copy]],
        ['Brush', [INK]],
        ['Other', [INK]],
      ]),
    )
    expect([both.get('Ink')?.[0], both.get('Brush')?.[0]?.name, both.get('Other')]).toEqual([
      copy,
      'Ink and brush',
      [INK],
    ])
    expect(both.get('Ink')).toHaveLength(2)
  })
})

test('problems of classes that are not known say where these can be had', () => {
  const at = { severity: 'warning', node: '1' } as const
  const unknown = { ...at, code: 'unknown_class', message: 'The class Ink is not known here.' } as const
  const other = { ...at, code: 'type_mismatch', message: 'It does not fit.' } as const
  const classOf = (id: string) => (id === '1' ? 'Ink' : undefined)
  expect(withPackages([unknown, other], classOf, new Map([['Ink', [INK]]]))).toEqual([
    {
      ...unknown,
      message:
        'The class Ink is not known here. It is in the package ink-nodes 1.2.0 (https://registry.comfy.org/nodes/ink-nodes).',
      packages: [INK],
    },
    other,
  ])
  expect(packagesText([{ name: 'ComfyUI', version: '0.40.0' }])).toBe(
    'It comes with ComfyUI 0.40.0: servers of that version or newer have it.',
  )
})
