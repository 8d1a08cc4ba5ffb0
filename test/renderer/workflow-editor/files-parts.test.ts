import { crc32 as crcOfNode, deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { workflowId } from '../../../src-main/contract/workflows.ts'
import { readDocument } from '../../../src-main/features/workflows/rules/document/document.ts'
import { crc32, readPngTexts, withPngTexts } from '../../../src-main/features/workflows/rules/metadata/png.ts'
import { writeJson } from '../../../src-main/lib/json/value.ts'
import { fileNameOf } from '../../../src-renderer/browser/browser-files.ts'
import { parseStored } from '../../../src-renderer/browser/local-texts.ts'
import {
  BROWSER_TOOLS,
  findGraphInFile,
  workflowName,
} from '../../../src-renderer/features/workflow-editor/files/add-workflow.ts'
import { openText, writeText } from '../../../src-renderer/features/workflow-editor/files/document-text.ts'
import { fitInto, graphPicture } from '../../../src-renderer/features/workflow-editor/files/paint-graph.ts'
import { arrange, sortOf } from '../../../src-renderer/features/workflows/library/LibraryPage.tsx'
import { columnsOf, nextCard } from '../../../src-renderer/ui/cards.ts'
import { objectOf, readWorkflowFile, workflowFiles } from '../../support/workflow-files.ts'
import { typesWith } from './widgets-support.tsx'

const DOCUMENT =
  '{"nodes":[{"id":1,"type":"Note","pos":[0,0],"seed":18446744073709551615,"cfg":1.0}],"links":[],"version":0.4}'
const PAYLOAD = '{"3":{"class_type":"KSampler","inputs":{"seed":18446744073709551615}}}'
const encoder = new TextEncoder()

// A PNG of one pixel, which holds texts.
function png(texts: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const chunk = (type: string, data: Uint8Array) => {
    const checked = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crcOfNode(checked))
    return Buffer.concat([length, checked, sum])
  }
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
  const plain = Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from([0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
  ])
  const encoded = Object.entries(texts).map(([keyword, text]) => ({ keyword, text: encoder.encode(text) }))
  const made = withPngTexts(plain, encoded)
  if (made === undefined) throw new Error('no picture')
  return new Uint8Array(made)
}

const file = (name: string, content: string | Uint8Array<ArrayBuffer>, type = '') => new File([content], name, { type })

describe('a file that is opened', () => {
  test.each([
    ['a document', file('Castle.v2.json', DOCUMENT), { kind: 'graph', name: 'Castle.v2', text: DOCUMENT }],
    ['a payload', file('api.json', PAYLOAD), { kind: 'graph', name: 'api', text: PAYLOAD }],
    [
      'a picture with both: the document wins',
      file('p.png', png({ prompt: PAYLOAD, workflow: DOCUMENT }), 'image/png'),
      { kind: 'graph', name: 'p', text: DOCUMENT },
    ],
    [
      'a picture of an unknown type to the browser',
      file('p', png({ prompt: PAYLOAD })),
      { kind: 'graph', name: 'p', text: PAYLOAD },
    ],
  ])('%s', async (_what, given, found) => {
    expect(await findGraphInFile(given)).toEqual(found)
  })

  test.each([
    ['half a file', file('half.json', DOCUMENT.slice(0, 40)), 'half.json: The workflow is not valid JSON', false],
    ['another JSON', file('a.json', '{"name":"x"}'), 'no workflow but an object with "name"', false],
    ['nothing', file('empty.json', ''), 'The file is empty.', false],
    ['a text', file('notes.txt', 'hello'), 'it is neither JSON', false],
    ['a picture without a graph', file('p.png', png({}), 'image/png'), 'p.png: ', true],
    [
      'a picture with a prompt of another tool',
      file('p.png', png({ parameters: 'a castle, Steps: 20' }), 'image/png'),
      'a prompt of another tool',
      true,
    ],
    [
      'a JSON of 100 MB',
      Object.defineProperty(file('big.json', '{'), 'size', { value: 100 * 1024 * 1024 }),
      'big.json: It has 100 MiB, and the limit is 20 MiB.',
      false,
    ],
  ])('%s says why it is not', async (_what, given, why, isImage) => {
    const found = await findGraphInFile(given)
    expect(found).toMatchObject({ kind: 'none', isImage })
    expect(found.kind === 'none' && found.why).toContain(why)
  })

  test('a packed text is unpacked up to a size, and a damaged one is none', () => {
    const packed = new Uint8Array(deflateSync(Buffer.alloc(1_000_000, 'a')))
    expect(BROWSER_TOOLS.inflate(packed, 1_000_000)).toHaveLength(1_000_000)
    expect(BROWSER_TOOLS.inflate(packed, 999_999)).toBeUndefined()
    expect(BROWSER_TOOLS.inflate(packed.subarray(0, packed.length / 2), 1_000_000)).toBeUndefined()
    expect(BROWSER_TOOLS.inflate(encoder.encode('no zlib'), 100)).toBeUndefined()
  })
})

describe('a document as text', () => {
  test.each([0, 2, 4])(
    'is written as any JSON is, also where nodes were written before, with an indent of %i',
    (indent) => {
      const texts = [
        '{}',
        '{"nodes":[],"links":[[1,2]],"mixed":[1,{"a":"b\\nc"}],"extra":{"x":{"y":[]}},"n":1.0}',
        DOCUMENT,
        ...workflowFiles.map(readWorkflowFile),
      ]
      for (const text of texts) {
        const written = new WeakMap()
        const raw = objectOf(text)
        const expected = writeJson(raw, indent)
        for (const _time of ['first', 'second']) expect(writeText(raw, indent, written)).toBe(expected)
      }
    },
  )

  test('is the text that was opened while nothing is changed, and keeps its indent after that', () => {
    const text = '{\n    "nodes":  [],\n    "links": []\n}\n'
    const opened = openText(text)
    if (opened.kind === 'fault') throw new Error(opened.why)
    expect(opened.write(opened.document)).toBe(text)
    expect(opened.write({ ...opened.document, id: 'x' })).toBe(
      '{\n    "nodes": [],\n    "links": [],\n    "id": "x"\n}\n',
    )
  })

  test('is taken out of what it is wrapped in', () => {
    const opened = openText(`{"workflow":${DOCUMENT}}`)
    expect(opened.kind === 'document' && opened.write(opened.document)).toBe(DOCUMENT)
  })

  test.each([
    ['{', 'not valid JSON'],
    ['[]', 'a list'],
    [PAYLOAD, 'a workflow in the API form'],
  ])('%s is none', (text, why) => {
    const opened = openText(text)
    expect(opened.kind === 'fault' && opened.why).toContain(why)
  })
})

test('a PNG gets texts that other readers find, with sums that they accept', () => {
  const texts = readPngTexts(png({ workflow: DOCUMENT, prompt: PAYLOAD }), BROWSER_TOOLS)
  expect(texts).toEqual([
    { keyword: 'workflow', text: DOCUMENT },
    { keyword: 'prompt', text: PAYLOAD },
  ])
  for (const text of ['', 'IEND', DOCUMENT]) expect(crc32(encoder.encode(text))).toBe(crcOfNode(text))
})

test.each([
  ['Castle', '.json', 'Castle.json'],
  ['a/b\\c:d"e\n', '.png', 'a_b_c_d_e_.png'],
  ['   ', '.json', 'workflow.json'],
])('the file of %j', (name, ending, expected) => {
  expect(fileNameOf(name, ending)).toBe(expected)
})

test('a name that is too long for the library is cut, and what it ends with is kept', () => {
  expect(workflowName('Castle', ' (copy)')).toBe('Castle (copy)')
  expect([200, 201].map((length) => workflowName('x'.repeat(length)).length)).toEqual([200, 200])
  expect(workflowName('x'.repeat(300), ' (copy)')).toBe(`${'x'.repeat(193)} (copy)`)
})

test('text that the browser kept in another form counts as nothing', () => {
  expect(parseStored(workflowId, '"abcdefghijkl"')).toBe('abcdefghijkl')
  expect([parseStored(workflowId, undefined), parseStored(workflowId, '{'), parseStored(workflowId, '1')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

describe('the picture of a graph', () => {
  const document = readDocument(
    objectOf(
      writeJson(
        objectOf(`{"nodes":[
      {"id":1,"type":"A","pos":[0,30],"size":[200,70],"outputs":[{"name":"o","type":"IMAGE","links":[1]}],"mode":2},
      {"id":2,"type":"B","pos":[400,30],"size":[200,70],"inputs":[{"name":"i","type":"IMAGE","link":1}],"bgcolor":"#353"}],
      "links":[[1,1,0,2,0,"IMAGE"],[2,1,0,99,0,"IMAGE"]],
      "groups":[{"title":"G","bounding":[-50,-50,700,300]},{"title":"no place"}],"version":0.4}`),
      ),
    ),
  )
  const picture = graphPicture(document, new Map())

  test('has all nodes, groups, and the links whose ends are there', () => {
    expect(picture.bounds).toEqual({ x: -50, y: -50, width: 700, height: 300 })
    expect(picture.nodes.map(({ title, isOff, colour }) => ({ title, isOff, colour }))).toEqual([
      { title: 'A', isOff: true, colour: undefined },
      { title: 'B', isOff: false, colour: '#353' },
    ])
    expect(picture.links).toEqual([{ from: [200, 44], to: [400, 44], type: 'IMAGE' }])
    expect(picture.groups.map(({ title }) => title)).toEqual(['G'])
  })

  test('has a node with a subgraph as high as what it shows of it', () => {
    const inner = '{"id":8,"type":"KSampler","widgets_values":[1,"fixed",20,8,"euler","normal",1]}'
    const host = (shown: string) => `{"id":57,"type":"g","size":[200,10],"properties":{"proxyWidgets":[${shown}]}}`
    const heightOf = (shown: string) => {
      const subgraphs = `[{"id":"g","version":1,"name":"Inner","inputs":[],"outputs":[],"nodes":[${inner}],"links":[]}]`
      const text = `{"nodes":[${host(shown)}],"links":[],"definitions":{"subgraphs":${subgraphs}},"version":0.4}`
      return graphPicture(readDocument(objectOf(text)), typesWith()).nodes[0]?.box.height ?? 0
    }
    expect(heightOf('["8","steps"],["8","cfg"],["8","denoise"]') - heightOf('["8","steps"]')).toBe(48)
  })

  test('is fitted into a size, in the middle and never larger than it is', () => {
    expect(fitInto(picture, { width: 370, height: 300 }, 10)).toEqual({ scale: 0.5, left: 10, top: 75 })
    expect(fitInto(picture, { width: 2000, height: 2000 }, 10).scale).toBe(1)
  })
})

describe('the library', () => {
  const workflow = (name: string, nodes: number, updatedAt: number) => {
    return { id: name, name, version: 1, draft: 0, nodes, createdAt: 0, updatedAt }
  }
  const all = [workflow('Castle 10', 5, 1), workflow('castle 2', 9, 3), workflow('Bridge', 7, 2)]
  const named = (text: string, sort: string | null) => arrange(all, text, sortOf(sort)).map(({ name }) => name)

  test.each([
    ['', null, ['castle 2', 'Bridge', 'Castle 10']],
    ['', 'name', ['Bridge', 'castle 2', 'Castle 10']],
    ['', 'nodes', ['castle 2', 'Bridge', 'Castle 10']],
    ['', '__proto__', ['castle 2', 'Bridge', 'Castle 10']],
    ['10 CAS', 'name', ['Castle 10']],
    ['x', null, []],
  ])('search %j in order %j', (text, sort, expected) => {
    expect(named(text, sort)).toEqual(expected)
  })

  test.each([
    ['ArrowRight', 0, 1],
    ['ArrowRight', 4, undefined],
    ['ArrowDown', 0, 3],
    ['ArrowDown', 2, undefined],
    ['k', 4, 3],
    ['Home', 4, 0],
    ['End', 0, 4],
    ['Home', 0, undefined],
    ['x', 1, undefined],
  ])('%s on card %i leads to %s', (key, at, to) => {
    expect(nextCard(key, at, { count: 5, columns: columnsOf([10, 10, 10, 200, 200]) })).toBe(to)
  })
})
