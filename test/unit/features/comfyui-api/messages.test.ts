import { describe, expect, it } from 'vitest'
import { outputsOf } from '../../../../src-main/features/comfyui-api/rules/entries.ts'
import {
  endMessages,
  NO_PROGRESS,
  progressMessages,
  readProgress,
} from '../../../../src-main/features/comfyui-api/rules/messages.ts'
import { refusalOf } from '../../../../src-main/features/comfyui-api/rules/refusals.ts'
import { filesBelow, userPath } from '../../../../src-main/features/comfyui-api/rules/user-paths.ts'

const OF = { promptId: 'p', now: 5 }
const types = (messages: readonly { readonly type: string }[]) => messages.map(({ type }) => type)

describe('messages of progress', () => {
  it('begin with what is cached, and say a node once', () => {
    const first = readProgress({ node: '3', step: 0, steps: 4, done: ['1'], cached: ['1'] })
    const sent = progressMessages(undefined, first, OF)
    expect(types(sent)).toEqual(['execution_cached', 'executing', 'progress', 'progress_state'])
    expect(sent[0]?.data).toEqual({ nodes: ['1'], prompt_id: 'p', timestamp: 5 })
    const next = readProgress({ node: '3', step: 1, steps: 4, done: ['1'], cached: ['1'] })
    expect(types(progressMessages(first, next, OF))).toEqual(['progress', 'progress_state'])
    expect(progressMessages(next, next, OF)).toEqual([])
  })

  it('are few for a worker that reports something else', () => {
    expect(readProgress('40 %')).toEqual(NO_PROGRESS)
    expect(types(progressMessages(undefined, readProgress(40), OF))).toEqual(['execution_cached'])
  })
})

describe('messages of an end', () => {
  const error = { message: 'no memory', node: '3', nodeType: 'KSampler', exceptionType: 'Error', traceback: [] }
  it.each([
    ['COMPLETED', ['executed', 'execution_success', 'executing']],
    ['FAILED', ['execution_error', 'executing']],
    ['TIMED_OUT', ['execution_error', 'executing']],
    ['CANCELLED', ['execution_interrupted', 'executing']],
  ] as const)('of %s', (status, expected) => {
    expect(types(endMessages('p', { status, outputs: { 9: {} }, done: [], error }, 5))).toEqual(expected)
  })
})

describe('a refusal', () => {
  const of = { outputs: ['9'], classOf: () => 'KSampler' }
  it('ignores warnings, and names each input by its node', () => {
    const problem = { node: '3', message: 'Input seed is missing.' }
    expect(refusalOf([{ ...problem, code: 'unknown_class', severity: 'warning' }], of)).toBe(undefined)
    const refused = refusalOf([{ ...problem, code: 'required_input_missing', severity: 'error', input: 'seed' }], of)
    expect(refused?.node_errors).toEqual({
      3: {
        class_type: 'KSampler',
        dependent_outputs: ['9'],
        errors: [
          {
            type: 'required_input_missing',
            message: 'Required input is missing',
            details: 'Input seed is missing.',
            extra_info: { input_name: 'seed' },
          },
        ],
      },
    })
  })

  it('is of the whole prompt where no node has the fault', () => {
    const none = { code: 'no_output_node', severity: 'error', message: 'The graph has no output.' } as const
    expect(refusalOf([none], of)).toMatchObject({ error: { type: 'prompt_no_outputs' }, node_errors: {} })
    const cycle = { code: 'cycle', severity: 'error', node: '3', message: 'The links form a loop.' } as const
    expect(refusalOf([cycle], of)).toMatchObject({ error: { type: 'invalid_prompt' }, node_errors: {} })
  })
})

describe('a refusal of a hostile graph', () => {
  const MANY = 20_000
  const ids = Array.from({ length: MANY }, (_, at) => String(at))
  const problemOf = (node: string, input: string) =>
    ({ code: 'required_input_missing', severity: 'error', node, input, message: 'It is missing.' }) as const
  const lengthOf = (...told: Parameters<typeof refusalOf>) => JSON.stringify(refusalOf(...told)).length
  const classOf = () => 'SaveImage'

  it.each([
    ['all outputs fail', ids.map((id) => problemOf(id, 'images')), ids],
    ['one node has all faults', ids.map((id) => problemOf('9', id)), ['9']],
    ['ids are long', [problemOf('a'.repeat(MANY), 'images')], ids.map((id) => id.padStart(MANY / 100, '0'))],
  ])('stays short if %s', (_how, problems, outputs) => {
    expect(lengthOf(problems, { outputs, classOf })).toBeLessThan(500_000)
  })
})

describe('paths of files that the page keeps', () => {
  it.each(['../a', 'a/../b', '/a', 'a//b', '', 'a\\b', './a'])('refuse %s', (path) => {
    expect(userPath(path)).toBe(undefined)
  })

  it('are told relative to a folder', () => {
    const files = [{ path: '' }, { path: 'workflows/a.json' }, { path: 'workflows/x/b.json' }, { path: 'c.json' }]
    expect(filesBelow(files, 'workflows', false)).toEqual([{ path: 'a.json' }])
    expect(filesBelow(files, 'workflows', true)).toEqual([{ path: 'a.json' }, { path: 'x/b.json' }])
    expect(filesBelow(files, '', false)).toEqual([{ path: 'c.json' }])
  })
})

describe('ids of nodes like members of objects', () => {
  const ids = ['__proto__', 'constructor', 'toString']
  it.each(ids)('%s keep their results', (node) => {
    const result = { node, filename: 'a.png', mediaType: 'image/png', asset: 'a', bytes: 1 }
    const outputs = outputsOf({ results: [result] }, { promptId: 'p', fallback: '' })
    expect(Object.entries(outputs)).toEqual([
      [node, { images: [{ filename: 'a.png', subfolder: 'p', type: 'output' }] }],
    ])
  })

  it.each(ids)('%s are named in a refusal', (node) => {
    const problem = { code: 'required_input_missing', severity: 'error', node, message: 'missing' } as const
    const refused = refusalOf([problem], { outputs: [], classOf: () => 'KSampler' })
    expect(Object.keys(refused?.node_errors ?? {})).toEqual([node])
  })
})
