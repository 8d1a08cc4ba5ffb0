import { expect, test } from 'vitest'
import { createChangeQueue } from '../../../../../src-main/features/apps/commands/preview/changed-code.ts'

const { signal: never } = new AbortController()

test('changes that wait are taken as one, with the time of the first', async () => {
  const queue = createChangeQueue()
  queue.push({ files: ['b.py'], at: 10 })
  queue.push({ files: ['a.py', 'b.py'], at: 20 })
  expect(await queue.next(never)).toEqual({ files: ['a.py', 'b.py'], at: 10 })
})

test('one who waits gets the next change, and only once', async () => {
  const queue = createChangeQueue()
  const first = queue.next(never)
  const waiting = queue.whenWaiting(never)
  queue.push({ files: ['a.py'], at: 10 })
  await waiting
  expect(await first).toEqual({ files: ['a.py'], at: 10 })
  const second = queue.next(never)
  queue.push({ files: ['b.py'], at: 20 })
  expect(await second).toEqual({ files: ['b.py'], at: 20 })
})

test('waiting ends with the signal, also where it was aborted before', async () => {
  const queue = createChangeQueue()
  const end = new AbortController()
  const waiting = queue.next(end.signal)
  end.abort()
  expect(await waiting).toBeUndefined()
  queue.push({ files: ['a.py'], at: 10 })
  expect(await queue.next(end.signal)).toBeUndefined()
})
