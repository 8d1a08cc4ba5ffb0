import { expect, it } from 'vitest'
import { hostHeaders, portOfService } from '../../../src-main/lib/own-addresses.ts'

it('reads port 80 from an address that leaves it out', () => {
  expect(portOfService('http://127.0.0.1:8790')).toBe(8790)
  expect(portOfService('http://127.0.0.1:80')).toBe(80)
})

it('accepts a Host header without a port on port 80 alone', () => {
  expect(hostHeaders('localhost', 80)).toEqual(['localhost:80', 'localhost'])
  expect(hostHeaders('localhost', 8790)).toEqual(['localhost:8790'])
})
