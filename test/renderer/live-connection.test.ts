import { expect, onTestFinished, test } from 'vitest'
import { ApiError } from '../../src-renderer/api-client/api-error.ts'
import type { EventSourceLike, NumberedEvent } from '../../src-renderer/api-client/event-stream.ts'
import { followEvents } from '../../src-renderer/live/follow-events.ts'
import { LiveConnection } from '../../src-renderer/live/keep-live.ts'
import { createAppStore } from '../../src-renderer/store/app-store.ts'
import { anEndpoint, jobMoved, NOW, testClient, testPlatform } from './support.tsx'

type Stream = EventSourceLike & { readonly address: string; readonly target: EventTarget; open: boolean }

function setup({ seen = true } = {}) {
  const platform = testPlatform()
  platform.show(seen)
  const store = createAppStore(platform)
  const streams: Stream[] = []
  const heard: NumberedEvent[] = []
  let refusal: ApiError | undefined
  let inQueue = 0
  let hold: PromiseWithResolvers<void> | undefined
  const { client, calls } = testClient({
    async liveRead({ signal }: { readonly signal: AbortSignal }) {
      signal.addEventListener('abort', () => hold?.reject(signal.reason))
      await hold?.promise
      if (refusal !== undefined) throw refusal
      return { eventId: 10, at: NOW, endpoints: [anEndpoint('e', { inQueue })], workers: [], command: 'drydock' }
    },
  })
  const keeper = new LiveConnection({
    client,
    store,
    platform,
    connect(address) {
      const target = new EventTarget()
      const stream: Stream = {
        address,
        target,
        open: true,
        addEventListener: target.addEventListener.bind(target) as EventSource['addEventListener'],
        close: () => {
          stream.open = false
        },
      }
      streams.push(stream)
      return stream
    },
  })
  followEvents(store, { onEvents: (events) => heard.push(...events), onMissed: () => undefined })
  onTestFinished(() => keeper.stop())
  keeper.start()
  const newest = () => streams.at(-1) as Stream
  const say = ({ id, event }: NumberedEvent) =>
    newest().target.dispatchEvent(
      new MessageEvent(event.type, { data: JSON.stringify(event), lastEventId: String(id) }),
    )
  return {
    platform,
    store,
    keeper,
    streams,
    heard,
    calls,
    newest,
    say,
    breakOff: () => newest().target.dispatchEvent(new Event('error')),
    answer: (how: ApiError | undefined) => {
      refusal = how
    },
    holdReads: () => {
      hold = Promise.withResolvers()
      return () => {
        hold?.resolve()
        hold = undefined
      }
    },
    letWait: (jobs: number) => {
      inQueue = jobs
    },
    state: () => store.getState(),
  }
}

const notReachable = () => new ApiError('NOT_REACHABLE', 0, 'no answer')
const unknown = () => new ApiError('UNAUTHORIZED', 401, 'who are you')

test('it reads a snapshot, and follows the events after it', async () => {
  const { platform, state, streams, newest, say, heard } = setup()
  await platform.advance(0)
  expect(state().connection).toBe('live')
  expect(newest().address).toBe('/events?lastEventId=10')
  say(jobMoved(11, 'a', {}))
  say(jobMoved(12, 'b', {}))
  expect(state().live.endpoints.e?.inQueue).toBe(0)
  await platform.advance(50)
  expect(state().live.endpoints.e?.inQueue).toBe(2)
  expect(heard.map(({ id }) => id)).toEqual([11, 12])
  expect(streams).toHaveLength(1)
})

test('a stream that breaks off is opened again after a new snapshot, less and less often', async () => {
  const { platform, state, streams, breakOff, answer, calls } = setup()
  await platform.advance(0)
  answer(notReachable())
  breakOff()
  expect(state()).toMatchObject({ connection: 'lost', connectionSince: NOW })
  const asked = () => calls.length
  const before = asked()
  await platform.advance(500 + 1000 + 2000 + 4000 + 5000)
  expect(asked() - before).toBe(5)
  answer(undefined)
  await platform.advance(5000)
  expect(state().connection).toBe('live')
  expect(streams.map(({ open }) => open)).toEqual([false, true])
})

test('an event on its way when the stream broke off is not delivered afterwards', async () => {
  const { platform, heard, say, breakOff } = setup()
  await platform.advance(0)
  say(jobMoved(11, 'a', {}))
  breakOff()
  await platform.advance(400)
  expect(heard).toEqual([])
})

test('a browser that is not known is signed out, and continues once it is known', async () => {
  const { platform, state, answer, breakOff } = setup()
  await platform.advance(0)
  answer(unknown())
  breakOff()
  await platform.advance(500)
  expect(state().connection).toBe('signed-out')
  answer(undefined)
  await platform.advance(5000)
  expect(state().connection).toBe('live')
})

test('being signed out by another call closes the stream too', async () => {
  const { platform, state, answer, newest } = setup()
  await platform.advance(0)
  answer(unknown())
  state().setConnection('signed-out', NOW)
  expect(newest().open).toBe(false)
  answer(undefined)
  await platform.advance(500)
  expect(state().connection).toBe('live')
})

test('records that events do not describe fully are read again, once for many events', async () => {
  const { platform, calls, say } = setup()
  await platform.advance(0)
  for (const id of [11, 12, 13])
    say({ id, event: { type: 'endpoint', at: NOW, endpointId: `new-${id}`, event: 'created' } })
  await platform.advance(50)
  expect(calls).toHaveLength(1)
  await platform.advance(300)
  expect(calls).toHaveLength(2)
  await platform.advance(2000)
  expect(calls).toHaveLength(2)
})

const created = (id: number): NumberedEvent => ({
  id,
  event: { type: 'endpoint', at: NOW, endpointId: `new-${id}`, event: 'created' },
})

test('an event that arrives while the records are read triggers another read', async () => {
  const { platform, calls, say, holdReads } = setup()
  await platform.advance(0)
  const release = holdReads()
  say(created(11))
  await platform.advance(350)
  expect(calls).toHaveLength(2)
  say(created(12))
  say(created(13))
  await platform.advance(350)
  release()
  await platform.advance(5000)
  expect(calls).toHaveLength(3)
})

test('while jobs wait the reasons are read again, as they change with time alone', async () => {
  const { platform, calls, letWait, say } = setup()
  await platform.advance(0)
  await platform.advance(6400)
  expect(calls).toHaveLength(1)
  letWait(1)
  say(jobMoved(11, 'a', {}))
  await platform.advance(3300)
  expect(calls).toHaveLength(2)
})

test('a page that nobody sees lets its stream go after ten seconds, and begins anew when it is seen', async () => {
  const { platform, newest, streams } = setup()
  await platform.advance(0)
  platform.show(false)
  await platform.advance(9_999)
  expect(newest().open).toBe(true)
  await platform.advance(1)
  expect(newest().open).toBe(false)
  platform.show(true)
  await platform.advance(0)
  expect(streams.map(({ open }) => open)).toEqual([false, true])
})

test('a page that was opened in the background opens its stream when it is seen', async () => {
  const { platform, streams, state } = setup({ seen: false })
  await platform.advance(0)
  expect(state().connection).toBe('live')
  expect(streams).toHaveLength(0)
  platform.show(true)
  await platform.advance(0)
  expect(streams.map(({ open }) => open)).toEqual([true])
})

test('a page that is seen again within that time keeps its stream', async () => {
  const { platform, streams } = setup()
  await platform.advance(0)
  platform.show(false)
  await platform.advance(5_000)
  platform.show(true)
  await platform.advance(60_000)
  expect(streams.map(({ open }) => open)).toEqual([true])
})

test('once it is stopped nothing is asked and no stream is open; stopping twice is no fault', async () => {
  const { platform, keeper, calls, newest } = setup()
  await platform.advance(0)
  keeper.stop()
  keeper.stop()
  expect(newest().open).toBe(false)
  const before = calls.length
  await platform.advance(60_000)
  expect(calls).toHaveLength(before)
})

test('a refresh that hangs ends after ten seconds, and the next reads go on', async () => {
  const { platform, calls, holdReads, letWait, say, state } = setup()
  await platform.advance(0)
  letWait(1)
  say(jobMoved(11, 'a', {}))
  const release = holdReads()
  await platform.advance(3_300)
  expect(calls).toHaveLength(2)
  await platform.advance(10_000)
  expect(state().connection).toBe('lost')
  release()
  await platform.advance(500)
  expect(state().connection).toBe('live')
  const before = calls.length
  await platform.advance(6_600)
  expect(calls.length).toBeGreaterThan(before)
})

test('a connection that stopped with a refresh planned refreshes again once it is started', async () => {
  const { platform, keeper, calls, letWait, say } = setup()
  await platform.advance(0)
  letWait(1)
  say(jobMoved(11, 'a', {}))
  await platform.advance(3_000)
  keeper.stop()
  keeper.start()
  await platform.advance(0)
  const before = calls.length
  await platform.advance(3_300)
  expect(calls).toHaveLength(before + 1)
})
