import { describe, expect, test } from 'vitest'
import { evaluateNavigation, isOwn, mayUse } from '../../../../src-main/app/desktop/page-guard.ts'

const ORIGIN = 'http://127.0.0.1:8790'

describe('navigation', () => {
  test.each([
    [`${ORIGIN}/`, 'inside'],
    [`${ORIGIN}/jobs/a?tab=logs#x`, 'inside'],
    [`${ORIGIN}/sign-in?code=x`, 'inside'],
    [`${ORIGIN}/endpoints/hello/logs`, 'inside'],
    // Same origin but not pages: responses of workers, and the API.
    [`${ORIGIN}/lb/hello/`, 'outside'],
    [`${ORIGIN}/api/info`, 'outside'],
    [`${ORIGIN}//example.com/`, 'inside'],
    ['http://127.0.0.1:9123/sign-in?code=x', 'outside'],
    ['http://127.0.0.1:9123/sign-inx?code=x', 'refused'],
    ['http://127.0.0.1:9123/api/jobs', 'refused'],
    ['https://example.com/a', 'outside'],
    ['https://127.0.0.1:8790/', 'outside'],
    ['mailto:somebody@example.com', 'outside'],
    ['http://127.0.0.1:8791/', 'refused'],
    ['http://localhost:8790/', 'refused'],
    ['http://[::1]:8790/', 'refused'],
    ['http://example.com/', 'refused'],
    ['http://127.0.0.1:8790@example.com/', 'refused'],
    ['http://user@127.0.0.1:8790/', 'refused'],
    ['https://user:word@example.com/', 'refused'],
    ['http://127.0.0.1:8790.example.com/', 'refused'],
    ['file:///etc/passwd', 'refused'],
    ['javascript:alert(1)', 'refused'],
    ['data:text/html,<script>1</script>', 'refused'],
    [`blob:${ORIGIN}/0198c9a2-1c2d-7a3b-8c4d-0123456789ab`, 'refused'],
    ['view-source:http://127.0.0.1:8790/', 'refused'],
    ['chrome://settings', 'refused'],
    ['devtools://devtools/bundled/inspector.html', 'refused'],
    ['about:blank', 'refused'],
    ['ftp://example.com/a', 'refused'],
    ['smb://example.com/share', 'refused'],
    ['ms-settings:network', 'refused'],
    ['vbscript:x', 'refused'],
    ['drydock://jobs/a', 'refused'],
    ['vscode://file/home/ada/handler.py:12', 'outside'],
    ['drydock://file/home/ada/handler.py:12', 'outside'],
    ['vscode://file/home/ada/handler.py', 'refused'],
    ['vscode://file/home/ada/a.py:12?command=x', 'refused'],
    ['vscode://vendor.extension/run:1', 'refused'],
    ['vscode://settings/a:1', 'refused'],
    ['//example.com/', 'refused'],
    ['/jobs', 'refused'],
    ['', 'refused'],
  ] as const)('%s: %s', (address, navigation) => {
    expect(evaluateNavigation(address, ORIGIN)).toBe(navigation)
  })

  test('stays out of the window while no service is up', () => {
    expect(evaluateNavigation(`${ORIGIN}/`, undefined)).toBe('refused')
    expect(evaluateNavigation('https://example.com/', undefined)).toBe('outside')
    expect(isOwn('null', undefined)).toBe(false)
  })
})

test('only pages of the service have permissions: writing to the clipboard and notifications', () => {
  const permissions = [
    ...['clipboard-read', 'clipboard-sanitized-write', 'deprecated-sync-clipboard-read', 'display-capture'],
    ...['fileSystem', 'fullscreen', 'geolocation', 'hid', 'idle-detection', 'media', 'midi', 'midiSysex'],
    ...['notifications', 'openExternal', 'pointerLock', 'serial', 'usb', 'window-management', 'unknown', ''],
  ]
  expect(permissions.filter((one) => mayUse(one, `${ORIGIN}/jobs`, ORIGIN))).toEqual([
    'clipboard-sanitized-write',
    'notifications',
  ])
  expect(permissions.filter((one) => mayUse(one, 'https://example.com/', ORIGIN))).toEqual([])
  expect(permissions.filter((one) => mayUse(one, `${ORIGIN}/`, undefined))).toEqual([])
})
