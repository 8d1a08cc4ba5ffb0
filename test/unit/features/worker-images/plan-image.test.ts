import { describe, expect, it } from 'vitest'
import { type WorkflowLock, workflowLock } from '../../../../src-main/contract/worker-images.ts'
import {
  diskGbFor,
  estimateColdStart,
  lockChanges,
  mountedModels,
  platformLimits,
  warningsSince,
} from '../../../../src-main/features/worker-images/rules/plan-image.ts'
import { GIB } from '../../../../src-main/lib/units.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const HASH = 'c'.repeat(64)

const lockOf = (more: object = {}): WorkflowLock =>
  workflowLock.parse({
    schema: 'drydock-workflow-lock/1',
    comfyui: { repository: 'https://example.com/comfyui', commit: A, version: '0.3.40' },
    base: { image: 'python:3.11-slim', python: '3.11' },
    ...more,
  })

describe('the changes between two locks', () => {
  it('are empty for the same lock', () => {
    expect(lockChanges(lockOf(), lockOf())).toEqual([])
  })

  it('name ComfyUI, nodes, packages, models, inputs and the graph with both versions', () => {
    const before = lockOf({
      nodes: [
        { name: 'kit', source: { registry: 'kit', version: '1.0.0' } },
        { name: 'gone', source: { path: 'gone', sha256: HASH } },
      ],
      python: [{ name: 'pillow', version: '10.0.0', wantedBy: ['kit'] }],
      models: [{ folder: 'vae', name: 'ae.safetensors', sizeBytes: 1000, delivery: 'mounted' }],
      inputs: [{ name: 'cat.png', sizeBytes: 1, sha256: HASH }],
      workflow: { file: 'cat.json', sha256: HASH },
    })
    const after = lockOf({
      comfyui: { repository: 'https://example.com/comfyui', commit: B, version: '0.3.41' },
      nodes: [{ name: 'kit', source: { registry: 'kit', version: '1.1.0' } }],
      python: [
        { name: 'numpy', version: '2.0.0', wantedBy: ['kit'] },
        { name: 'pillow', version: '11.0.0', wantedBy: ['kit'] },
      ],
      models: [{ folder: 'vae', name: 'ae.safetensors', sizeBytes: 1000, delivery: 'baked' }],
      workflow: { file: 'cat.json', sha256: 'd'.repeat(64) },
    })
    expect(lockChanges(before, after)).toEqual([
      {
        part: 'comfyui',
        name: 'ComfyUI',
        change: 'changed',
        from: '0.3.40 (aaaaaaaaaaaa)',
        to: '0.3.41 (bbbbbbbbbbbb)',
      },
      { part: 'nodes', name: 'gone', change: 'removed', from: 'gone (cccccccccccc)' },
      { part: 'nodes', name: 'kit', change: 'changed', from: 'version 1.0.0', to: 'version 1.1.0' },
      { part: 'python', name: 'numpy', change: 'added', to: '2.0.0' },
      { part: 'python', name: 'pillow', change: 'changed', from: '10.0.0', to: '11.0.0' },
      {
        part: 'models',
        name: 'vae/ae.safetensors',
        change: 'changed',
        from: 'mounted, 1000 B',
        to: 'baked, 1000 B',
      },
      { part: 'inputs', name: 'cat.png', change: 'removed', from: 'cccccccccccc' },
      { part: 'workflow', name: 'cat.json', change: 'changed', from: 'cccccccccccc', to: 'dddddddddddd' },
    ])
  })

  it('show no value of a variable', () => {
    const changes = lockChanges(lockOf({ environment: { TOKEN: 'one' } }), lockOf({ environment: { TOKEN: 'two' } }))
    expect(changes).toEqual([
      { part: 'environment', name: 'TOKEN', change: 'changed', from: '(hidden)', to: '(hidden)' },
    ])
  })
})

describe('a deploy after another one', () => {
  const parameter = { name: 'prompt', node: '6', input: 'text', type: 'string' } as const
  const released = (pinned: string, lock = lockOf(), parameters: readonly (typeof parameter)[] = [parameter]) => ({
    image: { reference: 'cat:1', pinned, lock },
    parameters,
  })
  const changed = lockOf({ nodes: [{ name: 'kit', source: { registry: 'kit', version: '2.0.0' } }] })

  it('warns of an image that was built before the lock changed', () => {
    expect(warningsSince(released('sha256:a'), released('sha256:a', changed))).toEqual([
      'cat:1 is the deployed image, built before kit changed in the lock. Build it again: drydock workflow image',
    ])
    expect(warningsSince(released('sha256:a'), released('sha256:b', changed))).toEqual([])
    expect(warningsSince(released('cat:1'), released('cat:1', changed))).toEqual([])
  })

  it('knows that a release, and not its image, has the graph and variables', () => {
    const lock = lockOf({ workflow: { file: 'cat.json', sha256: HASH }, environment: { STEPS: '4' } })
    expect(warningsSince(released('sha256:a'), released('sha256:a', lock))).toEqual([])
  })

  it('warns of parameters that clients lose, and says how to keep them', () => {
    expect(warningsSince(released('sha256:a'), released('sha256:b', lockOf(), []))).toEqual([
      'Clients can no longer set prompt. To keep this parameter, add --expose 6.text=prompt',
    ])
  })
})

describe('the estimate of a cold start', () => {
  const NOTHING = { sizeBytes: GIB, isThere: false, pulls: [], starts: [], firstJobs: [], endpoint: undefined }

  it('is the sum of pull, start and first picture, each a median of what was measured', () => {
    const pulls = [
      { bytes: 2 * GIB, tookMs: 20_000 },
      { bytes: 2 * GIB, tookMs: 60_000 },
    ]
    const facts = { ...NOTHING, pulls, starts: [9000, 5000, 7000], firstJobs: [3000, 1000], endpoint: 'cat-worker' }
    expect(estimateColdStart(facts)).toEqual({
      pullMs: 20_000,
      startMs: 7000,
      firstPictureMs: 3000,
      totalMs: 30_000,
      measured: [
        'pull: 51 MiB per second in 2 pulls',
        'start: 3 starts of cat-worker',
        'first picture: 2 first jobs of cat-worker',
      ],
    })
  })

  it('pulls nothing where the image is, and says what was never measured', () => {
    expect(estimateColdStart({ ...NOTHING, isThere: true })).toEqual({
      pullMs: 0,
      measured: ['pull: the image is already there', 'start: no start yet', 'first picture: no first job yet'],
    })
    expect(estimateColdStart(NOTHING).measured[0]).toBe('pull: no pull since the service started')
  })
})

it('models that the image lacks are mounted, each from where it is', () => {
  const lock = lockOf({
    models: [
      { folder: 'vae', name: 'ae.safetensors', sizeBytes: GIB },
      { folder: 'loras', name: 'ink.safetensors' },
      { folder: 'loras', name: 'small.safetensors', sizeBytes: 5 },
      { folder: 'loras', name: 'large.safetensors', sizeBytes: GIB, delivery: 'baked' },
    ],
  })
  expect(mountedModels(lock, ({ folder }) => (folder === 'vae' ? '/models' : undefined))).toEqual([
    { path: 'vae/ae.safetensors', sizeBytes: GIB, from: '/models' },
    { path: 'loras/ink.safetensors' },
  ])
})

describe('limits of the platform', () => {
  const limitsOf = (sizeBytes: number, startMs: number, modelBytes: number) =>
    platformLimits({
      image: { reference: 'a', pinned: 'a', sizeBytes },
      mounts: [{ path: 'vae/a', sizeBytes: modelBytes }],
      coldStart: { startMs, measured: [] },
    })

  it('hold for a usual image', () => {
    expect(limitsOf(10 * GIB, 60_000, 20 * GIB)).toEqual([
      { name: 'container disk', value: '12 GB', limit: '100000 GB', isOver: false },
      { name: 'network volume', value: '22 GB', limit: '4096 GB', isOver: false },
      { name: 'start of a worker', value: '60 s', limit: '420 s', isOver: false },
    ])
  })

  it.each([
    [420_000, false],
    [420_001, true],
  ])('a start of %s ms is over the limit: %s', (startMs, isOver) => {
    expect(limitsOf(GIB, startMs, GIB)[2]).toMatchObject({ isOver })
  })

  it('a small image gets the smallest disk', () => {
    expect(diskGbFor(1)).toBe(5)
  })
})
