import { expect, test } from 'vitest'
import { chooseEnvironment } from '../../../../src-main/domain/app/choose-environment.ts'

test('the one that is asked for, also when it is not there yet', () => {
  expect(chooseEnvironment('staging', ['production'])).toEqual({ name: 'staging' })
})

test('the only one there is', () => {
  expect(chooseEnvironment(undefined, ['staging'])).toEqual({ name: 'staging' })
})

test('production where there is none', () => {
  expect(chooseEnvironment(undefined, [])).toEqual({ name: 'production' })
})

test('with several the user has to choose', () => {
  expect(chooseEnvironment(undefined, ['staging', 'production'])).toEqual({
    problem: 'The app has several environments: production, staging. Choose one with --env.',
  })
})
