import { expect, test } from 'vitest'
import { createSteadyClock } from '../../../../src-main/app/steady-clock.ts'
import { createGpuAllocator } from '../../../../src-main/runtimes/docker/gpu-allocator.ts'
import type { GpuNeed } from '../../../../src-main/runtimes/rules/gpu-allocation.ts'
import type { GpuInventory } from '../../../../src-main/runtimes/rules/gpu-list.ts'
import { createFakeClock, settle } from '../../../support/fake-clock.ts'
import { recordedCards } from '../../../support/recorded-gpus.ts'

const ANY: GpuNeed = { gpu: 'ANY', gpuCount: 1, gpuShared: false }
const ONE = recordedCards('one-rtx-4090')
const NONE: GpuInventory = { cards: [], fault: 'the NVIDIA driver is not loaded' }

function setup(inventory: GpuInventory = { cards: ONE }) {
  const time = createFakeClock()
  const seen = { inventory, readings: 0, changes: 0 }
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const book = createGpuAllocator({
    readInventory: async () => {
      seen.readings++
      return seen.inventory
    },
    clock: createSteadyClock(time, 0, () => undefined),
    log,
    onChange: () => seen.changes++,
  })
  return { time, seen, book }
}

test('the cards are looked for when the first worker needs one, and who asked hears of it', async () => {
  const { book, seen } = setup()
  expect(book.slots({ ...ANY, gpu: undefined }).free).toBe(Number.POSITIVE_INFINITY)
  expect(seen.readings).toBe(0)
  expect(book.slots(ANY)).toEqual({ free: 0, reason: 'looking for GPUs' })
  expect(() => book.take('w1', 'hello', ANY)).toThrow('looking for GPUs')
  await settle()
  expect(seen).toMatchObject({ readings: 1, changes: 1 })
  expect(book.slots(ANY)).toMatchObject({ free: 1 })
})

test('a card is given once, the same one again to the same worker, and comes back', async () => {
  const { book, seen } = setup()
  await book.refresh()
  expect(book.take('w1', 'hello', ANY)).toEqual([ONE[0]?.id])
  expect(book.take('w1', 'hello', ANY)).toEqual([ONE[0]?.id])
  expect(book.holds()).toHaveLength(1)
  const reason = 'needs 1 GPU, 0 free (1 of 1 in use by endpoint hello)'
  expect(book.slots(ANY)).toEqual({ free: 0, reason })
  expect(() => book.take('w2', 'other', ANY)).toThrow(reason)
  const before = seen.changes
  book.release('w1')
  book.release('w1')
  expect(seen.changes).toBe(before + 1)
  expect(book.take('w2', 'other', ANY)).toEqual([ONE[0]?.id])
})

test('a worker that needs no card gets none, without a look', () => {
  const { book, seen } = setup()
  expect(book.take('w1', 'hello', { ...ANY, gpu: undefined })).toEqual([])
  expect(seen.readings).toBe(0)
})

test('cards of workers of an earlier run are theirs, also before the cards are known', async () => {
  const { book } = setup()
  book.adopt('w1', 'hello', [ONE[0]?.id ?? ''], false)
  await book.refresh()
  expect(book.slots(ANY).free).toBe(0)
  book.adopt('w1', 'hello', [ONE[0]?.id ?? ''], true)
  expect(book.slots({ ...ANY, gpuShared: true }).free).toBeGreaterThan(1)
})

test('an answer is never older than 30 s by much, and asking often reads once', async () => {
  const { book, seen, time } = setup()
  await book.refresh()
  await time.advance(29_999)
  book.slots(ANY)
  await settle()
  expect(seen.readings).toBe(1)
  await time.advance(1)
  for (let n = 0; n < 5; n++) book.slots(ANY)
  await settle()
  expect(seen).toMatchObject({ readings: 2, changes: 1 })
  expect([...book.cards()]).toEqual([...ONE])
})

test('while somebody waits for cards that do not exist, a driver that comes is seen', async () => {
  const { book, seen, time } = setup(NONE)
  await book.refresh()
  expect(book.slots(ANY)).toEqual({ free: 0, reason: NONE.fault })
  await time.advance(30_000)
  expect(seen).toMatchObject({ readings: 2, changes: 2 })
  book.slots(ANY)
  seen.inventory = { cards: ONE }
  await time.advance(30_000)
  expect(seen.readings).toBe(3)
  expect(book.slots(ANY).free).toBe(1)
})

test('nobody waits: nothing is read, nor after the end', async () => {
  const { book, seen, time } = setup(NONE)
  await book.refresh()
  await time.advance(300_000)
  expect(seen.readings).toBe(1)
  book.slots(ANY)
  await settle()
  book.close()
  const { readings, changes } = seen
  await time.advance(300_000)
  expect(seen).toMatchObject({ readings, changes })
})

test('possible cards are reported as if none were in use, after a new look', async () => {
  const { book, seen } = setup(NONE)
  expect(await book.offer(ANY)).toEqual({ reason: 'the NVIDIA driver is not loaded' })
  seen.inventory = { cards: ONE }
  expect(await book.offer(ANY)).toEqual({ ids: [ONE[0]?.id] })
  book.take('w1', 'hello', ANY)
  expect(await book.offer(ANY)).toEqual({ ids: [ONE[0]?.id] })
  expect(await book.offer({ ...ANY, gpuCount: 2 })).toEqual({
    never: true,
    reason: expect.stringMatching(/needs 2 GPUs.* found 1/),
  })
  expect(book.holds()).toHaveLength(1)
})
