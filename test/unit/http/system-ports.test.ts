import { expect, it } from 'vitest'
import { systemTime } from '../../../src-main/http/server/system-ports.ts'

it('runs nothing before its time, at whatever fraction of a millisecond it was asked', async () => {
  const early: number[] = []
  for (let n = 0; n < 200; n++) {
    const ms = 1 + (n % 3)
    const due = performance.now() + ms
    await new Promise<void>((resolve) => systemTime.after(ms, resolve))
    if (performance.now() < due) early.push(due - performance.now())
  }
  expect(early).toEqual([])
})

it('does not run a wait of months at once', async () => {
  let hasRun = false
  const cancel = systemTime.after(2 ** 33, () => {
    hasRun = true
  })
  await new Promise<void>((resolve) => systemTime.after(5, resolve))
  cancel()
  expect(hasRun).toBe(false)
})
