import { describe, expect, test } from 'vitest'
import { containerSettings } from '../../src-main/contract/container.ts'
import type { WorkerState } from '../../src-main/contract/endpoint.ts'
import {
  attentionOf,
  filterEndpoints,
  groupOfEndpoint,
  readEndpointFilter,
} from '../../src-renderer/features/endpoints/endpoint-list-filter.ts'
import {
  endpointKind,
  endpointState,
  endpointTabs,
  nameInApp,
} from '../../src-renderer/features/endpoints/endpoint-state.ts'
import { toGrid, valuesOf } from '../../src-renderer/features/endpoints/MetricCharts.tsx'
import { anEndpoint } from './support.tsx'

const crash = { pool: 'main', count: 7, lastWords: 'KeyError: 1', since: 0, lastAt: 1, needsChange: true } as const

describe('the state of an endpoint', () => {
  test.each([
    ['Asleep', {}, []],
    ['Ready', {}, ['idle']],
    ['Running', { inProgress: 1 }, ['running']],
    // Load-balanced workers run without a job.
    ['Running', {}, ['running']],
    ['Starting', { inQueue: 1 }, ['initializing']],
    ['Waiting', { inQueue: 1 }, []],
    ['Throttled', { throttledReason: 'no engine' }, []],
    ['Throttled', { throttledReason: 'no engine', inQueue: 1 }, []],
    ['Starting', { throttledReason: 'no engine', inQueue: 1 }, ['initializing']],
    ['Ready', { throttledReason: 'no further card' }, ['idle']],
    ['Crashing', { inQueue: 1, crash }, []],
    ['Crashing', { crash: { ...crash, nextTryAt: 2 } }, []],
    ['Asleep', { crash }, []],
    ['Crashing', { crash }, ['initializing', 'unhealthy']],
    ['Ready', { crash }, ['idle']],
    ['Running', { crash, inProgress: 1 }, ['running']],
    ['Paused', { paused: true, crash }, []],
    ['Unhealthy', { inQueue: 1 }, ['unhealthy', 'initializing']],
    ['Ready', {}, ['idle', 'unhealthy']],
    ['Closed', { workersMax: 0, inQueue: 1 }, []],
    ['Published', { workersMax: 0, graph: { behind: 'sketch', version: 1 } }, []],
    ['Broken', { graph: { behind: 'gone', version: 1 }, brokenReason: 'endpoint gone was deleted.' }, []],
    ['Paused', { paused: true, inProgress: 1 }, ['running']],
  ] as const)('is %s with %j and workers %j', (word, facts, states: readonly WorkerState[]) => {
    const workers = states.map((state) => ({ state }))
    expect(endpointState(anEndpoint('e', facts), workers).text).toBe(word)
  })

  test('of an app stands with the name that tells it apart there', () => {
    const app = { name: 'shop', environment: 'production', resource: 'greet', code: 'c', variables: 0 }
    expect(nameInApp({ name: 'greet (shop/production)', app })).toBe('greet')
    expect(nameInApp({ name: 'Renamed', app })).toBe('Renamed')
    expect(nameInApp({ name: 'greet (mine)', app: undefined })).toBe('greet (mine)')
  })

  test('has no tabs for jobs and workers if it is a published graph, which has none', () => {
    expect(endpointTabs(anEndpoint('e'))).toContain('workers')
    const graph = anEndpoint('lamp', { graph: { behind: 'sketch', version: 1 } })
    expect(endpointTabs(graph)).toEqual(['overview', 'requests', 'settings'])
  })

  test('stands with what it runs', () => {
    const app = { name: 'shop', environment: 'dev', resource: 'r', code: 'c', variables: 0 }
    expect(endpointKind({ handler: '/h.py' })).toBe('queue, handler')
    expect(endpointKind({ handler: '/h.py', app })).toBe('queue, app')
    expect(endpointKind({ graph: { behind: 'sketch', version: 1 } })).toBe('published graph')
    expect(endpointKind({ loadBalanced: { port: 80 } })).toBe('load-balanced')
    expect(endpointKind({ container: { ...containerSettings.parse({}), image: 'i' } })).toBe('queue, image')
  })
})

describe('the list of endpoints', () => {
  const app = (name: string, environment: string) => ({
    app: { name, environment, resource: 'r', code: 'c', variables: 0 },
  })
  const rows = [
    anEndpoint('plain', { inQueue: 1 }),
    anEndpoint('shop-b', app('shop', 'staging')),
    anEndpoint('shop-a', app('shop', 'production')),
    anEndpoint('lb', { loadBalanced: { port: 80 }, handler: undefined }),
    anEndpoint('atlas', app('atlas', 'production')),
    anEndpoint('shop-c', { ...app('shop', 'staging'), crash, inQueue: 5 }),
  ].map((endpoint) => ({ endpoint, workers: [] }))
  const found = (search: string) =>
    filterEndpoints(rows, readEndpointFilter(new URLSearchParams(search))).map(({ endpoint }) => endpoint.id)

  test.each([
    ['', ['plain', 'lb', 'atlas', 'shop-a', 'shop-c', 'shop-b']],
    ['group=none', ['shop-c', 'plain', 'shop-b', 'shop-a', 'lb', 'atlas']],
    ['q=PRODUCTION', ['atlas', 'shop-a']],
    ['state=waiting', ['plain']],
    ['jobs=queued', ['plain', 'shop-c']],
    ['kind=app', ['atlas', 'shop-a', 'shop-c', 'shop-b']],
    ['kind=load-balanced', ['lb']],
    ['kind=handler', ['plain']],
    ['kind=graph', []],
    ['state=never&kind=never&group=none', ['shop-c', 'plain', 'shop-b', 'shop-a', 'lb', 'atlas']],
  ])('shows at ?%s: %j', (search, wanted) => {
    expect(found(search)).toEqual(wanted)
  })

  test('sums up what asks for attention, with as many queued jobs as the status bar', () => {
    const rowsOf = (...all: Parameters<typeof anEndpoint>[1][]) =>
      all.map((facts, at) => ({ endpoint: anEndpoint(`e${at}`, facts), workers: [] }))
    const paused = { paused: true, inQueue: 3 }
    const stuck = rowsOf(
      { crash, inQueue: 5 },
      { crash: { ...crash, nextTryAt: 2 } },
      { crash },
      { inQueue: 1 },
      { inProgress: 1, inQueue: 9 },
      paused,
      {},
    )
    expect(attentionOf(stuck)).toEqual([
      { text: '2 crashing', part: { state: 'crashing' } },
      { text: '18 jobs queued', part: { jobs: 'queued' } },
    ])
    const unable = { throttledReason: 'no engine' }
    expect(attentionOf(rowsOf(unable, { ...unable, inQueue: 1 }))).toEqual([
      { text: '2 throttled', part: { state: 'throttled' } },
      { text: '1 job queued', part: { jobs: 'queued' } },
    ])
    expect(attentionOf(rowsOf({}, paused, { workersMax: 0, inQueue: 2 }))).toEqual([])
  })

  test('names the group of an endpoint by app and environment', () => {
    expect(rows.map(({ endpoint }) => groupOfEndpoint(endpoint)).slice(0, 2)).toEqual(['Standalone', 'shop · staging'])
  })
})

describe('the points of a chart', () => {
  const point = (at: number, inQueue: number) => ({
    at,
    inQueue,
    inProgress: 0,
    submitted: 0,
    completed: 0,
    failed: 0,
    retried: 0,
    coldStarts: 0,
    workers: {},
    most: { inQueue, inProgress: 0, ready: 0, starting: 0, unhealthy: 0 },
  })

  test('stand on all steps of the span; what was not measured is a gap', () => {
    const grid = toGrid([point(10, 1), point(30, 3)], { from: 5, to: 49, stepMs: 10 })
    expect(grid.times).toEqual([10, 20, 30])
    expect(valuesOf(grid, ({ inQueue }) => inQueue)).toEqual([1, null, 3])
    expect(valuesOf(grid, ({ delay }) => delay?.p50)).toEqual([null, null, null])
  })

  test('include the step that continues once something of it is there', () => {
    expect(toGrid([point(40, 4)], { from: 20, to: 49, stepMs: 10 }).times).toEqual([20, 30, 40])
  })

  test('of an empty span are none', () => {
    expect(toGrid([], { from: 50, to: 50, stepMs: 10 }).times).toEqual([])
  })
})
