/** Runs sent, followed to their end, listed and cancelled: the stores of a tab against a client that a test leads. */
import { act } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import type { RunDetail, RunView } from '../../../src-main/contract/workflows.ts'
import { readDocument } from '../../../src-main/features/workflows/rules/document/document.ts'
import { setSlot } from '../../../src-main/features/workflows/rules/edit/widgets.ts'
import { readNodeTypes } from '../../../src-main/features/workflows/rules/node-types.ts'
import { toDocument } from '../../../src-main/features/workflows/rules/to-document.ts'
import { parseJson } from '../../../src-main/lib/json/parse.ts'
import { isObject, type JsonObject } from '../../../src-main/lib/json/value.ts'
import { ApiError } from '../../../src-renderer/api-client/api-error.ts'
import type { NumberedEvent } from '../../../src-renderer/api-client/event-stream.ts'
import { findEarlierRuns, followRuns } from '../../../src-renderer/features/workflow-editor/run/follow-runs.ts'
import { createRunActions } from '../../../src-renderer/features/workflow-editor/run/run-actions.ts'
import { useRunList } from '../../../src-renderer/features/workflow-editor/run/run-list.ts'
import { createEditorStore } from '../../../src-renderer/features/workflow-editor/store/editor-store.ts'
import { createRunStore } from '../../../src-renderer/features/workflow-editor/store/run-store.ts'
import { createAppStore } from '../../../src-renderer/store/app-store.ts'
import { jobMoved, NOW, renderHookInApp, type TestAnswers, testClient, testPlatform, until } from '../support.tsx'

function object(text: string): JsonObject {
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw new Error('no object')
  return parsed
}

const TYPES = readNodeTypes(
  object(`{
    "Noise": {"input": {"required": {"seed": ["INT", {"min": 0, "max": 18446744073709551615}]}}, "output": ["IMAGE"]},
    "Save": {"input": {"required": {"images": ["IMAGE"]}}, "output": [], "output_node": true}
  }`),
)

const run = (id: string, more: Partial<RunView> = {}): RunView => {
  return { id, endpointId: 'e', title: 'T', status: 'IN_QUEUE', createdAt: NOW, results: [], errors: [], ...more }
}

const detail = (id: string, more: Partial<RunDetail> = {}): RunDetail => {
  return { ...run(id), payload: '{"1": {}, "2": {}}', ...more }
}

const runEvent = (id: number, runId: string, event: 'created' | 'results'): NumberedEvent => {
  return { id, event: { type: 'run', at: NOW, endpointId: 'e', runId, event } }
}

/** A tab with a graph of two nodes, and all around it. */
function setup(answers: TestAnswers = {}, seed = '18446744073709551615') {
  const platform = testPlatform()
  const app = createAppStore(platform)
  const { client, calls } = testClient({ workflowList: { workflows: [] }, ...answers })
  const payload = object(`{
    "1": {"class_type": "Noise", "inputs": {"seed": ${seed}}},
    "2": {"class_type": "Save", "inputs": {"images": ["1", 0]}}
  }`)
  const document = readDocument(toDocument(payload, TYPES))
  const control = { node: '1', name: 'seed', kind: 'control', value: 'randomize', types: TYPES } as const
  const editor = createEditorStore(setSlot(document, undefined, control), TYPES)
  const runs = createRunStore()
  const tab = { workflowId: 'w', editor, runs }
  const actions = createRunActions({ client, platform, app, tab, title: 'T' })
  const sent = () => calls.flatMap(({ operation, args }) => (operation === 'runCreate' ? [(args as Sent).body] : []))
  return { platform, app, client, calls, editor, runs, actions, sent }
}

const RESULT = { asset: 'a'.repeat(64), filename: 'x.png', mediaType: 'image/png', node: '2' }

type Sent = { readonly body: { readonly payload: string; readonly document: string; readonly endpointId: string } }

test('a run that has already started keeps its position and shows a message', async () => {
  const { actions, app, calls } = setup({
    jobReorder: () => {
      throw new ApiError('WRONG_STATE', 400, 'Job r is IN_PROGRESS; reorder needs one of IN_QUEUE.')
    },
  })
  await actions.moveToFront(run('r'))
  await actions.swapPositions(run('r'), run('s'))
  expect(calls.map(({ args }) => args)).toEqual([
    { path: { jobId: 'r' }, body: { to: 'front' } },
    { path: { jobId: 'r' }, body: { swapWith: 's' } },
  ])
  expect(app.getState().notices.map(({ text }) => text)).toEqual(
    Array(2).fill('The run was not moved: it has already started.'),
  )
})

describe('running a document', () => {
  test('sends the exact seed with its document, and advances the seed in one undo step', async () => {
    let count = 0
    const { actions, runs, editor, sent } = setup({ runCreate: () => run(`r${++count}`) })
    runs.getState().set({ endpointId: 'e' })
    const before = editor.getState().document
    await actions.run()
    await actions.run()
    expect(sent()[0]?.payload).toContain('"seed":18446744073709551615')
    expect(sent()[0]?.document).toContain('18446744073709551615')
    expect(runs.getState().active.map(({ id }) => id)).toEqual(['r1', 'r2'])
    expect(editor.getState().done).toHaveLength(1)
    editor.getState().undo()
    expect(editor.getState().document).toBe(before)
  })

  test('several times uses a new seed for each run', async () => {
    const { actions, runs, sent } = setup({ runCreate: () => run('r') })
    runs.getState().set({ endpointId: 'e' })
    runs.getState().set({ count: 5 })
    await actions.run()
    expect(new Set(sent().map(({ payload }) => payload)).size).toBe(5)
    expect(runs.getState().sending).toBe(0)
  })

  test('with an error in the graph sends nothing and reports the location', async () => {
    const { actions, runs, sent } = setup({}, '-5')
    runs.getState().set({ endpointId: 'e' })
    await actions.run()
    expect(sent()).toEqual([])
    expect(runs.getState().refusal?.problems).toMatchObject([
      { node: '1', input: 'seed', code: 'value_smaller_than_min' },
    ])
  })

  test('of selected outputs requires a selected output and keeps the seed', async () => {
    const { actions, runs, editor, sent } = setup({ runCreate: () => run('r') })
    runs.getState().set({ endpointId: 'e' })
    editor.getState().select(['1'])
    await actions.run({ onlySelected: true })
    expect(runs.getState().refusal?.message).toContain('No selected node has a result')
    const { document } = editor.getState()
    editor.getState().select(['2'])
    await actions.run({ onlySelected: true })
    expect(sent()).toHaveLength(1)
    expect(editor.getState().document).toBe(document)
  })

  test('shows the reason when the service rejects it, and removes the pending run', async () => {
    const refuse = () => Promise.reject(new Error('Endpoint e is paused.'))
    const { actions, runs, editor, sent } = setup({ runCreate: refuse })
    runs.getState().set({ endpointId: 'e' })
    const { document } = editor.getState()
    runs.getState().set({ count: 3 })
    await actions.run()
    expect(sent()).toHaveLength(1)
    // Nothing was made with its seed.
    expect(editor.getState().document).toBe(document)
    expect(runs.getState()).toMatchObject({ sending: 0, active: [], refusal: { message: 'Endpoint e is paused.' } })
  })

  test('without an endpoint asks the user to choose one', async () => {
    const { actions, runs } = setup()
    await actions.run()
    expect(runs.getState().refusal?.message).toContain('Choose an endpoint')
  })
})

describe('cancelling', () => {
  test('cancels the running job optimistically, and reverts if the service rejects the request', async () => {
    const { actions, runs, app } = setup({ cancel: () => Promise.reject(new Error('too late')) })
    runs.getState().set({ active: [run('a'), run('b', { status: 'IN_PROGRESS' })] })
    const cancelled = actions.cancel()
    expect(runs.getState().active.map(({ status }) => status)).toEqual(['IN_QUEUE', 'CANCELLED'])
    await cancelled
    expect(runs.getState().active.map(({ status }) => status)).toEqual(['IN_QUEUE', 'IN_PROGRESS'])
    expect(app.getState().notices.at(-1)?.text).toContain('too late')
  })

  test('all jobs starts with the last one, so that no queued job starts meanwhile', async () => {
    const { actions, runs, calls } = setup({ cancel: {} })
    runs.getState().set({ active: [run('a', { status: 'IN_PROGRESS' }), run('b'), run('c')] })
    await actions.cancelAll()
    const ids = calls.map(({ args }) => (args as { path: { jobId: string } }).path.jobId)
    expect(ids).toEqual(['c', 'b', 'a'])
  })
})

describe('following runs', () => {
  test('shows the waiting reason, node progress and results', async () => {
    const preview = { asset: 'b'.repeat(64), filename: 'y.png', mediaType: 'image/png', node: '1' }
    let job: object = { id: 'r', status: 'IN_QUEUE', createdAt: NOW, waitingReason: 'The endpoint is paused.' }
    let stored: RunDetail = detail('r')
    const { platform, app, client, runs } = setup({ jobProgress: () => job, runRead: () => stored })
    const stop = followRuns({ client, platform, app, runs })
    runs.getState().set({ active: [run('r')] })
    await platform.advance(0)
    expect(runs.getState().head?.waitingReason).toBe('The endpoint is paused.')
    expect(runs.getState().progress.get('1')).toEqual({ state: 'waiting' })

    const progress = { node: '1', step: 1, steps: 4, done: [] }
    job = { id: 'r', status: 'IN_PROGRESS', createdAt: NOW, delayTime: 5, progress }
    app.getState().receiveEvents([jobMoved(1, 'r', { event: 'progress', from: 'IN_PROGRESS', to: 'IN_PROGRESS' })])
    await platform.advance(100)
    expect(runs.getState().progress.get('1')).toEqual({ state: 'running', step: 1, steps: 4 })
    expect(runs.getState().head?.startedAt).toBe(NOW + 5)

    // The job ends a moment before its results are stored.
    app.getState().receiveEvents([jobMoved(2, 'r', { event: 'complete', from: 'IN_PROGRESS', to: 'COMPLETED' })])
    await platform.advance(100)
    expect(runs.getState().active).toHaveLength(1)
    stored = detail('r', { status: 'COMPLETED', endedAt: NOW, results: [RESULT], previews: [preview] })
    app.getState().receiveEvents([runEvent(3, 'r', 'results')])
    await platform.advance(0)
    expect(runs.getState().active).toEqual([])
    expect(runs.getState().shown?.status).toBe('COMPLETED')
    expect(runs.getState().progress.get('2')).toEqual({ state: 'done', results: [RESULT] })
    expect(runs.getState().progress.get('1')).toEqual({ state: 'done', results: [preview] })
    stop()
  })

  test('polls at most ten times a second, however often a worker reports', async () => {
    const job = { id: 'r', status: 'IN_PROGRESS', createdAt: NOW, progress: { node: '1' } }
    const { platform, app, client, runs, calls } = setup({ jobProgress: job, runRead: detail('r') })
    const stop = followRuns({ client, platform, app, runs })
    runs.getState().set({ active: [run('r', { status: 'IN_PROGRESS' })] })
    await platform.advance(0)
    const before = calls.length
    for (let at = 0; at < 100; at++) {
      app
        .getState()
        .receiveEvents([jobMoved(at + 1, 'r', { event: 'progress', from: 'IN_PROGRESS', to: 'IN_PROGRESS' })])
      await platform.advance(10)
    }
    expect(calls.length - before).toBeLessThanOrEqual(10)
    expect(calls.length - before).toBeGreaterThanOrEqual(8)
    stop()
  })

  test('shows a failure at its node', async () => {
    const error = '{"message":"no such checkpoint","node":"1","class":"Noise","input":"seed"}'
    const job = { id: 'r', status: 'FAILED', createdAt: NOW }
    const ended = detail('r', { status: 'FAILED', endedAt: NOW, errors: [error] })
    const { platform, app, client, runs } = setup({ jobProgress: job, runRead: ended })
    const stop = followRuns({ client, platform, app, runs })
    runs.getState().set({ active: [run('r')] })
    await platform.advance(0)
    expect(runs.getState().progress.get('1')).toEqual({ state: 'failed', error: 'no such checkpoint' })
    stop()
  })

  test.each([
    ['gave something', { status: 'COMPLETED', results: [RESULT] }, { state: 'done', results: [RESULT] }],
    [
      'failed',
      { status: 'FAILED', errors: ['{"message":"no room","node":"2"}'] },
      { state: 'failed', error: 'no room' },
    ],
  ] satisfies [string, Partial<RunDetail>, object][])(
    'the last run that %s is on its nodes when a window is opened',
    async (_how, end, shown) => {
      const ended = detail('r', { ...end, endedAt: NOW })
      const cancelled = run('later', { status: 'CANCELLED', endedAt: NOW })
      const older = run('older', { status: 'COMPLETED', endedAt: NOW, results: [RESULT] })
      const { platform, app, client, runs } = setup({ runList: { runs: [cancelled, ended, older] }, runRead: ended })
      const stop = followRuns({ client, platform, app, runs })
      await findEarlierRuns(client, runs, 'w')
      await platform.advance(0)
      expect(runs.getState().shown?.id).toBe('r')
      expect(runs.getState().progress.get('2')).toEqual(shown)
      expect(runs.getState().active).toEqual([])
      stop()
    },
  )

  test('shows the current run at nodes instead of earlier ones', async () => {
    const job = { id: 'now', status: 'IN_QUEUE', createdAt: NOW }
    const ended = run('r', { status: 'COMPLETED', endedAt: NOW, results: [RESULT] })
    const { platform, app, client, runs } = setup({
      runList: { runs: [run('now'), ended] },
      jobProgress: job,
      runRead: detail('now'),
    })
    const stop = followRuns({ client, platform, app, runs })
    await findEarlierRuns(client, runs, 'w')
    await platform.advance(0)
    expect(runs.getState().shown?.id).toBe('now')
    expect(runs.getState().active.map(({ id }) => id)).toEqual(['now'])
    stop()
  })

  test('does not replace a newer run with an older one that is found late', async () => {
    const ended = run('r', { status: 'COMPLETED', endedAt: NOW, results: [RESULT] })
    const { client, runs } = setup({ runList: { runs: [ended] } })
    const found = findEarlierRuns(client, runs, 'w')
    runs.getState().set({ shown: run('new', { status: 'COMPLETED', endedAt: NOW }) })
    await found
    expect(runs.getState().active).toEqual([])
  })

  test('continues after the service was unreachable', async () => {
    let isAway = true
    const job = () => (isAway ? Promise.reject(new Error('away')) : { id: 'r', status: 'CANCELLED', createdAt: NOW })
    const ended = detail('r', { status: 'CANCELLED', endedAt: NOW })
    const { platform, app, client, runs } = setup({ jobProgress: job, runRead: ended })
    const stop = followRuns({ client, platform, app, runs })
    runs.getState().set({ active: [run('r')] })
    await platform.advance(0)
    isAway = false
    await platform.advance(3000)
    expect(runs.getState().active).toEqual([])
    stop()
  })
})

test('stops following a deleted run', async () => {
  const gone = () => Promise.reject(new ApiError('JOB_NOT_FOUND', 404, 'There is none.'))
  const { platform, app, client, runs } = setup({ jobProgress: gone, runRead: gone })
  const stop = followRuns({ client, platform, app, runs })
  runs.getState().set({ active: [run('r')] })
  await platform.advance(0)
  expect(runs.getState().active).toEqual([])
  stop()
})

/** A list as a component shows it. */
function followList(answers: TestAnswers) {
  const { result, ...services } = renderHookInApp(() => useRunList({}), answers)
  const list = { getState: () => result.current }
  return {
    ...services,
    list,
    shows: (look: (state: ReturnType<typeof useRunList>) => void) => until(() => look(result.current)),
  }
}

describe('a list of runs', () => {
  const many = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => run(`r${from - at}`, { createdAt: NOW + from - at }))

  test('loads in pages, and shows new runs at once unless the user has scrolled', async () => {
    let newest = many(100, 60)
    const answer = ({ query }: { query: { before?: string } }) =>
      query.before === undefined ? { runs: newest, more: true } : { runs: many(40, 40), more: false }
    const { platform, store, list, shows } = followList({ runList: answer })
    await shows(({ phase }) => expect(phase).toBe('shown'))
    await list.getState().list.readMore()
    await list.getState().list.readMore()
    await shows(({ runs }) => expect(runs).toHaveLength(100))
    expect(list.getState()).toMatchObject({ more: false, phase: 'shown' })
    expect(list.getState().runs).toHaveLength(100)

    newest = many(101, 60)
    store.getState().receiveEvents([runEvent(1, 'r101', 'created')])
    await platform.advance(300)
    await shows(({ runs }) => expect(runs[0]?.id).toBe('r101'))

    act(() => list.getState().list.setReading(true))
    newest = many(103, 60)
    store.getState().receiveEvents([runEvent(2, 'r102', 'created'), runEvent(3, 'r103', 'created')])
    await platform.advance(300)
    await shows(({ fresh }) => expect(fresh.map(({ id }) => id)).toEqual(['r103', 'r102']))
    expect(list.getState().runs[0]?.id).toBe('r101')
    act(() => list.getState().list.showFresh())
    expect(
      list
        .getState()
        .runs.slice(0, 3)
        .map(({ id }) => id),
    ).toEqual(['r103', 'r102', 'r101'])
    expect(list.getState().runs).toHaveLength(103)

    newest = many(104, 60)
    store.getState().receiveEvents([runEvent(4, 'r104', 'created')])
    await platform.advance(300)
    await shows(({ fresh }) => expect(fresh.map(({ id }) => id)).toEqual(['r104']))
    act(() => list.getState().list.setReading(false))
    expect(list.getState().runs[0]?.id).toBe('r104')
  })

  test('shows an error and keeps its rows when the service is unreachable', async () => {
    let isAway = true
    const answer = () => (isAway ? Promise.reject(new Error('away')) : { runs: many(2, 2), more: false })
    const { list, shows } = followList({ runList: answer })
    await shows((state) => expect(state).toMatchObject({ phase: 'failed', error: { message: 'away' } }))
    isAway = false
    await list.getState().list.start()
    await shows(({ error }) => expect(error).toBe(undefined))
    isAway = true
    await list.getState().list.start()
    await shows(({ error }) => expect(error?.message).toBe('away'))
    expect(list.getState().runs).toHaveLength(2)
  })

  test('reloads a changed older run, and all unfinished runs after missed events', async () => {
    const ended = { status: 'COMPLETED', endedAt: NOW } as const
    const read: string[] = []
    const { platform, store, list, shows } = followList({
      runList: ({ query }: { query: { before?: string } }) =>
        query.before === undefined ? { runs: many(100, 60), more: true } : { runs: many(40, 40), more: false },
      runRead({ path: { runId } }: { path: { runId: string } }) {
        read.push(runId)
        return detail(runId, runId === 'r7' ? ended : { status: 'IN_PROGRESS' })
      },
    })
    await shows(({ phase }) => expect(phase).toBe('shown'))
    await list.getState().list.readMore()
    store.getState().receiveEvents([runEvent(1, 'r7', 'results')])
    await platform.advance(300)
    await shows(({ runs }) => expect(runs.find(({ id }) => id === 'r7')?.status).toBe('COMPLETED'))
    expect(read).toEqual(['r7'])

    store.getState().receiveEvents([runEvent(9, 'x', 'results')])
    await shows(({ runs }) => expect(runs.filter(({ status }) => status === 'IN_PROGRESS')).toHaveLength(39))
    expect(read).toHaveLength(1 + 39)
  })

  test('reloads when too many new runs have arrived to show them all', async () => {
    let newest = many(100, 60)
    const { store, platform, list, shows } = followList({ runList: () => ({ runs: newest, more: true }) })
    await shows(({ phase }) => expect(phase).toBe('shown'))
    newest = many(300, 60)
    store.getState().receiveEvents([runEvent(1, 'r300', 'created')])
    await platform.advance(300)
    await shows(({ runs }) => expect(runs[0]?.id).toBe('r300'))
    expect(list.getState().runs).toHaveLength(60)
  })
})
