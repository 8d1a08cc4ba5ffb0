import { beforeEach, expect, test } from 'vitest'
import { keepPageKey, sendPageKey, withPageKey } from '../../src-renderer/api-client/page-key.ts'

function signIn(pageKey: string, page: string): void {
  document.body.innerHTML = `<meta name="drydock-page-key" content="${pageKey}" /><meta name="drydock-page" content="${page}" />`
  history.replaceState(null, '', '/sign-in?code=once')
  keepPageKey(window)
}

beforeEach(() => localStorage.clear())

test('a page that has just signed in stores the key, and replaces the link in the address bar', () => {
  signIn('a+b', '/workers?worker=w')
  expect(location.pathname + location.search).toBe('/workers?worker=w')
  document.body.replaceChildren()
  history.replaceState(null, '', '/jobs')
  keepPageKey(window)
  expect(location.pathname).toBe('/jobs')
  const { headers, method } = sendPageKey({ method: 'POST', headers: { accept: 'a/b' } })
  expect([...new Headers(headers)]).toEqual([
    ['accept', 'a/b'],
    ['x-drydock-page-key', 'a+b'],
  ])
  expect(method).toBe('POST')
  expect([withPageKey('/events'), withPageKey('/events?after=1')]).toEqual([
    '/events?pageKey=a%2Bb',
    '/events?after=1&pageKey=a%2Bb',
  ])
})

test('a browser that is not signed in sends no key', () => {
  expect(sendPageKey({ method: 'GET' })).toEqual({ method: 'GET' })
  expect(withPageKey('/events')).toBe('/events')
})
