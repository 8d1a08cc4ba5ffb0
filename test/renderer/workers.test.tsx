import { act } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import type { FleetEvent } from '../../src-main/contract/fleet-events.ts'
import { addReadings } from '../../src-renderer/features/workers/UsageCharts.tsx'
import { WorkerGrid } from '../../src-renderer/features/workers/WorkerGrid.tsx'
import { endedWorkers, groupWorkers } from '../../src-renderer/features/workers/worker-groups.ts'
import { explainWorker, processFolder, whyNoWorker } from '../../src-renderer/features/workers/worker-state.ts'
import { nextCard } from '../../src-renderer/ui/cards.ts'
import { anEndpoint, aWorker, NOW, renderInApp, until } from './support.tsx'

const event = (more: Partial<FleetEvent>): FleetEvent => ({
  id: 1,
  at: NOW,
  kind: 'worker',
  endpointId: 'e',
  workerId: 'w',
  event: 'ended',
  ...more,
})

describe('words for workers', () => {
  test.each([
    [
      { state: 'stopping', reason: 'stopped by a person', jobs: ['j'] },
      'Stopped by a person. It finishes 1 job first.',
    ],
    [
      { state: 'stopping', reason: 'replaced by hand', replacement: 'is being replaced' },
      'Replaced by hand. It is stopping.',
    ],
    [{ state: 'initializing', reason: 'pulls python:3.11 (40 %)' }, 'Pulls python:3.11 (40 %).'],
    [{ state: 'initializing' }, 'Its program is starting; see its log for progress.'],
    [{ state: 'idle' }, 'It stops after 5.0 s without a job.'],
    [{ state: 'running', jobs: ['j'] }, undefined],
    [{ state: 'running', jobs: ['j'], replacement: 'not replaced: KeyError: 1' }, 'Not replaced: KeyError: 1.'],
    [
      { state: 'idle', reason: 'is being replaced', replacement: 'is being replaced' },
      'Is being replaced. It stops after 5.0 s without a job.',
    ],
  ] as const)('%j', (more, text) => {
    expect(
      explainWorker(aWorker('w', 'e', { ...more, jobs: 'jobs' in more ? [...more.jobs] : [] }), anEndpoint('e')),
    ).toBe(text)
  })

  test('an endpoint without a worker says why, and what would start one', () => {
    expect(whyNoWorker(anEndpoint('e', { paused: true }))).toContain('until it is resumed')
    expect(whyNoWorker(anEndpoint('e', { workersMax: 0 }))).toContain('Raise it in its settings')
    expect(whyNoWorker(anEndpoint('e', { inQueue: 1, waitingReason: 'No place.' }))).toBe('No place.')
    expect(whyNoWorker(anEndpoint('e', { workersMin: 1, throttledReason: '0 cards are free' }))).toBe(
      'No worker can start: 0 cards are free.',
    )
    expect(whyNoWorker(anEndpoint('e'))).toContain('a worker starts when a job arrives')
    const web = anEndpoint('e', { loadBalanced: { port: 80 }, workersMin: 1 })
    expect(whyNoWorker({ ...web, workersMin: 0 })).toContain('a worker starts when a request arrives')
    expect(explainWorker(aWorker('w', 'e', { state: 'idle' }), web)).toContain(
      'Idle. The endpoint keeps 1 worker running.',
    )
  })

  test.each([
    [{ cwd: '/srv/app', handler: '/h/h.py' }, '/srv/app'],
    [{ cwd: undefined, handler: '/h/deep/h.py' }, '/h/deep'],
    [{ cwd: undefined, handler: undefined }, undefined],
  ])('the folder of %j', (settings, folder) => {
    expect(processFolder(settings)).toBe(folder)
  })
})

test('usage is kept for three minutes, of workers that are there', () => {
  const reading = (at: number, ...ids: string[]) => ({
    at,
    workers: ids.map((workerId) => ({ workerId, endpointId: 'e', cpuPercent: at })),
  })
  const history = addReadings(new Map(), [reading(0, 'a', 'b'), reading(100_000, 'a', 'b'), reading(200_000, 'a')])
  expect([...history]).toEqual([
    [
      'a',
      [
        { at: 100_000, cpuPercent: 100_000 },
        { at: 200_000, cpuPercent: 200_000 },
      ],
    ],
  ])
})

test('workers that ended are read from events, with how long they were up', () => {
  expect(
    endedWorkers([
      event({ workerId: 'b', at: NOW + 9, kind: 'crash', reason: 'KeyError: 1' }),
      event({ workerId: 'a', at: NOW + 5, reason: 'idle for 5 s' }),
      event({ workerId: 'b', at: NOW + 2, event: 'initializing', kind: 'scale' }),
      event({ workerId: 'c', at: NOW, event: 'stopping', kind: 'scale' }),
    ]),
  ).toEqual([
    { id: 'b', endpointId: 'e', endedAt: NOW + 9, startedAt: NOW + 2, reason: 'KeyError: 1', crashed: true },
    { id: 'a', endpointId: 'e', endedAt: NOW + 5, startedAt: undefined, reason: 'idle for 5 s', crashed: false },
  ])
})

test('workers are put together by endpoint, and filtered by endpoint and state', () => {
  const endpoints = [anEndpoint('z', { name: 'Alpha' }), anEndpoint('e', { name: 'Beta' })]
  const workers = [
    aWorker('w2', 'e', { startedAt: NOW + 1 }),
    aWorker('w1', 'e', { state: 'running' }),
    aWorker('w3', 'z'),
  ]
  const ended = endedWorkers([event({ workerId: 'gone' }), event({ workerId: 'w1' })])
  const ids = (filter: Parameters<typeof groupWorkers>[1]) =>
    groupWorkers({ endpoints, workers, ended }, filter).map((group) => [
      group.endpointId,
      ...[...group.workers, ...group.ended].map(({ id }) => id),
    ])
  expect(ids({ endpointId: undefined, state: undefined })).toEqual([
    ['z', 'w3'],
    ['e', 'w1', 'w2', 'gone'],
  ])
  expect(ids({ endpointId: 'e', state: 'running' })).toEqual([['e', 'w1']])
  expect(ids({ endpointId: undefined, state: 'ended' })).toEqual([['e', 'gone']])
  expect(ids({ endpointId: 'nobody', state: undefined })).toEqual([])
})

test('endpoints with crashed or unhealthy workers come first, and of their workers the unhealthy ones', () => {
  const endpoints = ['a', 'b', 'c'].map((id) => anEndpoint(id))
  const workers = [
    aWorker('a1', 'a'),
    aWorker('b1', 'b'),
    aWorker('b2', 'b', { state: 'unhealthy' }),
    aWorker('c1', 'c'),
  ]
  const ended = endedWorkers([
    event({ workerId: 'c0', endpointId: 'c', kind: 'crash' }),
    event({ workerId: 'a0', endpointId: 'a' }),
  ])
  const groups = groupWorkers({ endpoints, workers, ended }, { endpointId: undefined, state: undefined })
  expect(groups.map((group) => [group.endpointId, ...group.workers.map(({ id }) => id)])).toEqual([
    ['b', 'b2', 'b1'],
    ['c', 'c1'],
    ['a', 'a1'],
  ])
})

test('a list of all workers says once when idle endpoints start one, and of each endpoint what is in its way', async () => {
  const { store, container } = renderInApp(<WorkerGrid />, {
    fleetEventList: { events: ['a', 'b', 'c'].map((id) => event({ id: 1, workerId: `${id}1`, endpointId: id })) },
  })
  const endpoints = [anEndpoint('a'), anEndpoint('b'), anEndpoint('c', { paused: true })]
  act(() => store.getState().beginWith({ eventId: 1, at: NOW, endpoints, workers: [], command: 'drydock' }))
  await until(() => expect(container.textContent).toContain('0 of 3 workers'))
  expect(container.textContent?.match(/No worker/g)).toBe(null)
  expect(container.textContent?.match(/a worker starts when/g)).toHaveLength(1)
  expect(container.textContent?.match(/until it is resumed/g)).toHaveLength(1)
})

test('arrows move as the cards lie', () => {
  const places = [0, 1, 2, 3, 4].map((at) => ({ left: (at % 3) * 100, top: Math.floor(at / 3) * 50 }))
  const to = (from: number, key: string) => nextCard(key, from, { positions: places })
  expect([to(0, 'ArrowRight'), to(0, 'j'), to(0, 'ArrowDown'), to(1, 'ArrowDown'), to(2, 'ArrowDown')]).toEqual([
    1, 1, 3, 4, 4,
  ])
  expect([to(4, 'ArrowUp'), to(4, 'k'), to(0, 'ArrowUp'), to(4, 'j'), to(4, 'Home'), to(0, 'End')]).toEqual([
    1,
    3,
    undefined,
    undefined,
    0,
    4,
  ])
  expect(to(0, 'x')).toBeUndefined()
})

test('two hundred workers are drawn, and a reading changes each of them', async () => {
  const { store, follows, container } = renderInApp(<WorkerGrid />, { fleetEventList: { events: [] } })
  const workers = Array.from({ length: 200 }, (_one, at) => aWorker(`w${at}`, `e${at % 10}`, { pid: at + 1 }))
  const endpoints = Array.from({ length: 10 }, (_one, at) => anEndpoint(`e${at}`))
  act(() => store.getState().beginWith({ eventId: 1, at: NOW, endpoints, workers, command: 'drydock' }))
  expect(container.querySelectorAll('[data-card]')).toHaveLength(200)
  const reading = workers.map(({ id, endpointId }) => ({ workerId: id, endpointId, cpuPercent: 42 }))
  act(() => follows.find(({ operation }) => operation === 'workerUsage')?.onItems([{ at: NOW, workers: reading }]))
  expect(container.textContent?.match(/42 %/g)).toHaveLength(200)
})
