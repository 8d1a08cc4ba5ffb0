import { describe, expect, test } from 'vitest'
import { type Manifest, manifest } from '../../src-main/contract/manifest.ts'
import type { PreviewView, ProjectView } from '../../src-main/contract/projects.ts'
import { environmentState } from '../../src-renderer/features/apps/deployed/EnvironmentTable.tsx'
import { settingText } from '../../src-renderer/features/apps/PlanDiff.tsx'
import { projectState } from '../../src-renderer/features/apps/ProjectTable.tsx'
import {
  callText,
  hardwareText,
  resourceSettings,
  routesOf,
  taskSettings,
  workersText,
} from '../../src-renderer/features/apps/project/EndpointDetails.tsx'
import { toGraph } from '../../src-renderer/features/apps/project/PictureTab.tsx'
import { endpointsOf, filterNotes, noteText } from '../../src-renderer/features/apps/project/use-preview.ts'
import { countSteps } from '../../src-renderer/features/apps/ReleaseParts.tsx'
import { entriesOf, matchingEntries, splitPath } from '../../src-renderer/ui/form/PathControl.tsx'
import { asSentence } from '../../src-renderer/ui/format.ts'
import { layOutBoxes } from '../../src-renderer/ui/graph/layout.ts'
import { layOutTiles } from '../../src-renderer/ui/Treemap.tsx'
import { anEndpoint, aWorker, NOW } from './support.tsx'

const box = (id: string) => ({ id, width: 100, height: 40 })
const arrow = (from: string, to: string) => ({ from, to, labelWidth: 20 })

describe('the layout of a graph', () => {
  test('goes from left to right along the arrows', () => {
    const places = layOutBoxes([box('c'), box('a'), box('b')], [arrow('a', 'b'), arrow('b', 'c')])
    expect((places.a?.x ?? 0) + 100).toBeLessThan(places.b?.x ?? 0)
    expect((places.b?.x ?? 0) + 100).toBeLessThan(places.c?.x ?? 0)
  })

  test('keeps boxes apart, also those that no arrow touches, and in a ring', () => {
    const ids = Array.from({ length: 30 }, (_one, at) => `n${at}`)
    const arrows = [arrow('n0', 'n1'), arrow('n1', 'n0'), arrow('n2', 'n2')]
    const places = Object.values(layOutBoxes(ids.map(box), arrows))
    const overlaps = places.flatMap((one, at) =>
      places.slice(at + 1).filter(({ x, y }) => Math.abs(x - one.x) < 100 && Math.abs(y - one.y) < 40),
    )
    expect(overlaps).toEqual([])
    expect(places).toHaveLength(30)
    // Rows, and not one column of thirty.
    expect(Math.max(...places.map(({ x }) => x))).toBeGreaterThan(300)
  })

  test('of nothing is nothing', () => {
    expect(layOutBoxes([], [])).toEqual({})
  })
})

describe('the tiles of a treemap', () => {
  const piece = (id: string, size: number) => ({ id, name: id, kind: 'package', size })

  test('fill the area by size, without what is empty', () => {
    const tiles = layOutTiles([piece('a', 600), piece('b', 300), piece('c', 100), piece('none', 0)], 2)
    const shares = tiles.map(({ piece: { id }, width, height }) => [id, Math.round(width * height * 100)])
    expect(shares).toEqual([
      ['a', 60],
      ['b', 30],
      ['c', 10],
    ])
    for (const { left, top, width, height } of tiles) {
      expect(left + width).toBeLessThan(1.001)
      expect(top + height).toBeLessThan(1.001)
    }
  })

  test('of nothing are none', () => {
    expect(layOutTiles([], 2)).toEqual([])
    expect(layOutTiles([piece('none', 0)], 2)).toEqual([])
  })
})

describe('a path that is typed', () => {
  test.each([
    ['', undefined, ''],
    ['wo', undefined, 'wo'],
    ['/', '/', ''],
    ['/ho', '/', 'ho'],
    ['/home/ada/', '/home/ada', ''],
    ['/home/ada/sh', '/home/ada', 'sh'],
  ])('%j looks into %j for %j', (path, folder, start) => {
    expect(splitPath(path)).toEqual({ folder, start })
  })

  test('means the folders that begin so, those with an app first', () => {
    const folders = ['shared', 'Shop', 'other'].map((name) => ({ name, path: `/${name}`, isApp: name === 'Shop' }))
    const found = matchingEntries(entriesOf({ folders }), 'sh')
    expect(found.map(({ name, marked }) => [name, marked])).toEqual([
      ['Shop', true],
      ['shared', false],
    ])
  })

  test('means files too where they are listed, those with a handler first', () => {
    const folders = ['hats', 'x'].map((name) => ({ name, path: `/${name}`, isApp: true }))
    const files = ['helper.py', 'handler.py'].map((name) => ({
      name,
      path: `/${name}`,
      isHandler: name === 'handler.py',
    }))
    const found = matchingEntries(entriesOf({ folders, files }), 'h')
    expect(found.map(({ name }) => name)).toEqual(['handler.py', 'hats', 'helper.py'])
  })
})

type Shown = Partial<ProjectView> & { readonly isDeployed?: boolean }

test.each([
  [{ isThere: false, preview: 'live' }, 'Folder is missing'],
  [{ build: 'running', preview: 'live' }, 'Building'],
  [{ build: 'done', preview: 'broken' }, 'Preview failing'],
  [{ build: 'failed', preview: 'ended' }, 'Build failed'],
  [{}, 'Not built'],
  [{ isDeployed: true }, 'Deployed'],
  [{ isDeployed: true, build: 'failed' }, 'Build failed'],
] as const)('a project with %j is shown as %s', ({ isDeployed = false, ...more }: Shown, word) => {
  const project: ProjectView = { id: 'p', folder: '/p', app: 'p', isThere: true, openedAt: NOW, ...more }
  expect(projectState(project, isDeployed).text).toBe(word)
})

describe('the state of an environment', () => {
  test('is that of the endpoint that asks most for attention', () => {
    const endpoints = [anEndpoint('ready'), anEndpoint('ill'), anEndpoint('asleep')]
    const workers = { a: aWorker('a', 'ready'), b: aWorker('b', 'ill', { state: 'unhealthy' }) }
    expect(environmentState(endpoints, workers).text).toBe('Unhealthy')
    const crash = {
      pool: 'main',
      count: 7,
      lastWords: 'KeyError: 1',
      since: 0,
      lastAt: 1,
      nextTryAt: 2,
      needsChange: true,
    } as const
    expect(environmentState([...endpoints, anEndpoint('crashing', { crash })], workers).text).toBe('Crashing')
    expect(environmentState(endpoints.slice(0, 1), workers).text).toBe('Ready')
  })

  test('names endpoints of the active release that were deleted, before the state of the others', () => {
    expect(environmentState([anEndpoint('shout')], {}, ['greet'])).toMatchObject({
      text: 'Incomplete',
      detail: 'greet is missing: deploy again',
    })
  })

  test('without endpoints says that nothing is deployed', () => {
    expect(environmentState([], {}).text).toBe('Not deployed')
  })
})

const APP: Manifest = manifest.parse({
  version: '1.0',
  app: 'shop',
  python_version: '3.11',
  generated_at: '',
  source_fingerprint: '',
  resources: Object.fromEntries(
    ['api', 'model'].map((name) => [
      name,
      {
        is_load_balanced: name === 'api',
        workersMin: 0,
        workersMax: name === 'api' ? 0 : 3,
        ...(name === 'model' ? { gpuIds: 'ADA_24' } : { instanceIds: ['cpu3c-1-2'] }),
        gpuCount: 1,
        env: { TOKEN: 'never shown' },
        functions: [
          {
            name: 'Model',
            module: name,
            is_async: false,
            is_generator: false,
            is_class: name === 'model',
            methods: ['draw', 'warm'],
          },
        ],
        idleTimeout: 60,
        scalerType: 'QUEUE_DELAY',
        scalerValue: 4,
        executionTimeoutMs: 0,
        maxConcurrency: 1,
        makesRemoteCalls: name === 'api',
        networkVolumes: [{ name: 'weights' }],
        systemDependencies: [],
      },
    ]),
  ),
  routes: { api: { 'GET /health': 'health' } },
  function_registry: {},
})

const WITH_TASK: Manifest = {
  ...APP,
  tasks: {
    train: {
      gpuCount: 1,
      gpuIds: 'any',
      env: { TOKEN: 'never shown' },
      functions: [{ name: 'fit', module: 'train', is_async: false, is_generator: false, is_class: false }],
      networkVolumes: [{ name: 'weights' }],
      systemDependencies: [],
    },
  },
}

describe('an endpoint in words', () => {
  test('says its hardware, workers and answers', () => {
    const { api, model } = APP.resources
    expect(api && hardwareText(api)).toBe('CPU: cpu3c-1-2')
    expect(model && hardwareText(model)).toBe('1 GPU: ADA_24')
    expect(api && workersText(api)).toBe('0 workers')
    expect(model && workersText(model)).toBe('0 to 3 workers')
    expect(routesOf(APP, 'api')).toEqual(['GET /health'])
    expect(routesOf(APP, 'model')).toEqual(['Model.draw()', 'Model.warm()'])
  })

  test('names variables and volumes, and shows no value', () => {
    const settings = Object.values(APP.resources).flatMap(resourceSettings)
    expect(settings).toContainEqual({ name: 'Variables', value: 'TOKEN' })
    expect(settings).toContainEqual({ name: 'Volumes', value: 'weights' })
    expect(JSON.stringify(settings)).not.toContain('never shown')
  })

  test('a task is a box too, says what it is, and shows no value', () => {
    const { items } = toGraph(WITH_TASK, [])
    expect(items.map(({ id }) => id)).toEqual(['api', 'model', 'train'])
    expect(routesOf(WITH_TASK, 'train')).toEqual(['fit()'])
    expect(Object.values(WITH_TASK.tasks ?? {}).map(taskSettings)).toEqual([
      [
        { name: 'Kind', value: 'task: each call runs on a worker of its own' },
        { name: 'Hardware', value: '1 GPU: any' },
        { name: 'Variables', value: 'TOKEN' },
        { name: 'Volumes', value: 'weights' },
      ],
    ])
  })

  test('does not say a function twice', () => {
    expect(callText('clean', ['clean'])).toBe('clean')
    expect(callText('model', ['draw', 'warm'])).toBe('draw, warm of model')
  })

  test('is a box, as high as what it answers, and each call an arrow', () => {
    const { items, links } = toGraph(APP, [{ from: 'api', to: 'model', functions: ['a', 'b', 'c'] }])
    expect(items.map(({ id, height }) => [id, height])).toEqual([
      ['api', 82],
      ['model', 100],
    ])
    expect(links).toEqual([{ from: 'api', to: 'model', label: 'a, 2 more' }])
  })
})

describe('notes of a preview', () => {
  const notes: PreviewView['notes'] = [
    { at: 1, kind: 'info', text: 'The service answers.' },
    { at: 2, kind: 'log', text: 'Loading', endpoint: 'b' },
    { at: 3, kind: 'log', text: 'Loading too', endpoint: 'a' },
  ]

  test('are searched, and those of one endpoint are shown with messages of the preview', () => {
    const shown = (text: string, endpoint?: string) => filterNotes(notes, { text, endpoint }).map(({ at }) => at)
    expect(shown('')).toEqual([1, 2, 3])
    expect(shown('LOADING')).toEqual([2, 3])
    expect(shown('', 'a')).toEqual([1, 3])
    expect(endpointsOf(notes)).toEqual(['a', 'b'])
  })

  test('of a save say how long it took', () => {
    const live = { at: 1, kind: 'live', tookMs: 340 } as const
    expect(noteText({ ...live, text: 'main.py changed' })).toBe('Live in 340 ms: main.py changed')
    expect(noteText({ ...live, text: 'Live: 2 endpoints' })).toBe('Live in 340 ms: 2 endpoints')
    expect(noteText({ at: 1, kind: 'info', text: 'x' })).toBe('x')
  })
})

describe('a plan in words', () => {
  test('counts what it does', () => {
    const step = (action: 'create' | 'delete') => ({ resource: 'a', action, changes: [], replacesWorkers: false })
    expect(countSteps({ steps: [step('delete'), step('create'), step('create')] })).toBe('2 create, 1 delete')
    expect(countSteps({ steps: [] })).toBe('no endpoints')
  })

  test('shows values of any kind, and cuts long ones', () => {
    expect([undefined, 'a', 3, { a: 1 }].map(settingText)).toEqual(['none', 'a', '3', '{"a":1}'])
    expect(settingText('x'.repeat(300))).toHaveLength(200)
  })

  test('makes a sentence of a reason', () => {
    expect(asSentence('it was cancelled')).toBe('It was cancelled.')
    expect(asSentence('Is that so?')).toBe('Is that so?')
  })
})
