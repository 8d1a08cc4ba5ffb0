import { expect, test } from 'vitest'
import { lookupError } from '../../../src-main/domain/lookup-error.ts'

const failure = (code: string, more = {}) =>
  Object.assign(new Error(`getaddrinfo ${code} hub.example`), { code, ...more })

test('a host without an address is named, with what to check', () => {
  expect(lookupError(failure('ENOTFOUND', { hostname: 'hub.example' }))).toBe(
    'the host hub.example was not found. Check its name and the network connection',
  )
  expect(lookupError(failure('EAI_AGAIN'))).toBe('the host could not be looked up. Check the network connection')
  expect(lookupError(failure('ECONNREFUSED'))).toBe(undefined)
})
