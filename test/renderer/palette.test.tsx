import { act, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, onTestFinished, test } from 'vitest'
import { arrange, type Entry } from '../../src-renderer/app/arrange-palette.ts'
import { useJobEntries, useThingEntries } from '../../src-renderer/app/palette-entries.ts'
import { noteOpened, noteUsed, readHabits, scoreOf, withOpened, withUse } from '../../src-renderer/store/habits.ts'
import { anEndpoint, NOW, renderInApp, testPlatform, until } from './support.tsx'

const DAY_MS = 24 * 60 * 60 * 1000
const run = () => undefined
const entry = (group: string, label: string, more: Partial<Entry> = {}): Entry => ({
  id: label,
  group,
  label,
  run,
  ...more,
})
const arranged = (entries: readonly Entry[], typed: string, uses = {}) =>
  arrange(entries, { typed, uses, now: NOW }).map(({ group, entries: shown }) => [
    group,
    ...shown.map(({ label }) => label),
  ])

describe('the palette', () => {
  test('has what can be done here first, then the groups of every page in their order', () => {
    const groups = ['Window', 'Go to', 'Settings', 'Nodes of this graph', 'Workflows', 'Jobs', 'Endpoints', 'Recent']
    const entries = [...groups, 'New', 'Project'].map((group) => entry(group, `boat of ${group}`))
    expect(arranged(entries, 'boat').map(([group]) => group)).toEqual(['Project', 'New', ...groups.toReversed()])
  })

  test('shows before anything is typed no jobs, nodes and settings, and few of the other things', () => {
    const of = (group: string) => Array.from({ length: 30 }, (_one, at) => entry(group, `${group} ${at}`))
    const groups = ['Project', 'New', 'Recent', 'Endpoints', 'Jobs', 'Workflows', 'Nodes of this graph', 'Settings']
    const counts = arrange(groups.flatMap(of), { typed: '', uses: {}, now: NOW }).map(
      ({ group, entries }) => `${group} ${entries.length}`,
    )
    expect(counts).toEqual(['Project 30', 'New 5', 'Recent 6', 'Endpoints 8', 'Workflows 5'])
    expect(arrange(of('Endpoints'), { typed: 'end', uses: {}, now: NOW })[0]?.entries).toHaveLength(20)
  })

  test('finds all words in any order, in name, group, detail, state and further words', () => {
    const pause = entry('Project', 'Pause it', {
      detail: 'of shop',
      also: 'halt',
      state: { tone: 'failed', text: 'Bad' },
    })
    for (const typed of ['pause', 'SHOP pause', 'halt', 'bad', 'project it'])
      expect([typed, arranged([pause], typed)]).toEqual([typed, [['Project', 'Pause it']]])
    expect(arranged([pause], 'pause stop')).toEqual([])
  })

  test('ranks what is called just so, then names, then use, then beginnings', () => {
    const uses = { 'hello-b': { score: 2, at: NOW }, 'say hello': { score: 1, at: NOW }, x: { score: 9, at: NOW } }
    const entries = [
      entry('Endpoints', 'x', { detail: 'hello' }),
      entry('Endpoints', 'to hello'),
      entry('Endpoints', 'say hello'),
      entry('Endpoints', 'hello-a'),
      entry('Endpoints', 'hello-b'),
      entry('Endpoints', 'hello'),
    ]
    expect(arranged(entries, 'hello', uses)).toEqual([
      ['Endpoints', 'hello', 'hello-b', 'say hello', 'hello-a', 'to hello', 'x'],
    ])
  })

  test('ranks a job by its whole id, of which its label is the end', () => {
    const entries = [entry('Jobs', 'All jobs with this text'), entry('Jobs', 'c0ffee', { title: 'sync-1-c0ffee' })]
    const uses = { 'All jobs with this text': { score: 9, at: NOW } }
    const found = entries.map((one) => ({ ...one, also: 'sync-1-c0ffee' }))
    expect(arranged(found, 'sync-1-c0ffee', uses)).toEqual([['Jobs', 'c0ffee', 'All jobs with this text']])
  })

  test('shows what was opened lately once, the last first, however often another one is used', () => {
    const entries = [
      entry('Recent', 'last', { id: '/last' }),
      entry('Recent', 'before', { id: '/before' }),
      entry('Endpoints', 'last', { id: '/last' }),
      entry('Endpoints', 'third', { id: '/third' }),
    ]
    expect(arranged(entries, '', { '/before': { score: 9, at: NOW } })).toEqual([
      ['Recent', 'last', 'before'],
      ['Endpoints', 'third'],
    ])
  })

  test('takes the command of a page for the one of the same id that is everywhere', () => {
    const entries = [entry('New', 'New app', { id: 'n' }), entry('Apps', 'New app here', { id: 'n' })]
    // In either order: a page may be opened later, or with the window.
    for (const offered of [entries, entries.toReversed()])
      expect(arranged(offered, 'new')).toEqual([['Apps', 'New app here']])
  })

  test('finds what is made for one endpoint by "new" alone, so that it does not hide the endpoint', () => {
    const entries = [entry('New', 'New key for hello', { onlyFor: 'new' }), entry('Endpoints', 'hello')]
    expect(arranged(entries, 'hello')).toEqual([['Endpoints', 'hello']])
    expect(arranged(entries, 'new hello')).toEqual([['New', 'New key for hello']])
  })
})

describe('habits', () => {
  test('count less with time: half after a week', () => {
    const once = withUse({}, 'a', NOW)
    expect(scoreOf(once.a, NOW)).toBe(1)
    expect(scoreOf(once.a, NOW + 7 * DAY_MS)).toBeCloseTo(0.5)
    const twice = withUse(once, 'a', NOW + 7 * DAY_MS)
    expect(twice.a).toEqual({ score: 1.5, at: NOW + 7 * DAY_MS })
    // Last month's favourite gives way to what is used this week.
    let uses = {}
    for (let times = 0; times < 10; times++) uses = withUse(uses, 'old', NOW)
    uses = withUse(withUse(uses, 'new', NOW + 35 * DAY_MS), 'new', NOW + 35 * DAY_MS)
    expect(arranged([entry('Window', 'old'), entry('Window', 'new')], '', uses)).toEqual([['Window', 'old', 'new']])
    const later = { typed: '', uses, now: NOW + 35 * DAY_MS }
    expect(arrange([entry('Window', 'old'), entry('Window', 'new')], later)[0]?.entries.map(({ id }) => id)).toEqual([
      'new',
      'old',
    ])
  })

  test('of which there are too many lose those that count least', () => {
    let uses = withUse(withUse({}, 'often', NOW), 'often', NOW)
    for (let other = 0; other < 300; other++) uses = withUse(uses, `once ${other}`, NOW + other)
    expect(Object.keys(uses)).toHaveLength(200)
    expect(uses).toHaveProperty('often')
    expect(uses).toHaveProperty('once 299')
    expect(uses).not.toHaveProperty('once 0')
  })

  test('hold each thing once, and the newest twenty', () => {
    let opened = withOpened(withOpened([], { to: '/a', name: 'a' }), { to: '/b', name: 'b' })
    opened = withOpened(opened, { to: '/a', name: 'renamed' })
    expect(opened).toEqual([
      { to: '/a', name: 'renamed' },
      { to: '/b', name: 'b' },
    ])
    for (let at = 0; at < 30; at++) opened = withOpened(opened, { to: `/${at}`, name: '' })
    expect(opened).toHaveLength(20)
  })

  test('are kept in the browser, and begin anew where what is kept is none of ours', () => {
    const platform = testPlatform()
    noteUsed(platform, 'pause')
    noteOpened(platform, { to: '/endpoints/hello', name: 'hello' })
    expect(readHabits(platform)).toEqual({
      uses: { pause: { score: 1, at: NOW } },
      opened: [{ to: '/endpoints/hello', name: 'hello' }],
    })
    platform.writePreference('habits', '{"uses":7}')
    expect(readHabits(platform)).toEqual({ uses: {}, opened: [] })
  })
})

test('a text that no job has can still be searched for in jobs and in logs, those of the shown endpoint first', async () => {
  history.replaceState(null, '', '/endpoints/b')
  onTestFinished(() => history.replaceState(null, '', '/'))
  const { store, platform } = renderInApp(<Jobs />, { jobList: { requests: [] } })
  const endpoints = { a: anEndpoint('a'), b: anEndpoint('b', { name: 'Boats' }) }
  act(() => store.setState(({ live }) => ({ live: { ...live, loaded: true, endpoints } })))
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'tqdm' } })
  await act(() => platform.advance(150))
  await screen.findByText('Search jobs for “tqdm”')
  expect(screen.getAllByText(/^Search the log of/).map(({ textContent }) => textContent)).toEqual([
    'Search the log of Boats for “tqdm”',
    'Search the log of a for “tqdm”',
  ])
})

// How jobs are searched for.
const FOUND = { limit: 8, previews: 'true', order: 'match' }

function Jobs() {
  const [typed, setTyped] = useState('')
  const entries = useJobEntries(typed)
  return (
    <>
      <input value={typed} onChange={({ target }) => setTyped(target.value)} />
      {entries.map(({ id, label }) => (
        <p key={id}>{label}</p>
      ))}
    </>
  )
}

test('jobs are searched by id and text once typing pauses, and an outdated search is aborted', async () => {
  const signals: AbortSignal[] = []
  const job = { id: 'j-1', endpointId: 'hello', status: 'COMPLETED', createdAt: NOW }
  const jobList = ({ query, signal }: { query: { q?: string }; signal: AbortSignal }) => {
    signals.push(signal)
    return query.q === 'boa' ? new Promise(() => undefined) : { requests: [job] }
  }
  const { calls, platform } = renderInApp(<Jobs />, { jobList })
  const type = async (typed: string, waitMs: number) => {
    fireEvent.change(screen.getByRole('textbox'), { target: { value: typed } })
    await act(() => platform.advance(waitMs))
  }
  await type('b', 1000)
  expect(calls).toEqual([])
  await type('bo', 149)
  await type('boa', 149)
  expect(calls).toEqual([])
  await act(() => platform.advance(1))
  expect(calls.map(({ args }) => (args as { query: object }).query)).toEqual([
    { ids: 'boa', previews: 'true' },
    { q: 'boa', ...FOUND },
  ])
  await type('boat', 150)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false, false])
  await screen.findByText('j-1')
  screen.getByText('Search jobs for “boat”')
  await type('two boats', 150)
  expect(calls.map(({ args }) => (args as { query: object }).query).slice(4)).toEqual([{ q: 'two boats', ...FOUND }])
})

const OPENED = [
  { to: '/endpoints/hello', name: 'hello' },
  { to: '/endpoints/gone', name: 'gone' },
  { to: '/jobs/j-1', name: 'j-1' },
  { to: '/workflows/edit/w', name: 'Boats' },
]

function Things() {
  return useThingEntries(OPENED).map(({ id, group, label, detail }) => (
    <p key={`${group} ${id}`}>{[group, label, detail].join(' | ')}</p>
  ))
}

test('recently opened pages are offered with their current names, unless they are gone', async () => {
  const { store, container } = renderInApp(<Things />, {
    workflowList: {
      workflows: [
        { id: 'w', name: 'Boats renamed' },
        { id: 'v', name: 'Other' },
      ],
    },
  })
  const endpoint = anEndpoint('hello', { name: 'Hello' })
  act(() => store.setState(({ live }) => ({ live: { ...live, loaded: true, endpoints: { hello: endpoint } } })))
  const lines = () => [...container.querySelectorAll('p')].map(({ textContent }) => textContent)
  await until(() => expect(lines()).toContain('Workflows | Other | '))
  expect(lines().filter((line) => line?.startsWith('Recent'))).toEqual([
    'Recent | Hello (hello) | Endpoint',
    'Recent | j-1 | Job',
    'Recent | Boats renamed | Workflow',
  ])
  expect(lines()).toContain('Settings | Settings of Hello | ')
  expect(lines()).toContain('Settings | Python | Service')
})

test('an endpoint is found by the reason why its workers crash', () => {
  const { store, container } = renderInApp(<Things />, { workflowList: { workflows: [] } })
  const crash = {
    pool: 'main',
    count: 2,
    lastWords: 'No module named tqdm',
    since: NOW,
    lastAt: NOW,
    needsChange: true,
  } as const
  const endpoints = { a: anEndpoint('a', { crash }), b: anEndpoint('b') }
  act(() => store.setState(({ live }) => ({ live: { ...live, loaded: true, endpoints } })))
  const lines = [...container.querySelectorAll('p')].map(({ textContent }) => textContent)
  expect(lines).toContain('Endpoints | a | No module named tqdm')
  expect(lines).toContain('Endpoints | b | ')
})

test('settings of all endpoints are found, those of the one that is shown first, and pages below sections', async () => {
  const { store, container } = renderInApp(<Things />, { workflowList: { workflows: [] } })
  const endpoints = { a: anEndpoint('a'), b: anEndpoint('b') }
  history.replaceState(null, '', '/endpoints/b')
  onTestFinished(() => history.replaceState(null, '', '/'))
  act(() => store.setState(({ live }) => ({ live: { ...live, loaded: true, endpoints } })))
  const lines = () => [...container.querySelectorAll('p')].map(({ textContent }) => textContent)
  await until(() => expect(lines()).toContain('Go to | Comparisons | Jobs'))
  expect(lines()).toContain('Go to | Disk | System')
  expect(lines().filter((line) => line?.startsWith('Settings | Execution timeout'))).toHaveLength(2)
})
