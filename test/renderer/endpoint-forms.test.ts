import { describe, expect, test } from 'vitest'
import type { CatalogEntry } from '../../src-main/contract/catalog.ts'
import { endpointCreate } from '../../src-main/contract/endpoint.ts'
import { ALL_FAULTS_OFF } from '../../src-main/contract/faults.ts'
import type { FleetEvent } from '../../src-main/contract/fleet-events.ts'
import { faultsText } from '../../src-main/features/workers/rules/faults.ts'
import { findEntries, wantsOf } from '../../src-renderer/features/catalog/CatalogPages.tsx'
import { toMarks } from '../../src-renderer/features/endpoints/MetricCharts.tsx'
import {
  createBody,
  EMPTY_FORM,
  hubProblems,
  imageWarning,
  nameFromImage,
  openHub,
  suggestedName,
  withLabel,
  withPreset,
} from '../../src-renderer/features/endpoints/new-endpoint.ts'
import { effectText } from '../../src-renderer/features/endpoints/settings/SaveBar.tsx'
import { clusterMarks } from '../../src-renderer/ui/chart/EventStrip.tsx'
import { freeName } from '../../src-renderer/ui/form/CreatedEndpoint.tsx'

const HUB = {
  title: 'Painter',
  type: 'serverless',
  config: {
    runsOn: 'GPU',
    containerDiskInGb: 20,
    gpuCount: 2,
    gpuIds: 'ADA_24, -NVIDIA L4',
    presets: [{ name: 'Fast', defaults: { STEPS: 4, HALF: true, EXTRA: 1 } }],
    env: [
      { key: 'MODE', value: 'fixed' },
      { key: 'STEPS', input: { type: 'number', min: 1, max: 100, default: 20 } },
      { key: 'HALF', input: { type: 'boolean', default: false, trueValue: 'yes', falseValue: 'no', advanced: true } },
      {
        key: 'SIZE',
        input: {
          type: 'string',
          options: [
            { label: 'Small', value: 's' },
            { label: 'M', value: 'm' },
          ],
        },
      },
      { key: 'NAME', input: { type: 'huggingface', required: true } },
    ],
  },
}

/** The changes that opening a form makes. */
function opened(hub: unknown) {
  const read = openHub(JSON.stringify(hub))
  if ('problem' in read) throw new Error(read.problem)
  return read.change
}

const fail = (): never => {
  throw new Error('there is no form')
}

describe('a new endpoint', () => {
  test('from an image has what was filled in, and defaults for the rest', () => {
    const image = { ...EMPTY_FORM, id: ' web ', image: ' x:1 ', loadBalanced: true, port: '8000', gpu: 'ANY' }
    const body = createBody('image', {
      ...image,
      variables: [
        { name: 'A', value: '1' },
        { name: '', value: '' },
      ],
    })
    expect(body).toEqual({
      id: 'web',
      name: 'web',
      env: { A: '1' },
      container: { image: 'x:1', gpu: 'ANY' },
      loadBalanced: { port: 8000 },
      workersMin: 1,
    })
    expect(endpointCreate.safeParse(body).success).toBe(true)
  })

  test('has the answers to the form of its repository, its GPU and its disk; what was typed besides comes last', () => {
    const form = { ...EMPTY_FORM, id: 'x', image: 'x:1', ready: false, ...opened(HUB) }
    expect(form.gpu).toBe('ADA_24,-NVIDIA L4')
    const hub = withPreset(form.hub ?? fail(), 'Fast')
    const body = createBody('image', { ...form, hub, variables: [{ name: 'STEPS', value: '9' }] })
    expect(body).toEqual({
      id: 'x',
      name: 'x',
      env: { MODE: 'fixed', STEPS: '9', HALF: 'yes', EXTRA: '1' },
      container: { image: 'x:1', gpu: 'ADA_24,-NVIDIA L4', gpuCount: 2, diskBytes: 21_474_836_480 },
    })
    expect(endpointCreate.safeParse(body).success).toBe(true)
    expect(createBody('image', { ...form, gpu: '' })).toMatchObject({ env: { STEPS: '20', HALF: 'no' } })
    expect(createBody('image', { ...form, gpu: '' }).container).not.toHaveProperty('gpuCount')
    expect(createBody('handler', { ...form, handler: '/h.py' })).toEqual({ id: 'x', name: 'x', handler: '/h.py' })
  })

  test('names what is wrong with an answer, and why a file is no form', () => {
    const hub = opened(HUB).hub ?? fail()
    const answers = { STEPS: '200', HALF: 'perhaps', SIZE: 'xl', NAME: '' }
    expect(hubProblems({ ...hub, answers })).toEqual({
      STEPS: 'STEPS must be at most 100',
      HALF: 'HALF must be yes or no',
      SIZE: 'SIZE must be one of s, m',
      NAME: 'NAME is required',
    })
    expect(openHub('{')).toEqual({ problem: 'This file is not valid JSON.' })
    expect(openHub('{"config": {}}')).toEqual({
      problem: expect.stringMatching(/^This is not a valid hub\.json: title: /),
    })
  })

  test('from a handler file has nothing of an image', () => {
    expect(createBody('handler', { ...EMPTY_FORM, id: 'h', handler: '/h.py', gpu: 'ANY' })).toEqual({
      id: 'h',
      name: 'h',
      handler: '/h.py',
    })
  })

  test('from a command runs in its folder, and from a web app answers requests there', () => {
    const form = {
      ...EMPTY_FORM,
      id: 'web',
      command: ' uvicorn app:app --port $PORT ',
      cwd: '/home/ada/shop/',
      gpu: 'ANY',
    }
    const body = {
      id: 'web',
      name: 'web',
      command: 'uvicorn app:app --port $PORT',
      cwd: '/home/ada/shop',
      workersMin: 1,
    }
    expect(createBody('command', form)).toEqual(body)
    expect(createBody('web', { ...form, ready: false })).toEqual({
      ...{ id: 'web', name: 'web', command: body.command, cwd: body.cwd },
      loadBalanced: {},
    })
    for (const kind of ['command', 'web'] as const)
      expect(endpointCreate.safeParse(createBody(kind, form)).success).toBe(true)
  })

  test.each([
    ['handler: there is no file /x.py.', 'Handler file: there is no file /x.py.'],
    ['id: mine is reserved.', 'Name: mine is reserved.'],
    ['container.image: must be given.', 'Image: must be given.'],
    ['There is no capacity: none.', 'There is no capacity: none.'],
    ['other: text', 'other: text'],
  ])('shows the error %j with the label of the field', (refusal, said) => {
    expect(withLabel(refusal)).toBe(said)
  })

  test('is named after its file, or the folder of one that is called as many are', () => {
    const named = (handler: string) => suggestedName('handler', { ...EMPTY_FORM, handler })
    expect(['/home/ada/Face Finder.py', '/home/ada/faces/handler.py', '/a/rp_handler.py', ''].map(named)).toEqual([
      'face-finder',
      'faces',
      'a',
      '',
    ])
    expect(suggestedName('web', { ...EMPTY_FORM, cwd: '/home/ada/My Shop/' })).toBe('my-shop')
    expect(suggestedName('image', { ...EMPTY_FORM, image: 'ada/web:1' })).toBe('web')
  })

  test('is named by its image', () => {
    const names = ['ghcr.io/ada/Face_Worker:1.2', 'busybox', 'localhost:5000/a/b@sha256:00', '--', ''].map(
      nameFromImage,
    )
    expect(names).toEqual(['face-worker', 'busybox', 'b', '', ''])
  })
})

describe('the catalog', () => {
  const entry = (id: string, more: Partial<CatalogEntry> = {}): CatalogEntry => ({
    id,
    name: id,
    summary: 's',
    licence: 'l',
    env: [],
    example: {},
    settings: {},
    missing: [],
    ...more,
  })

  test('shows first what can run here, and finds by all words', () => {
    const missing = [{ what: 'no card', fix: 'get one' }]
    const all = [
      entry('large', { model: 'FLUX dev', missing }),
      entry('small'),
      entry('other', { image: 'x/flux:dev' }),
    ]
    expect(findEntries(all, '').map(({ id }) => id)).toEqual(['small', 'other', 'large'])
    expect(findEntries(all, 'dev Flux').map(({ id }) => id)).toEqual(['other', 'large'])
  })

  test('suggests an unused name', () => {
    expect([freeName('a', []), freeName('a', ['a', 'a-2']), freeName('a', ['a-2'])]).toEqual(['a', 'a-3', 'a'])
  })

  test('shows only the stated requirements of an entry', () => {
    const settings = { container: { gpu: 'ANY' } }
    expect(wantsOf(entry('x', { image: 'i', settings, gpuMemoryGb: 8, diskGb: 15 }))).toEqual([
      'NVIDIA GPU with 8 GB',
      '15 GB of disk',
    ])
    expect(wantsOf(entry('x', { image: 'i', settings }))).toEqual(['NVIDIA GPU'])
    expect(wantsOf(entry('x', { handler: '/h.py' }))).toEqual(['needs only Python'])
    expect(wantsOf(entry('x', { handler: '/h.ts' }))).toEqual(['no other requirements'])
    const bridge = { workflows: { server: 'http://127.0.0.1:8188' } }
    expect(wantsOf(entry('x', { handler: '/h.ts', settings: bridge }))).toEqual([
      'needs a ComfyUI server at http://127.0.0.1:8188',
    ])
  })
})

test('fault switches are told by what they do; those that are off are not', () => {
  expect(faultsText({ ...ALL_FAULTS_OFF, delayMs: 2000, killPercent: 5, coldStart: true })).toBe(
    'delays each job by 2.0 s, kills the worker of 5 %, starts cold for every job',
  )
})

describe('marks', () => {
  test('at the same position are merged in order of time; others stay separate', () => {
    const marks = [90, 11, 10, 200, -5].map((at) => ({ at }))
    expect(clusterMarks(marks, { from: 0, to: 100, slots: 10 })).toEqual([
      { marks: [{ at: 10 }, { at: 11 }], position: 0.15 },
      { marks: [{ at: 90 }], position: 0.95 },
    ])
  })

  test('at both ends of the span are within it', () => {
    const places = clusterMarks([{ at: 0 }, { at: 100 }], { from: 0, to: 100, slots: 4 }).map(
      ({ position }) => position,
    )
    expect(places).toEqual([0.125, 0.875])
  })

  test('say what happened, and crashes count more than steps of scaling', () => {
    const event = (kind: FleetEvent['kind'], name: string): FleetEvent => ({
      id: 1,
      at: 1,
      kind,
      endpointId: 'e',
      event: name,
    })
    const marks = toMarks([
      event('scale', 'initializing'),
      event('scale', 'stopping'),
      event('endpoint', 'paused'),
      event('release', 'activated'),
      event('crash', 'ended'),
    ])
    expect(marks.map(({ label }) => label)).toEqual([
      'Worker started',
      'Worker stopped',
      'Endpoint paused',
      'Release activated',
      'Worker crashed',
    ])
    expect(marks.map(({ weight }) => weight)).toEqual([1, 1, 2, 3, 4])
  })
})

describe('the effect of a save', () => {
  const now = [{ effect: 'now' }] as const
  const workers = [{ effect: 'now' }, { effect: 'workers' }] as const

  test('is shown for the running workers', () => {
    expect(effectText(now, { workers: 3, running: 1 })).toBe('Takes effect at once. No worker is replaced.')
    expect(effectText([{ effect: 'jobs' }], { workers: 3, running: 1 })).toMatch('Applies to new jobs')
    expect(effectText(workers, { workers: 0, running: 0 })).toMatch('the next one starts with the new settings')
    expect(effectText(workers, { workers: 2, running: 1 })).toBe(
      'Replaces 2 workers: new ones start with the new settings. They finish 1 job first.',
    )
  })
})

test('an image is warned of before its endpoint is made, where the engine or a GPU is missing', () => {
  const engine = { state: 'absent', reason: 'no Docker engine answers' } as const
  const noDocker = 'Images need Docker, and no Docker engine answers. Start Docker, or set DOCKER_HOST.'
  const end = 'Until then, its workers cannot start.'
  expect(imageWarning({ engine, gpus: [] }, '')).toBe(`${noDocker} ${end}`)
  expect(imageWarning({ engine, gpus: [] }, 'ANY')).toBe(`${noDocker} This machine has no NVIDIA GPU. ${end}`)
  const connected = { engine: { state: 'connected' }, gpus: [] } as const
  expect(imageWarning({ ...connected, gpus: [] }, 'ANY')).toBe(`This machine has no NVIDIA GPU. ${end}`)
  expect(imageWarning({ ...connected, gpus: [] }, '')).toBeUndefined()
  expect(imageWarning(undefined, 'ANY')).toBeUndefined()
})
