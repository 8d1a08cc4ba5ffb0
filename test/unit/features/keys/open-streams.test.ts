import { expect, test } from 'vitest'
import { createOpenStreams } from '../../../../src-main/features/keys/open-streams.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'

test('a stream ends within a second of losing its key, and the others go on', async () => {
  const clock = createFakeClock()
  const { watch } = createOpenStreams({ clock })
  const revoked = new Set<string>()
  const ended: string[] = []
  for (const key of ['ada', 'grace'])
    watch(
      () => !revoked.has(key),
      () => ended.push(key),
    )
  await clock.advance(9_300)
  expect(ended).toEqual([])
  revoked.add('ada')
  await clock.advance(1000)
  expect(ended).toEqual(['ada'])
  revoked.add('grace')
  await clock.advance(1000)
  expect(ended).toEqual(['ada', 'grace'])
})

test('a stream whose key cannot be checked ends, and one that has ended by itself is no longer checked', async () => {
  const clock = createFakeClock()
  const { watch } = createOpenStreams({ clock })
  let checks = 0
  const ended: string[] = []
  const unwatch = watch(
    () => {
      checks += 1
      return true
    },
    () => ended.push('closed'),
  )
  watch(
    () => {
      throw new Error('the database is gone')
    },
    () => ended.push('unchecked'),
  )
  unwatch()
  await clock.advance(1000)
  expect({ ended, checks }).toEqual({ ended: ['unchecked'], checks: 0 })
})
