import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linkAmong, pageOfLink } from '../../../src-main/electron/deep-link.ts'
import { readArguments } from '../../../src-main/electron/start-arguments.ts'

describe('a deep link', () => {
  test.each([
    ['drydock://endpoints', '/endpoints'],
    ['drydock://endpoints/', '/endpoints'],
    ['drydock://endpoints/hello', '/endpoints/hello'],
    ['drydock://endpoints/hello/logs', '/endpoints/hello/logs'],
    ['drydock://jobs/0198c9a2-1c2d-7a3b-8c4d-0123456789ab-u1', '/jobs/0198c9a2-1c2d-7a3b-8c4d-0123456789ab-u1'],
    ['drydock://workers/abc123def456gh', '/workers?worker=abc123def456gh'],
    ['drydock://apps/demo/production/', '/apps/deployed/demo/production'],
    ['drydock://system', '/system'],
  ])('%s opens %s', (link, page) => {
    expect(pageOfLink(link)).toBe(page)
  })

  test.each([
    'drydock://jobs/../../sign-in?code=x',
    'drydock://jobs/..',
    'drydock://jobs/%2e%2e%2fsign-in',
    'drydock://jobs/a?next=https://evil.example',
    'drydock://jobs/a#x',
    'drydock://jobs//evil.example',
    'drydock://user@jobs/a',
    'drydock://jobs:80/a',
    'drydock://sign-in?code=abc',
    'drydock://api/account-key/rotate',
    'drydock://endpoints/hello/requests?from=x',
    'drydock://endpoints/hello/logs/more',
    'drydock:endpoints/hello',
    'drydock:///endpoints/hello',
    'DRYDOCK://endpoints/hello',
    'https://endpoints/hello',
    'javascript:alert(1)',
    'drydock://endpoints/<script>',
    'drydock://endpoints/hello\n',
    'drydock://endpoints/hello\0',
    'drydock://endpoints/héllo',
    `drydock://endpoints/${'a'.repeat(101)}`,
    `drydock://${'a'.repeat(10_000)}`,
    'drydock://',
    '',
  ])('%s opens nothing', (link) => {
    expect(pageOfLink(link)).toBeUndefined()
  })

  test('of any form opens nothing or a page of the pages', () => {
    const sections = 'endpoints|jobs|workers|apps|workflows|catalog|system|settings'
    const page = new RegExp(`^/(?:${sections})(?:[/?=A-Za-z0-9_-]*)$`)
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), (rest) => {
        const found = pageOfLink(`drydock://${rest}`)
        expect(found === undefined || page.test(found)).toBe(true)
      }),
    )
  })

  test('is found among the arguments of a second start', () => {
    expect(linkAmong(['--flag', '.', 'drydock://jobs/a'])).toBe('drydock://jobs/a')
    expect(linkAmong(['--flag', '.'])).toBeUndefined()
  })
})

test('arguments of a start are read beside those of Chromium, and wrong ones are none', () => {
  expect(readArguments(['--data', '/d', '--port=9000', '--no-sandbox', '--lang=de', 'drydock://jobs/a'])).toEqual({
    data: '/d',
    port: 9000,
    page: '/jobs/a',
  })
  expect(readArguments(['--port=99999', '--data=', 'drydock://evil'])).toEqual({
    data: undefined,
    port: undefined,
    page: undefined,
  })
})
