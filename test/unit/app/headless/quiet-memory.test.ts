import { describe, expect, it } from 'vitest'
import { collectGarbage, POLL_EVERY_MS, watchForQuiet } from '../../../../src-main/app/headless/quiet-memory.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'

/** A watched process: what it computes between two looks is told here, in parts of a core. */
function setup() {
  const clock = createFakeClock()
  let computed = 0
  let given = 0
  const stop = watchForQuiet({
    time: clock,
    computedMs: () => computed,
    onQuiet: () => {
      given += 1
    },
  })
  const look = async (...parts: readonly number[]) => {
    for (const part of parts) {
      computed += part * POLL_EVERY_MS
      await clock.advance(POLL_EVERY_MS)
    }
    return given
  }
  return { look, stop }
}

describe('watching for quiet', () => {
  it('hears of it once, when no work was done for three looks after some', async () => {
    const { look } = setup()
    expect(await look(0.5, 0.5, 0.01, 0.01)).toBe(0)
    expect(await look(0.01)).toBe(1)
    expect(await look(0.01, 0, 0.01, 0.01, 0.01)).toBe(1)
    expect(await look(0.5, 0, 0, 0)).toBe(2)
  })

  it('hears nothing while a load pauses', async () => {
    const { look } = setup()
    expect(await look(0.5, 0, 0, 0.5, 0, 0, 0.2, 0, 0.05)).toBe(0)
  })

  it('hears of it once after the start, which was work', async () => {
    const { look } = setup()
    expect(await look(0.01, 0.01)).toBe(0)
    expect(await look(0.01, 0.01, 0.01, 0.01, 0.01)).toBe(1)
  })

  it('hears of it while what a burst has left is done in slices', async () => {
    const { look } = setup()
    expect(await look(1, 0.2, 0.2, 0.2)).toBe(1)
    expect(await look(0.14, 0.14, 0.14, 0.14)).toBe(1)
  })

  it('ends', async () => {
    const { look, stop } = setup()
    await look(0.5)
    stop()
    expect(await look(0, 0, 0, 0)).toBe(0)
  })
})

describe('a collection', () => {
  it('gives memory to the system that a load had made the heap take', () => {
    const kept: object[] = []
    for (let n = 0; n < 3_000_000; n++) kept[n % 100_000] = { n, list: [n] }
    kept.length = 0
    const before = process.memoryUsage().heapTotal
    collectGarbage()
    expect(process.memoryUsage().heapTotal).toBeLessThan(before - 20_000_000)
  })
})
