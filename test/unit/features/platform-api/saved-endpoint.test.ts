import { describe, expect, it, test } from 'vitest'
import { platformEndpointCreate, platformEndpointUpdate } from '../../../../src-main/contract/platform.ts'
import { createOf, type SavedInput, updateOf } from '../../../../src-main/features/platform-api/rules/saved-endpoint.ts'

const IMAGE = 'runpod/queue-gpu:py3.12-latest'

/** The new endpoint of a save, which the management API accepts. */
function created(input: Partial<SavedInput>) {
  const body = createOf({ name: 'live-adder', type: 'QB', template: { imageName: IMAGE }, ...input })
  expect(() => platformEndpointCreate.parse(body)).not.toThrow()
  return body
}

/** The same for a change. */
function changed(input: Partial<SavedInput>) {
  const body = updateOf({ name: 'live-adder', ...input })
  expect(() => platformEndpointUpdate.parse(body)).not.toThrow()
  return body
}

describe('an endpoint as the tools save it', () => {
  it('has the words of the management API', () => {
    expect(
      created({
        workersMin: 0,
        workersMax: 3,
        idleTimeout: 60,
        scalerType: 'QUEUE_DELAY',
        scalerValue: 2,
        executionTimeoutMs: 60_000,
        flashBootType: 'FLASHBOOT',
        locations: 'EU-RO-1, US-TX-3',
        networkVolumeIds: [{ networkVolumeId: 'v1' }],
        template: {
          imageName: IMAGE,
          containerDiskInGb: 20,
          dockerArgs: 'python main.py',
          ports: '8000/http,22/tcp',
          containerRegistryAuthId: 'work',
          env: [
            { key: 'A', value: '1' },
            { key: 'EMPTY', value: '' },
          ],
        },
      }),
    ).toEqual({
      name: 'live-adder',
      type: 'QUEUE',
      image: IMAGE,
      args: 'python main.py',
      disk: 20,
      env: { A: '1', EMPTY: '' },
      ports: ['8000/http', '22/tcp'],
      registry: 'work',
      dataCenterIds: ['EU-RO-1', 'US-TX-3'],
      networkVolumes: ['v1'],
      flashboot: 'FLASHBOOT',
      timeout: 60_000,
      workers: { min: 0, max: 3, idleTimeout: 60 },
      scaling: { type: 'QUEUE_DELAY', queueDelay: 2 },
    })
  })

  it('says nothing of what is null, empty or missing', () => {
    const empty = { gpuIds: '', locations: '', minCudaVersion: null, allowedCudaVersions: '', executionTimeoutMs: null }
    expect(changed({ ...empty, flashBootType: 'OTHER', template: { dockerArgs: '', ports: '', env: null } })).toEqual({
      name: 'live-adder',
      workers: {},
    })
  })

  it('may set numbers to nothing', () => {
    expect(changed({ workersMin: 0, workersMax: 0, executionTimeoutMs: 0 })).toEqual({
      name: 'live-adder',
      timeout: 0,
      workers: { min: 0, max: 0 },
    })
  })

  test.each([
    [
      'pools without one card',
      { gpuIds: 'ADA_24,-NVIDIA L4', gpuCount: 2 },
      { pools: ['ADA_24'], excludedTypes: ['NVIDIA L4'], count: 2 },
    ],
    ['pools', { gpuIds: 'ADA_24, AMPERE_24' }, { pools: ['ADA_24', 'AMPERE_24'] }],
    [
      'versions of CUDA',
      { gpuIds: 'ADA_24', minCudaVersion: '12.4', allowedCudaVersions: '12.4,12.8' },
      { pools: ['ADA_24'], minCudaVersion: '12.4', allowedCudaVersions: ['12.4', '12.8'] },
    ],
  ])('asks for cards: %s', (_what, input, gpu) => {
    expect(created(input)).toMatchObject({ gpu })
    expect(changed(input).gpu).toEqual(gpu)
  })

  it('asks for processors', () => {
    expect(created({ instanceIds: ['cpu3c-2-4', 'cpu5g-4-16'] }).cpu).toEqual([
      { id: 'cpu3c', vcpuCount: 2 },
      { id: 'cpu5g', vcpuCount: 4 },
    ])
  })

  test.each([
    ['QB', null, null, { type: 'QUEUE_DELAY', queueDelay: 4 }],
    ['LB', null, null, { type: 'REQUEST_COUNT', requestCount: 4 }],
    ['QB', 'REQUEST_COUNT', 9, { type: 'REQUEST_COUNT', requestCount: 9 }],
    ['QB', 'REQUEST_COUNT', null, { type: 'REQUEST_COUNT', requestCount: 4 }],
    [null, 'QUEUE_DELAY', 1, { type: 'QUEUE_DELAY', queueDelay: 1 }],
  ])('of type %s scales by %s %s', (type, scalerType, scalerValue, scaling) => {
    expect(created({ type, scalerType, scalerValue })).toMatchObject({
      type: type === 'LB' ? 'LOAD_BALANCER' : 'QUEUE',
      scaling,
    })
  })

  it('keeps its way of scaling where a change names none', () => {
    expect(changed({ type: 'LB' })).not.toHaveProperty('scaling')
  })
})
