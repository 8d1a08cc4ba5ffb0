/** Parts of graph runs and of their view, without a page. */
import { describe, expect, test } from 'vitest'
import { readDocument } from '../../../src-main/features/workflows/rules/document/document.ts'
import { readNodeTypes } from '../../../src-main/features/workflows/rules/node-types.ts'
import { parseJson } from '../../../src-main/lib/json/parse.ts'
import { isObject, type JsonObject } from '../../../src-main/lib/json/value.ts'
import {
  progressOfNodes,
  readWorkerProgress,
} from '../../../src-renderer/features/workflow-editor/run/node-progress.ts'
import { selectedOutputs } from '../../../src-renderer/features/workflow-editor/run/prepare-runs.ts'
import {
  allSettings,
  diffSettings,
  mainSettings,
  seedOf,
} from '../../../src-renderer/features/workflow-editor/run/read-settings.ts'
import { locatedLine, readRunError } from '../../../src-renderer/features/workflow-editor/run/run-queries.ts'
import {
  chooseEndpoint,
  createRunStore,
  firstEndpoint,
  runEndpoints,
} from '../../../src-renderer/features/workflow-editor/store/run-store.ts'
import { nextCard } from '../../../src-renderer/ui/cards.ts'
import { anEndpoint, testPlatform } from '../support.tsx'

function object(text: string): JsonObject {
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw new Error('no object')
  return parsed
}

const DOCUMENT = readDocument(new Map())
const PAYLOAD = object(`{
  "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "sd.safetensors"}, "_meta": {"title": "Load"}},
  "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a harbour at dusk", "clip": ["4", 1]}},
  "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "blurry", "clip": ["4", 1]}},
  "3": {"class_type": "KSampler", "inputs": {"seed": 18446744073709551615, "steps": 20, "positive": ["6", 0],
        "negative": ["7", 0], "model": ["4", 0]}},
  "9": {"class_type": "SaveImage", "inputs": {"images": ["3", 0], "filename_prefix": "x"}},
  "20:5": {"class_type": "PreviewImage", "inputs": {"images": ["4", 2]}}
}`)

describe('settings of a run', () => {
  test('say first what people look for, with exact seeds, and tell the prompts apart by where they lead', () => {
    expect(mainSettings(PAYLOAD).map(({ name, value }) => [name, value])).toEqual([
      ['Prompt', 'a harbour at dusk'],
      ['Negative prompt', 'blurry'],
      ['Seed', '18446744073709551615'],
      ['Steps', '20'],
      ['Checkpoint', 'sd.safetensors'],
    ])
    expect(seedOf(PAYLOAD)).toBe('18446744073709551615')
  })

  test('differ where a node and input have another value, or are not there', () => {
    const other = new Map([...PAYLOAD].filter(([id]) => id !== '7'))
    other.set('3', object('{"class_type": "KSampler", "inputs": {"seed": 18446744073709551614, "steps": 20}}'))
    expect(diffSettings(allSettings(PAYLOAD), allSettings(other))).toEqual([
      { key: '7 text', title: 'CLIPTextEncode (7)', name: 'Text', a: 'blurry', b: undefined },
      {
        key: '3 seed',
        title: 'KSampler (3)',
        name: 'Seed',
        a: '18446744073709551615',
        b: '18446744073709551614',
      },
    ])
  })
})

describe('a run of the selected outputs', () => {
  const types = readNodeTypes(
    object('{"SaveImage": {"output_node": true}, "PreviewImage": {"output_node": true}, "KSampler": {}}'),
  )

  test('sends what they need and no more', () => {
    const cut = selectedOutputs(PAYLOAD, types, { document: DOCUMENT, path: [], selection: new Set(['9', '3']) })
    expect([...(cut?.keys() ?? [])]).toEqual(['4', '6', '7', '3', '9'])
  })

  test('means all outputs within a selected subgraph, and those of the graph that was entered', () => {
    const outside = selectedOutputs(PAYLOAD, types, { document: DOCUMENT, path: [], selection: new Set(['20']) })
    const inside = selectedOutputs(PAYLOAD, types, { document: DOCUMENT, path: ['20'], selection: new Set(['5']) })
    expect([...(outside?.keys() ?? [])]).toEqual(['4', '20:5'])
    expect(inside).toEqual(outside)
  })

  test('is none where nothing that is selected gives a result', () => {
    expect(selectedOutputs(PAYLOAD, types, { document: DOCUMENT, path: [], selection: new Set(['3']) })).toBeUndefined()
  })
})

describe('endpoints for graphs', () => {
  const sketch = anEndpoint('sketch', {
    workflows: { checkModels: true, modelFolders: true },
    handler: '/x/resources/node/sketch/handler.ts',
  })
  const hello = anEndpoint('hello')
  const web = anEndpoint('web', { loadBalanced: {} as never })

  test('those that take graphs come first; load-balanced ones have no queue', () => {
    expect(runEndpoints({ web, hello, sketch }).map(({ id }) => id)).toEqual(['sketch', 'hello'])
  })

  test('the first choice is the last one while it is there; nothing is sent to a worker of something else unasked', () => {
    expect(firstEndpoint([sketch, hello], 'hello')).toBe('hello')
    expect(firstEndpoint([sketch, hello], 'gone')).toBe('sketch')
    expect(firstEndpoint([hello], undefined)).toBeUndefined()
  })

  test('one whose classes of nodes were not read is not chosen by itself, but stays where somebody chose it', () => {
    const bridge = anEndpoint('bridge', { handler: '/d/resources/node/comfyui/handler.ts', workflows: {} as never })
    expect(firstEndpoint([bridge], undefined)).toBeUndefined()
    expect(firstEndpoint([bridge], 'bridge')).toBe('bridge')
    expect(firstEndpoint([bridge, { ...bridge, id: 'read', nodeTypesReadAt: 5 }], undefined)).toBe('read')
  })

  test('one that is chosen, wherever that is, is remembered, and what was refused for another is forgotten', () => {
    const platform = testPlatform()
    const runs = createRunStore()
    runs.getState().set({ endpointId: 'hello', refusal: { message: 'It lacks a class.', problems: [] } })
    chooseEndpoint({ platform, runs }, 'sketch')
    expect(runs.getState()).toMatchObject({ endpointId: 'sketch', refusal: undefined })
    expect(platform.preferences.get('workflow-endpoint')).toBe('sketch')
  })
})

describe('the error of a run', () => {
  test.each([
    [
      '{"message":"steps must be at least 1","node":"3","class":"KSampler","input":"steps"}',
      'KSampler (3), steps: steps must be at least 1',
    ],
    [
      '{"error_type":"<class \'E\'>","error_message":"{\\"message\\":\\"no\\",\\"node\\":7}","error_traceback":"t"}',
      'Node 7: no',
    ],
    ['the worker was lost', 'the worker was lost'],
    ['{"half', '{"half'],
    ['{"message":5}', '{"message":5}'],
  ])('%s', (text, line) => {
    expect(locatedLine(readRunError(text))).toBe(line)
  })
})

describe('a worker report', () => {
  test('is read with ids as texts, and a preview as an address that an image can show', () => {
    expect(
      readWorkerProgress({ node: 3, step: 4, steps: 20, done: ['4', 6], preview: { node: '3', data: '/9j/AA' } }),
    ).toEqual({
      node: '3',
      step: 4,
      steps: 20,
      done: new Set(['4', '6']),
      cached: new Set(),
      preview: { node: '3', source: 'data:image/jpeg;base64,/9j/AA' },
    })
  })

  test.each([
    ['a report of its own', '40 %'],
    ['an object of its own', { percent: 40 }],
    ['nothing', undefined],
  ])('is left alone where it is %s', (_what, value) => {
    expect(readWorkerProgress(value)).toBeUndefined()
  })

  test.each(['data:text/html;base64,PHN2Zz4=', 'data:image/svg+xml;base64,PHN2Zz4=', 'javascript:alert(1)', 'x'])(
    'has no preview where it is no picture: %s',
    (data) => {
      expect(readWorkerProgress({ node: '3', preview: { node: '3', data } })?.preview).toBeUndefined()
    },
  )
})

describe('how nodes do', () => {
  const nodes = ['4', '3', '9']
  const reported = readWorkerProgress({
    node: '3',
    step: 1,
    steps: 2,
    done: ['4'],
    preview: { node: '3', data: '/9j/AA' },
  })
  const running = progressOfNodes({ nodes, status: 'IN_PROGRESS', reported }, new Map())

  test('all wait at first, then each is done, runs or waits as the worker says', () => {
    expect(progressOfNodes({ nodes, status: 'IN_QUEUE' }, new Map()).get('3')).toEqual({ state: 'waiting' })
    expect(Object.fromEntries(running)).toEqual({
      '4': { state: 'done' },
      '3': { state: 'running', step: 1, steps: 2, preview: 'data:image/jpeg;base64,/9j/AA' },
      '9': { state: 'waiting' },
    })
  })

  test('an unchanged node stays the same object', () => {
    const next = readWorkerProgress({ node: '3', step: 2, steps: 2, done: ['4'] })
    const later = progressOfNodes({ nodes, status: 'IN_PROGRESS', reported: next }, running)
    expect(later.get('4')).toBe(running.get('4'))
    expect(later.get('9')).toBe(running.get('9'))
    expect(later.get('3')).toMatchObject({ step: 2, preview: 'data:image/jpeg;base64,/9j/AA' })
  })

  test('at the end the results are at their nodes, and the pictures on the way are gone', () => {
    const result = { asset: 'a'.repeat(64), filename: 'x.png', mediaType: 'image/png', node: '9' }
    const ended = progressOfNodes({ nodes, status: 'COMPLETED', results: [result] }, running)
    expect(Object.fromEntries(ended)).toEqual({
      '4': { state: 'done' },
      '3': { state: 'done' },
      '9': { state: 'done', results: [result] },
    })
  })

  test('a failure is at its node, and what did not run shows nothing', () => {
    const errors = [{ message: 'out of memory', node: '3' }]
    const ended = progressOfNodes({ nodes, status: 'FAILED', errors }, running)
    expect(Object.fromEntries(ended)).toEqual({
      '4': { state: 'done' },
      '3': { state: 'failed', error: 'out of memory' },
    })
  })

  test('of a worker that reports nothing, all are done when it is', () => {
    const before = progressOfNodes({ nodes, status: 'IN_PROGRESS' }, new Map())
    const ended = progressOfNodes({ nodes, status: 'COMPLETED' }, before)
    expect([...ended.values()].map(({ state }) => state)).toEqual(['done', 'done', 'done'])
  })
})

test.each([
  ['ArrowRight', 0, 1],
  ['ArrowDown', 1, 4],
  ['ArrowUp', 1, undefined],
  ['End', 0, 9],
  ['x', 0, undefined],
  ['j', 1, 2],
  ['k', 2, 1],
  ['h', 0, undefined],
])('%s on card %i of a wall leads to %s', (key, from, next) => {
  expect(nextCard(key, from, { count: 10, columns: 3 })).toBe(next)
})
