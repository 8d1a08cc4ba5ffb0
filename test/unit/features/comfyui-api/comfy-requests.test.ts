import { describe, expect, it } from 'vitest'
import { nameAssets, possibleAssetIds } from '../../../../src-main/features/comfyui-api/rules/asset-references.ts'
import {
  comfyProgress,
  comfyState,
  readResultId,
  resultId,
} from '../../../../src-main/features/comfyui-api/rules/comfy-job.ts'
import {
  readAskedJobs,
  readAssetFields,
  readSubmission,
} from '../../../../src-main/features/comfyui-api/rules/comfy-requests.ts'
import { NO_PROGRESS } from '../../../../src-main/features/comfyui-api/rules/messages.ts'
import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { isRecord } from '../../../../src-main/lib/json/plain.ts'
import { isObject, writeJson } from '../../../../src-main/lib/json/value.ts'

const ID = '9f8a1c0d-2b3e-4f56-8a7b-1c2d3e4f5a6b'

describe('a submission', () => {
  const read = (body: Readonly<Record<string, unknown>>, key?: string) => {
    const fieldsOf = (value: unknown) => (name: string) => {
      const field = isRecord(value) ? value[name] : undefined
      return field === undefined ? undefined : JSON.stringify(field)
    }
    return readSubmission(fieldsOf(body), fieldsOf(body.workflow), key)
  }

  it('is read with labels, a key and a priority within the limits of jobs', () => {
    const asked = { workflow: {}, metadata: { of: 'me' }, extra_data: { api_key_comfy_org: 'k' } }
    expect(read({ ...asked, priority: 5000 }, 'mine')).toEqual({
      ...{ graph: '{}', metadata: '{"of":"me"}', extraData: '{"api_key_comfy_org":"k"}' },
      ...{ idempotencyKey: 'mine', priority: 100 },
    })
    expect(read({ workflow: {}, metadata: null, extra_data: null, inputs: null })).toMatchObject({
      metadata: undefined,
    })
  })

  it.each([
    [{}, 422, 'invalid_workflow'],
    [{ workflow: [] }, 422, 'invalid_workflow'],
    [{ workflow: { nodes: [], links: [] } }, 422, 'workflow_format_ui'],
    [{ workflow: {}, inputs: {} }, 422, 'invalid_workflow'],
    [{ workflow: {}, extra_data: { api_key_comfy_org: 1 } }, 400, 'invalid_request'],
    [{ workflow: {}, metadata: 7 }, 422, 'metadata_invalid'],
    [
      { workflow: {}, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, ''])) },
      422,
      'metadata_invalid',
    ],
    [{ workflow: {}, priority: 1.5 }, 422, 'invalid_request'],
  ])('%j is refused', (body, status, code) => expect(read(body)).toMatchObject({ status, code }))

  it('is refused with a key that is empty or too long', () => {
    for (const key of ['', 'k'.repeat(256)]) expect(read({ workflow: {} }, key)).toMatchObject({ status: 400 })
  })
})

it('lists are filtered by states and labels', () => {
  expect(readAskedJobs({ status: 'queued, running', 'metadata[a]': 'b', limit: '5', cursor: 'c' })).toEqual({
    ...{ states: ['queued', 'running'], labels: { a: 'b' }, limit: 5, cursor: 'c' },
  })
  expect(readAskedJobs({})).toMatchObject({ states: undefined, limit: 50, labels: {} })
  for (const query of [{ status: 'IN_QUEUE' }, { limit: '0' }, { limit: '101' }, { limit: 'x' }])
    expect(readAskedJobs(query)).toMatchObject({ status: 400 })
})

it('fields of an upload are checked', () => {
  const file = { name: 'a.png', type: 'image/png' }
  const read = (fields: Readonly<Record<string, unknown>>) => readAssetFields((name) => fields[name], file)
  expect(read({ expected_hash: `blake3:${'A'.repeat(64)}`, expires_in: '60' })).toEqual({
    ...{ filePath: 'a.png', contentType: 'image/png', expected: 'a'.repeat(64), expiresInSeconds: 60 },
  })
  for (const wrong of [
    { expected_hash: 'sha256:1' },
    { expires_in: '59' },
    { expires_in: 'x' },
    { file_path: 'a'.repeat(1001) },
  ])
    expect(read(wrong)).toMatchObject({ status: 422 })
  expect(readAssetFields(() => 'a'.repeat(1001))).toMatchObject({ message: expect.stringContaining('file_path') })
  expect(read({ content_type: 'text/html; x\r\n' })).toMatchObject({ contentType: 'application/octet-stream' })
})

it('references become names, and numbers stay as they were written', () => {
  const text = `{"1":{"inputs":{"image":{"__type":"core/ASSET","info":{"id":"${ID}-12"}},"seed":18446744073709551615,"n":1.0}}}`
  const graph = parseJson(text)
  if (!isObject(graph)) throw new Error('no graph')
  expect(possibleAssetIds(text, 10)).toEqual([`${ID}-12`])
  expect(possibleAssetIds(`{"a":"${ID}"}`, 10)).toEqual([])
  expect(possibleAssetIds(text, 0)).toEqual([])
  const named = nameAssets(graph, { [`${ID}-12`]: 'a/b.png' })
  expect(named.missing).toEqual([])
  expect(writeJson(named.graph)).toBe('{"1":{"inputs":{"image":"a/b.png","seed":18446744073709551615,"n":1.0}}}')
  expect(nameAssets(graph, {}).missing).toEqual([`${ID}-12`])
})

it('a job that timed out without a start has expired', () => {
  expect(comfyState({ status: 'TIMED_OUT' }, 'TIMED_OUT')).toBe('expired')
  expect(comfyState({ status: 'TIMED_OUT', executionMs: 5 }, undefined)).toBe('failed')
  expect(comfyState({ status: 'IN_PROGRESS' }, 'CANCELLED')).toBe('canceling')
  expect(comfyState({ status: 'IN_PROGRESS' }, 'COMPLETED')).toBe('running')
})

it('progress counts nodes and the steps of the current one', () => {
  const nodes = { count: 4, classes: new Map([['3', 'KSampler']]) }
  const progress = { ...NO_PROGRESS, node: '3', step: 5, steps: 10, done: ['1'], cached: ['2'] }
  expect(comfyProgress(progress, nodes)).toEqual({
    ...{ value: 0.625, nodes_done: 2, nodes_total: 4, step: 5, steps: 10 },
    ...{ current_node: '3', current_node_class: 'KSampler', message: 'KSampler 5/10' },
  })
  expect(comfyProgress(NO_PROGRESS, { count: 0, classes: new Map() })).toMatchObject({ value: 0, message: null })
})

it('ids of results are read back, and no others', () => {
  expect(readResultId(resultId(ID, 3))).toEqual({ promptId: ID, index: 3 })
  expect(readResultId(ID)).toBeUndefined()
})
