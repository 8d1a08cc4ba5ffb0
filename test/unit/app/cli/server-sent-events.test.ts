import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvents, type ServerSentEvent } from '../../../../src-main/app/client/http.ts'

async function eventsOf(...pieces: string[]) {
  const body = (async function* () {
    yield* pieces
  })()
  const events: ServerSentEvent[] = []
  for await (const event of readEvents(body)) events.push(event)
  return events
}

test('an event has its name, its id and its data', async () => {
  expect(await eventsOf('id: 7\nevent: chunk\ndata: {"output":1}\n\n')).toEqual([
    { id: '7', event: 'chunk', data: '{"output":1}' },
  ])
})

test('an event without a name is a message', async () => {
  expect(await eventsOf('data:x\n\n')).toEqual([{ id: undefined, event: 'message', data: 'x' }])
})

test('data of several lines is one text', async () => {
  expect(await eventsOf('data: a\ndata:\ndata: b\n\n')).toEqual([{ id: undefined, event: 'message', data: 'a\n\nb' }])
})

test('comments, unknown fields and events without data are skipped', async () => {
  expect(await eventsOf(': keep alive\n\nretry: 5\n\nevent: end\n\ndata: x\n\n')).toEqual([
    { id: undefined, event: 'message', data: 'x' },
  ])
})

test('lines may end as on Windows', async () => {
  expect(await eventsOf('event: end\r\ndata: {}\r\n\r\n')).toEqual([{ id: undefined, event: 'end', data: '{}' }])
})

test('an event that was cut off is none', async () => {
  expect(await eventsOf('data: a\n\ndata: b\n')).toEqual([{ id: undefined, event: 'message', data: 'a' }])
})

test('the events are the same wherever the text is cut', async () => {
  const text = 'id: 1\nevent: chunk\ndata: {"output":"a"}\n\n: hello\n\nid: 2\r\ndata: b\r\n\r\n'
  const whole = await eventsOf(text)
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length), fc.nat(text.length), async (one, other) => {
      const [first, second] = one < other ? [one, other] : [other, one]
      expect(await eventsOf(text.slice(0, first), text.slice(first, second), text.slice(second))).toEqual(whole)
    }),
  )
})
