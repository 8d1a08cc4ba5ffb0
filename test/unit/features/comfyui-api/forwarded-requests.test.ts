import { expect, it } from 'vitest'
import {
  headersForClient,
  headersForServer,
  isForwarded,
} from '../../../../src-main/features/comfyui-api/rules/forwarded-requests.ts'

it.each([
  ['GET', '/'],
  ['HEAD', '/assets/index.js'],
  ['GET', '/api/view_metadata/loras'],
  ['GET', '/extensions/my%20nodes/a.js'],
  ['GET', '/managers'],
  ['POST', '/free'],
  ['POST', '/api/free'],
  ['PUT', '/api/etn/image/0a1b'],
])('%s %s is passed on', (method, path) => {
  expect(isForwarded(method, path)).toBe(true)
})

it.each([
  ['POST', '/'],
  ['POST', '/customnode/install'],
  ['PUT', '/free'],
  ['PUT', '/api/etn/upload/loras/a'],
  ['PUT', '/api/etn/image/a/b'],
  ['DELETE', '/api/userdata/a'],
  ['GET', '/manager/reboot'],
  ['GET', '/v2/manager/queue/start'],
  ['GET', '/api/v2/customnode/getlist'],
  ['GET', '/%6danager/reboot'],
  ['GET', '/api/api/manager/reboot'],
  ['GET', '//manager/reboot'],
  ['GET', '/x%2f..%2fmanager/reboot'],
  ['GET', '/%256danager/reboot'],
  ['GET', '/internal/logs'],
  ['GET', '/%ff'],
])('%s %s is not', (method, path) => {
  expect(isForwarded(method, path)).toBe(false)
})

it('forwards no keys or cookies to the server, and none of its cookies or policies to the client', () => {
  const from = (headers: Readonly<Record<string, string>>) => (name: string) => headers[name]
  const sent = from({ authorization: 'Bearer key', cookie: 'a=b', host: 'x', range: 'bytes=0-1', via: '1.1 first' })
  expect(headersForServer(sent, 'own')).toEqual({ range: 'bytes=0-1', via: '1.1 first, 1.1 own' })
  const page = from({ 'content-type': 'text/html', 'set-cookie': 'a=b', location: 'http://elsewhere' })
  expect(headersForClient(page, true)).toEqual({ 'content-type': 'text/html', 'x-content-type-options': 'nosniff' })
  expect(headersForClient(page, false)['content-security-policy']).toContain('sandbox')
})
