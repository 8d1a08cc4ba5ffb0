import { expect, test } from 'vitest'
import { createCallLimits } from '../../../../src-main/features/agents/rules.ts'

function limitsOf(perSpan: number, atOnce: number) {
  let now = 0
  const limits = createCallLimits({ perSpan, atOnce, now: () => now })
  const pass = (ms: number) => {
    now += ms
  }
  return { limits, pass }
}

const enter = (limits: ReturnType<typeof createCallLimits>) => {
  const leave = limits.enter()
  if (typeof leave === 'string') throw new Error(leave)
  return leave
}

test('so many calls may be open, and a call that was answered makes room once', () => {
  const { limits } = limitsOf(100, 2)
  const first = enter(limits)
  enter(limits)
  expect(limits.enter()).toBe('There are 2 calls open, and 2 may be. Wait for one of them to be answered.')
  first()
  first()
  enter(limits)
  expect(limits.enter()).toContain('There are 2 calls open')
})

test('so many calls are answered in a second, and the next ones after it', () => {
  const { limits, pass } = limitsOf(3, 100)
  for (let n = 0; n < 3; n += 1) enter(limits)()
  pass(999)
  expect(limits.enter()).toMatch(/^This agent called 3 times within a second, and 3 are allowed\. Wait a second,/)
  pass(1)
  enter(limits)
})
