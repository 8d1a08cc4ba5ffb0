import { expect, test } from 'vitest'
import { NOTHING_LIVE, nextStep } from '../../../../src-main/cli/preview/preview-state.ts'

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
