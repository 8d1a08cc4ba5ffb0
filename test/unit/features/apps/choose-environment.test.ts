import { expect, test } from 'vitest'
import { chooseEnvironment } from '../../../../src-main/features/apps/rules/app-environment.ts'

test('the one that is asked for, also when it is not there yet', () => {
  expect(chooseEnvironment('staging', ['production'])).toBe('staging')
})

test('the only one there is', () => {
  expect(chooseEnvironment(undefined, ['staging'])).toBe('staging')
})

test.each([[[]], [['staging', 'production']], [['qa', 'staging']]])('production where there are %j', (existing) => {
  expect(chooseEnvironment(undefined, existing)).toBe('production')
})
