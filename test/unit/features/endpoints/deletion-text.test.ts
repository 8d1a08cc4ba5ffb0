import { expect, test } from 'vitest'
import { restoredText } from '../../../../src-main/features/endpoints/rules/deletion-text.ts'

const RECREATES = 'recreates the endpoints with new keys'

test.each([
  ['greet', 'shout', RECREATES],
  ['greet', 'shout-a1b2c3', `${RECREATES}, shout-a1b2c3 under a new id`],
  ['greet-d4e5f6', 'shout-a1b2c3', `${RECREATES}, greet-d4e5f6, shout-a1b2c3 under new ids`],
])('a rollback after %s and %s were deleted %s', (greet, shout, said) => {
  const endpoints = [
    { resource: 'Greet', id: greet },
    { resource: 'shout', id: shout },
  ]
  expect(restoredText(endpoints)).toBe(said)
})
