import { describe, expect, test } from 'vitest'
import { layOutNodes } from '../../../../src-main/features/workflows/rules/arrange/arrange-nodes.ts'
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import { paste } from '../../../../src-main/features/workflows/rules/edit/clipboard.ts'
import { removeNodes } from '../../../../src-main/features/workflows/rules/edit/remove.ts'
import { createGraphViewer } from '../../../../src-main/features/workflows/rules/graph-view.ts'
import { resolveDocument } from '../../../../src-main/features/workflows/rules/resolve/resolve.ts'
import { toDocument } from '../../../../src-main/features/workflows/rules/to-document.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { validate } from '../../../../src-main/features/workflows/rules/validate.ts'
import { readJson } from '../../../../src-main/lib/json/parse.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { bundledTypes, objectOf } from '../../../support/workflow-files.ts'

const TYPES = bundledTypes()
const documentOf = (nodes: readonly object[], more: object = {}) =>
  readDocument(objectOf(JSON.stringify({ nodes, links: [], version: 0.4, ...more })))
const codes = (document: WorkflowDocument) => toPayload(document, TYPES, 0).problems.map(({ code }) => code)

/** All that is done with a document when it is opened and run. */
function openAndRun(document: WorkflowDocument) {
  createGraphViewer()(document, undefined, TYPES)
  const { document: sent } = resolveDocument(document, TYPES, { random: (least) => least, isFirst: false })
  const { payload, problems } = toPayload(sent, TYPES, 0)
  return [...problems, ...validate(payload, TYPES)].map(({ code }) => code)
}

describe('a hostile file', () => {
  const chain = (length: number): WorkflowDocument => {
    const node = (at: number) => ({
      class_type: 'VAEDecode',
      inputs: at === 0 ? {} : { samples: [String(at), 0], vae: ['1', 0] },
    })
    const payload = Object.fromEntries(Array.from({ length }, (_, at) => [at + 1, node(at)]))
    return readDocument(toDocument(objectOf(JSON.stringify(payload)), TYPES))
  }

  test('of 50,000 nodes is opened and run', () => {
    expect(openAndRun(chain(50_000))).toContain('no_output_node')
  })

  test('of 10,000 nodes is laid out and edited', () => {
    const document = chain(10_000)
    expect(layOutNodes(document, undefined, new Set()).nodes.items).toHaveLength(10_000)
    expect(removeNodes(document, undefined, new Set(['7'])).nodes.items).toHaveLength(9999)
  })

  test('of 20,000 nodes that set a name and 20,000 that take it is run', () => {
    const nodes = Array.from({ length: 20_000 }, (_, at) => [
      {
        id: 2 * at + 1,
        type: 'SetNode',
        widgets_values: [`name ${at}`],
        inputs: [{ name: 'x', type: '*', link: null }],
      },
      {
        id: 2 * at + 2,
        type: 'GetNode',
        widgets_values: [`name ${at}`],
        outputs: [{ name: 'x', type: '*', links: [] }],
      },
    ])
    expect(codes(documentOf(nodes.flat()))).toEqual([])
  })

  test('of 300,000 things that are no nodes is written as it was, also with a node less', () => {
    const nodes = [null, { id: 1, type: 'A' }, 7, { id: 2, type: 'A' }, ...Array.from({ length: 300_000 }, () => null)]
    const document = readDocument(objectOf(JSON.stringify({ nodes, links: [] })))
    const written = (changed: WorkflowDocument) => JSON.parse(writeJson(writeDocument(changed))).nodes
    expect(written(document)).toEqual(nodes)
    expect(written(removeNodes(document, undefined, new Set(['1']))).slice(0, 4)).toMatchObject([
      null,
      { id: 2 },
      7,
      null,
    ])
  })

  test('whose payload asks for a millionth output is kept as it is', () => {
    const payload = objectOf(
      '{"1":{"class_type":"Mine","inputs":{}},"2":{"class_type":"Mine","inputs":{"x":["1",999999]}}}',
    )
    const document = toDocument(payload, TYPES)
    expect(writeJson(document).length).toBeLessThan(2000)
    expect(writeJson(toPayload(readDocument(document), TYPES, 0).payload)).toContain('"x":["1",999999]')
  })

  test('with subgraphs within each other in a circle says so', () => {
    const definitions = {
      subgraphs: [
        { id: 'a', nodes: [{ id: 1, type: 'b' }] },
        { id: 'b', nodes: [{ id: 2, type: 'a', properties: { proxyWidgets: [['1', 'x']] } }] },
      ],
    }
    const host = { id: 9, type: 'a', properties: { proxyWidgets: [['1', 'x']] } }
    expect(openAndRun(documentOf([host], { definitions }))).toEqual(['cycle', 'not_a_workflow'])
  })

  test('with 10,000 subgraphs within each other says so', () => {
    const subgraphs = Array.from({ length: 10_000 }, (_, at) => ({
      id: `s${at}`,
      nodes: [{ id: 1, type: `s${at + 1}` }],
    }))
    const document = documentOf([{ id: 1, type: 's0' }], { definitions: { subgraphs } })
    expect(openAndRun(document)).toEqual(['too_large', 'not_a_workflow'])
  })

  test.each(['VAEDecode', 'Note'])('whose subgraphs double thirty times to %s is cut off and says so', (leaf) => {
    const subgraphs = Array.from({ length: 30 }, (_, at) => ({
      id: `s${at}`,
      nodes: [1, 2].map((id) => ({ id, type: at === 29 ? leaf : `s${at + 1}` })),
    }))
    expect(codes(documentOf([{ id: 1, type: 's0' }], { definitions: { subgraphs } }))).toEqual(['too_large'])
  })

  test('whose hosts list a value through 60 subgraphs is run', () => {
    const properties = { proxyWidgets: [['1', 'steps']] }
    const host = (type: string) => ({ id: 1, type, properties })
    const subgraphs = Array.from({ length: 60 }, (_, at) => ({
      id: `s${at}`,
      nodes: [at === 59 ? { id: 1, type: 'KSampler', widgets_values: [1, 'fixed', 20] } : host(`s${at + 1}`)],
    }))
    expect(openAndRun(documentOf([host('s0')], { definitions: { subgraphs } }))).not.toContain('too_large')
  })

  test('with 10,000 reroutes in a row is followed to its end', () => {
    const nodes = Array.from({ length: 10_000 }, (_, at) => ({
      id: at + 2,
      type: 'Reroute',
      inputs: [{ name: '', type: '*', link: at + 1 }],
      outputs: [{ name: '', type: '*', links: [at + 2] }],
    }))
    const links = Array.from({ length: 10_001 }, (_, at) => [at + 1, at + 1, 0, at + 2, 0, '*'])
    const source = {
      id: 1,
      type: 'LoadImage',
      outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
      widgets_values: ['x', 'image'],
    }
    const target = {
      id: 10_002,
      type: 'SaveImage',
      inputs: [{ name: 'images', type: 'IMAGE', link: 10_001 }],
      widgets_values: ['p'],
    }
    const { payload } = toPayload(documentOf([source, ...nodes, target], { links }), TYPES, 0)
    expect(writeJson(payload)).toContain('"images":["1",0]')
  })

  test('with names of JavaScript as ids and classes is a file like any other', () => {
    const text =
      '{"__proto__":{"class_type":"__proto__","inputs":{"constructor":1}},"constructor":{"class_type":"toString","inputs":{"__proto__":["__proto__",0]}}}'
    const document = readDocument(toDocument(objectOf(text), TYPES))
    expect(openAndRun(document)).toEqual(['unknown_class', 'unknown_class'])
    const sent = writeJson(toPayload(document, TYPES, 0).payload)
    expect(sent).toContain('"__proto__":["__proto__",0]')
    expect(({} as { readonly class_type?: unknown }).class_type).toBeUndefined()
  })

  test.each(['[', '{"a":'])('nested 100,000 deep is refused with a reason: %s', (sign) => {
    expect(readJson(sign.repeat(100_000))).toMatchObject({ fault: { why: 'it is nested too deeply' } })
  })

  test('of which half is missing says where it ends', () => {
    expect(readJson('{"nodes": [{"id": 1,\n "type": "KSam')).toMatchObject({ fault: { line: 2 } })
  })

  test.each([
    '{"nodes":[null,7,"x",[],{}],"links":[null,[1],{"id":1}],"groups":[7,{}],"extra":7,"definitions":7}',
    '{"nodes":[{"id":1,"type":"KSampler","inputs":7,"outputs":{},"widgets_values":7,"properties":7,"flags":7,"pos":"x","size":[]}]}',
    '{"nodes":[{"id":1,"type":"X"},{"id":1,"type":"Y"}],"links":[[1,1,0,1,0,7],[1,1,0,1,0,7]]}',
    '{"nodes":[{"id":{},"type":[]},{"id":"","type":""}],"definitions":{"subgraphs":[7,{},{"id":7},{"id":""}]}}',
    '{"nodes":[{"id":1,"type":"Reroute"},{"id":2,"type":"PrimitiveNode"},{"id":3,"type":"Note"}],"extra":{"reroutes":7,"linkExtensions":[7,{}]},"reroutes":[7,{"id":[]}]}',
  ])('of other things than expected is opened: %s', (text) => {
    const document = readDocument(objectOf(text))
    expect(Array.isArray(openAndRun(document))).toBe(true)
    const pasted = paste(document, undefined, text, {
      pos: [0, 0],
      keepInbound: true,
      types: TYPES,
      newUuid: () => 'u',
    })
    expect('problem' in pasted || pasted.document.nodes.items.length >= 0).toBe(true)
  })
})

describe('features of other editors only are reported', () => {
  const told = (node: object, more: object = {}) =>
    toPayload(documentOf([{ id: 4, ...node }], more), TYPES, 0).problems.map(
      ({ code, severity }) => `${severity} ${code}`,
    )

  test.each([
    [{ type: 'Anything Everywhere' }, 'warning needs_extension'],
    [{ type: 'Anything Everywhere3' }, 'warning needs_extension'],
    [{ type: 'workflow>My group' }, 'error needs_extension'],
    [{ type: 'GetNode', widgets_values: ['nobody'] }, 'warning needs_extension'],
    [{ type: '0a1b2c3d-0000-4000-8000-0123456789ab' }, 'error subgraph_missing'],
  ])('%j: %s', (node, problem) => {
    expect(told(node)).toEqual([problem])
  })

  test('a value set by a name is read by it', () => {
    const nodes = [
      {
        id: 1,
        type: 'LoadImage',
        outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
        widgets_values: ['x', 'image'],
      },
      { id: 2, type: 'SetNode', inputs: [{ name: 'IMAGE', type: 'IMAGE', link: 1 }], widgets_values: ['pic'] },
      { id: 3, type: 'GetNode', outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [2] }], widgets_values: ['pic'] },
      { id: 4, type: 'SaveImage', inputs: [{ name: 'images', type: 'IMAGE', link: 2 }], widgets_values: ['p'] },
    ]
    const links = [
      [1, 1, 0, 2, 0, 'IMAGE'],
      [2, 3, 0, 4, 0, 'IMAGE'],
    ]
    const { payload, problems } = toPayload(documentOf(nodes, { links }), TYPES, 0)
    expect([...payload.keys()]).toEqual(['1', '4'])
    expect(writeJson(payload)).toContain('"images":["1",0]')
    expect(problems).toEqual([])
  })

  describe('of a group node', () => {
    const inner = [
      {
        type: 'VAEDecode',
        inputs: [
          { name: 'samples', type: 'LATENT', link: null },
          { name: 'vae', type: 'VAE', link: null },
        ],
        outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [] }],
      },
      {
        type: 'ImageScaleBy',
        inputs: [{ name: 'image', type: 'IMAGE', link: null }],
        outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [] }],
        widgets_values: ['area', 1],
      },
    ]
    const group = { nodes: inner, links: [[0, 0, 1, 0, 1, 'IMAGE']], external: [] }
    const host = {
      id: 9,
      type: 'workflow>My group',
      inputs: [
        { name: 'samples', type: 'LATENT', link: null },
        { name: 'vae', type: 'VAE', link: 1 },
      ],
      outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [2] }],
      widgets_values: ['lanczos', 2],
    }
    const nodes = [
      { id: 1, type: 'VAELoader', outputs: [{ name: 'VAE', type: 'VAE', links: [1] }], widgets_values: ['x'] },
      host,
      { id: 2, type: 'SaveImage', inputs: [{ name: 'images', type: 'IMAGE', link: 2 }], widgets_values: ['p'] },
    ]
    const links = [
      [1, 1, 0, 9, 1, 'VAE'],
      [2, 9, 0, 2, 0, 'IMAGE'],
    ]
    const convert = (groupNodes: object, changed: readonly object[] = nodes) =>
      toPayload(documentOf(changed, { links, extra: { groupNodes } }), TYPES, 0)

    test('the inner nodes are sent, with the values of the node', () => {
      const { payload, problems } = convert({ 'My group': group })
      expect(problems).toEqual([])
      expect([...payload.keys()]).toEqual(['1', '2', '9:0', '9:1'])
      const sent = JSON.parse(writeJson(payload))
      expect(sent['9:0'].inputs).toEqual({ vae: ['1', 0] })
      expect(sent['9:1'].inputs).toEqual({ upscale_method: 'lanczos', scale_by: 2, image: ['9:0', 0] })
      expect(sent['2'].inputs.images).toEqual(['9:1', 0])
    })

    test('parts whose class has gained inputs since keep the values that they had', () => {
      const [first, second] = [
        { type: 'EmptyLatentImage', outputs: [{ name: 'LATENT', type: 'LATENT', links: [] }], widgets_values: [64] },
        { type: 'SaveImage', inputs: [{ name: 'images', type: 'IMAGE', link: null }], widgets_values: ['p'] },
      ]
      const alone = { id: 9, type: 'workflow>My group', widgets_values: [128, 'q'] }
      const { payload, problems } = convert({ 'My group': { nodes: [first, second], links: [] } }, [alone])
      expect(problems).toEqual([])
      const sent = JSON.parse(writeJson(payload))
      expect([sent['9:0'].inputs, sent['9:1'].inputs]).toMatchObject([{ width: 128 }, { filename_prefix: 'q' }])
      expect(sent['9:0'].inputs.height).toBe(512)
    })

    test('a reroute among its parts hands on what comes in', () => {
      const reroute = {
        type: 'Reroute',
        inputs: [{ name: '', type: '*', link: null }],
        outputs: [{ name: '', type: 'IMAGE', links: [] }],
      }
      const through = [
        [0, 0, 2, 0, 1, 'IMAGE'],
        [2, 0, 1, 0, 2, 'IMAGE'],
      ]
      const { payload, problems } = convert({ 'My group': { ...group, nodes: [...inner, reroute], links: through } })
      expect(problems).toEqual([])
      expect(JSON.parse(writeJson(payload))['9:1'].inputs.image).toEqual(['9:0', 0])
    })

    test.each([
      ['that is not described', {}, nodes],
      ['whose slots are none of its nodes', { 'My group': { ...group, nodes: inner.slice(1) } }, nodes],
      ['that is no group', { 'My group': { nodes: 7, links: [[1]] } }, nodes],
    ])('one %s is told of', (_, groupNodes, changed) => {
      expect(convert(groupNodes, changed).problems.map(({ code, node }) => `${code} ${node}`)).toEqual([
        'needs_extension 9',
      ])
    })
  })
})
