import { expect, test } from 'vitest'
import {
  NOTHING_LIVE,
  nextStep,
  withChange,
} from '../../../../../src-main/features/apps/commands/preview/live-reload.ts'

const live = { release: 2, fingerprint: 'a', variables: 1 }

test.each([
  ['the first build', NOTHING_LIVE, { fingerprint: 'a', variables: 0 }, 'release code'],
  ['a try after a first build that failed', { live: undefined, hasFailed: true }, live, 'release code'],
  ['new code', { live, hasFailed: false }, { fingerprint: 'b', variables: 1 }, 'release code'],
  ['new code with new variables', { live, hasFailed: false }, { fingerprint: 'b', variables: 2 }, 'release code'],
  ['new variables', { live, hasFailed: false }, { fingerprint: 'a', variables: 2 }, 'release variables'],
  ['a save without a change', { live, hasFailed: false }, live, 'nothing'],
  ['code that is as before an error', { live, hasFailed: true }, live, 'say as before'],
  ['new code after an error', { live, hasFailed: true }, { fingerprint: 'b', variables: 1 }, 'release code'],
] as const)('%s', (_name, state, built, step) => {
  expect(nextStep(state, built)).toBe(step)
})

test('changes since what answers add up, each file once', () => {
  const state = { ...NOTHING_LIVE, changed: ['a.py'] }
  expect(withChange(withChange(state, ['b.py']), ['a.py', 'c.py']).changed).toEqual(['a.py', 'b.py', 'c.py'])
})

test.each([
  ['nothing answers yet', NOTHING_LIVE, ['a.py']],
  ['nobody knows what changed', { ...NOTHING_LIVE, changed: ['a.py'] }, []],
  ['nobody knew it before', withChange({ ...NOTHING_LIVE, changed: [] }, []), ['a.py']],
] as const)('what changed is not known where %s', (_name, state, files) => {
  expect(withChange(state, files).changed).toBeUndefined()
})
