import { describe, expect, test } from 'vitest'
import type { CatalogEntry } from '../../src-main/contract/catalog.ts'
import { endpointCreate } from '../../src-main/contract/endpoint.ts'
import { ALL_FAULTS_OFF } from '../../src-main/contract/faults.ts'
import type { FleetEvent } from '../../src-main/contract/fleet-events.ts'
import { findEntries, wantsOf } from '../../src-renderer/features/catalog/find-entries.ts'
import { faultsInWords } from '../../src-renderer/features/endpoints/fault-words.ts'
import {
  createBody,
  EMPTY_FORM,
  nameFromImage,
  suggestedName,
} from '../../src-renderer/features/endpoints/new-endpoint.ts'
import { toMarks } from '../../src-renderer/features/endpoints/overview/event-marks.ts'
import { effectInWords } from '../../src-renderer/features/endpoints/settings/SaveBar.tsx'
import { clusterMarks } from '../../src-renderer/ui/chart/cluster-marks.ts'
import { freeName } from '../../src-renderer/ui/form/free-name.ts'

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

  test('offers a name that nobody has', () => {
    expect([freeName('a', []), freeName('a', ['a', 'a-2']), freeName('a', ['a-2'])]).toEqual(['a', 'a-3', 'a'])
  })

  test('says what an entry wants, and nothing that is not stated', () => {
    const settings = { container: { gpu: 'ANY' } }
    expect(wantsOf(entry('x', { image: 'i', settings, gpuMemoryGb: 8, diskGb: 15 }))).toEqual([
      'NVIDIA GPU with 8 GB',
      '15 GB of disk',
    ])
    expect(wantsOf(entry('x', { image: 'i', settings }))).toEqual(['NVIDIA GPU'])
    expect(wantsOf(entry('x', { handler: '/h.py' }))).toEqual(['needs Python alone'])
    expect(wantsOf(entry('x', { handler: '/h.ts' }))).toEqual(['needs nothing else'])
    const bridge = { workflows: { server: 'http://127.0.0.1:8188' } }
    expect(wantsOf(entry('x', { handler: '/h.ts', settings: bridge }))).toEqual([
      'needs a ComfyUI server at http://127.0.0.1:8188',
    ])
  })
})

test('fault switches are told by what they do; those that are off are not', () => {
  expect(faultsInWords({ ...ALL_FAULTS_OFF, delayMs: 2000, killPercent: 5, coldStart: true })).toBe(
    'delays each job by 2.0 s, kills the worker of 5 %, starts cold for every job',
  )
})

describe('marks', () => {
  test('that stand at one place are one, in the order of time; others of the span stand apart', () => {
    const marks = [90, 11, 10, 200, -5].map((at) => ({ at }))
    expect(clusterMarks(marks, { from: 0, to: 100, places: 10 })).toEqual([
      { marks: [{ at: 10 }, { at: 11 }], place: 0.15 },
      { marks: [{ at: 90 }], place: 0.95 },
    ])
  })

  test('at both ends of the span are within it', () => {
    const places = clusterMarks([{ at: 0 }, { at: 100 }], { from: 0, to: 100, places: 4 }).map(({ place }) => place)
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

describe('what a save does', () => {
  const now = [{ effect: 'now' }] as const
  const workers = [{ effect: 'now' }, { effect: 'workers' }] as const

  test('is said for the workers that live', () => {
    expect(effectInWords(now, { workers: 3, running: 1 })).toBe('Takes effect at once. No worker is replaced.')
    expect(effectInWords([{ effect: 'jobs' }], { workers: 3, running: 1 })).toMatch('jobs that come from now on')
    expect(effectInWords(workers, { workers: 0, running: 0 })).toMatch('the next one starts with it')
    expect(effectInWords(workers, { workers: 2, running: 1 })).toBe(
      'Replaces 2 workers: new ones start with it. What they run ends first: 1 job.',
    )
  })
})
