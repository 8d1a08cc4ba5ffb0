import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileOfLink, linkAmong, pageOfLink, readArguments } from '../../../../src-main/app/desktop/deep-link.ts'
import { editorLink } from '../../../../src-main/contract/editors.ts'

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
  ])('%s is ignored', (link) => {
    expect(pageOfLink(link)).toBeUndefined()
  })

  test('opens only known pages, whatever it contains', () => {
    const sections = 'endpoints|jobs|workers|apps|workflows|catalog|system|settings'
    const page = new RegExp(`^/(?:${sections})(?:[/?=A-Za-z0-9_-]*)$`)
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), (rest) => {
        const found = pageOfLink(`drydock://${rest}`)
        expect(found === undefined || page.test(found)).toBe(true)
      }),
    )
  })

  test('is found on the command line of a second instance', () => {
    expect(linkAmong(['--flag', '.', 'drydock://jobs/a'])).toBe('drydock://jobs/a')
    expect(linkAmong(['--flag', '.'])).toBeUndefined()
  })
})

describe('a file link', () => {
  test.each(['/home/ada/my app/handler.py', '/tmp/100%/ä.py', 'C:\\apps\\handler.py'])('names %s', (file) => {
    const link = editorLink('drydock', file, 12) ?? ''
    expect(fileOfLink(link)).toBe(file.replaceAll('\\', '/'))
    expect(pageOfLink(link)).toBeUndefined()
  })

  test.each([
    'drydock://file/home/ada/handler.py',
    'drydock://file:12',
    'drydock://file/%E0%A4%A:1',
    'drydock://file/a?b:1',
    `drydock://file/${'a'.repeat(20_000)}:1`,
    'vscode://file/a.py:1',
    'drydock://jobs/a',
    '',
  ])('%s is not a file link', (link) => {
    expect(fileOfLink(link)).toBeUndefined()
  })
})

test('parsing the command line ignores Chromium switches and invalid values', () => {
  expect(readArguments(['--data', '/d', '--port=9000', '--no-sandbox', '--lang=de', 'drydock://jobs/a'])).toEqual({
    data: '/d',
    port: 9000,
    link: 'drydock://jobs/a',
  })
  expect(readArguments(['--port=99999', '--data=', 'drydock://evil'])).toEqual({
    data: undefined,
    port: undefined,
    link: 'drydock://evil',
  })
})
