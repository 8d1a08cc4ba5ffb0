import { describe, expect, test } from 'vitest'
import {
  type ClientAddress,
  keepCookieBelow,
  leadBack,
  leadRefreshBack,
} from '../../../../src-main/features/load-balancing/rules/forward-headers.ts'

const HOST = '127.0.0.1:8790'
const BELOW: ClientAddress = { prefix: '/lb/web', target: '/x', host: HOST, workerPort: 20_001 }
const OWN: ClientAddress = { prefix: '', target: '/x', host: 'web.localhost:8790', workerPort: 20_001 }

describe('an address in the answer of a worker', () => {
  test.each([
    ['/login', '/lb/web/login'],
    ['/', '/lb/web/'],
    ['/a?b=/c#d', '/lb/web/a?b=/c#d'],
    ['/?next=1', '/lb/web/?next=1'],
    ['/lb/web/login', '/lb/web/login'],
    ['/lb/web', '/lb/web'],
    ['/lb/web?x', '/lb/web?x'],
    ['/lb/website', '/lb/web/lb/website'],
    ['login', 'login'],
    ['../up', '../up'],
    ['?page=2', '?page=2'],
    ['', ''],
    [`http://${HOST}/login`, `http://${HOST}/lb/web/login`],
    [`http://${HOST}/lb/web/login`, `http://${HOST}/lb/web/login`],
    [`https://${HOST}/login`, `http://${HOST}/lb/web/login`],
    [`//${HOST}/login`, `http://${HOST}/lb/web/login`],
    [`http://${HOST}`, `http://${HOST}/lb/web/`],
    [`http://${HOST}?a=1`, `http://${HOST}/lb/web/?a=1`],
    ['http://127.0.0.1:20001/login', `http://${HOST}/lb/web/login`],
    ['http://localhost:20001/login', `http://${HOST}/lb/web/login`],
    ['http://0.0.0.0:20001/login', `http://${HOST}/lb/web/login`],
    ['http://[::1]:20001/login', `http://${HOST}/lb/web/login`],
    ['http://localhost:3000/login', 'http://localhost:3000/login'],
    ['http://localhost/login', 'http://localhost/login'],
    ['https://accounts.example.com/o?to=/x', 'https://accounts.example.com/o?to=/x'],
    ['//cdn.example.com/x', '//cdn.example.com/x'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
  ])('%s under /lb leads to %s', (address, led) => {
    expect(leadBack(address, BELOW)).toBe(led)
  })

  test.each([
    ['/login', '/login'],
    ['http://web.localhost:8790/login', 'http://web.localhost:8790/login'],
    ['http://127.0.0.1:20001/login', 'http://web.localhost:8790/login'],
    ['https://example.com/', 'https://example.com/'],
  ])('%s under a host of its own leads to %s', (address, led) => {
    expect(leadBack(address, OWN)).toBe(led)
  })

  test('a container is known by its own port, too', () => {
    expect(leadBack('http://localhost/login', { ...BELOW, workerPort: 80 })).toBe(`http://${HOST}/lb/web/login`)
  })

  test.each([
    ['5; url=/next', '5; url=/lb/web/next'],
    ['0;URL="http://localhost:20001/"', `0;URL="http://${HOST}/lb/web/"`],
    ['5', '5'],
  ])('the refresh %s becomes %s', (value, led) => {
    expect(leadRefreshBack(value, BELOW)).toBe(led)
  })
})

describe('a cookie of a worker', () => {
  test.each([
    ['a=1; Path=/', 'a=1; Path=/lb/web'],
    ['a=1; HttpOnly; path=/app; Secure', 'a=1; HttpOnly; Path=/lb/web/app; Secure'],
    ['a=1; Path=/lb/web/app', 'a=1; Path=/lb/web/app'],
    ['a=1; Path=/x; Path=/y', 'a=1; Path=/x; Path=/lb/web/y'],
    ['a=1', 'a=1'],
    ['a=1; Path=', 'a=1; Path='],
    ['path=/; Max-Age=1', 'path=/; Max-Age=1'],
    ['__Host-a=1; Path=/; Secure', '__Host-a=1; Path=/; Secure'],
  ])('%s goes no further than its endpoint: %s', (cookie, kept) => {
    expect(keepCookieBelow(cookie, BELOW)).toBe(kept)
  })

  test('without a path it has one where the root was asked for, which may have no slash', () => {
    expect(keepCookieBelow('a=1', { ...BELOW, target: '/' })).toBe('a=1; Path=/lb/web')
    expect(keepCookieBelow('a=1', { ...BELOW, target: '/?x' })).toBe('a=1; Path=/lb/web')
  })

  test('is left as it is under a host of its own', () => {
    expect(keepCookieBelow('a=1; Path=/', OWN)).toBe('a=1; Path=/')
  })
})
