import { expect, test } from 'vitest'
import { networkReason } from '../../../src-main/lib/network-error.ts'

const failure = (code: string, more = {}) =>
  Object.assign(new Error(`getaddrinfo ${code} hub.example`), { code, ...more })

test.each([
  [failure('ENOTFOUND', { hostname: 'hub.example' }), 'cannot find hub.example. Check the connection'],
  [failure('EAI_AGAIN'), 'cannot look up the host. Check the connection'],
  [failure('ECONNREFUSED'), 'nothing listens there'],
  [failure('ECONNRESET'), 'the connection was lost'],
  [failure('ETIMEDOUT'), 'it took too long to answer'],
  [failure('CERT_HAS_EXPIRED'), 'its certificate has expired'],
  [failure('CERT_REVOKED'), 'its certificate is not trusted'],
  [new TypeError('fetch failed', { cause: failure('ECONNREFUSED') }), 'nothing listens there'],
  [new AggregateError([failure('EHOSTUNREACH')], ''), 'the host cannot be reached. Check the connection'],
  [new Error('its answer is too long'), 'its answer is too long'],
  [failure('EODD'), 'getaddrinfo EODD hub.example'],
  ['text', 'text'],
])('%s is told as: %s', (error, reason) => {
  expect(networkReason(error)).toBe(reason)
})
