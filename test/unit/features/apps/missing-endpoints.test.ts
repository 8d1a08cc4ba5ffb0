import { expect, test } from 'vitest'
import { missingEndpoints, missingText } from '../../../../src-main/features/apps/rules/missing-endpoints.ts'

const MANIFEST = { resources: { greet: {}, shout: {}, image: { imageName: 'worker:1' } } }

test('endpoints of the release that are not there are missing', () => {
  expect(missingEndpoints(MANIFEST, 'containers', ['greet', 'shout', 'image'])).toEqual([])
  expect(missingEndpoints(MANIFEST, 'containers', ['shout'])).toEqual(['greet', 'image'])
})

test('a ready image is not missing where there are no containers', () => {
  expect(missingEndpoints(MANIFEST, 'processes', ['greet', 'shout'])).toEqual([])
})

test('the text says what to do', () => {
  expect(missingText(['greet'])).toBe('greet is missing: deploy again')
  expect(missingText(['greet', 'shout'])).toBe('greet, shout are missing: deploy again')
})
