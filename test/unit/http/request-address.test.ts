import { describe, expect, it } from 'vitest'
import { isEndpointHost, readAddress } from '../../../src-main/http/request-address.ts'

describe('the address of a request', () => {
  for (const [url, host, read] of [
    ['/lb/web/a?b=1', '127.0.0.1:1', { form: 'lb', prefix: '/lb/web', target: '/a?b=1' }],
    ['/lb/web', undefined, { form: 'lb', prefix: '/lb/web', target: '/' }],
    ['/lb/web?b', 'localhost:1', { form: 'lb', prefix: '/lb/web', target: '/?b' }],
    ['/lb/web/../../api', 'x', { form: 'lb', prefix: '/lb/web', target: '/../../api' }],
    ['/comfy/web/ws?a', 'localhost:1', { form: 'comfy', prefix: '/comfy/web', target: '/ws?a' }],
    ['/a', 'web.localhost:1', { form: 'host', prefix: '', target: '/a' }],
    ['/lb/other/a', 'WEB.localhost', { form: 'host', prefix: '', target: '/lb/other/a' }],
    ['/a', 'web.host.docker.internal:1', { form: 'host', prefix: '', target: '/a' }],
    ['*', 'web.localhost:1', { form: 'host', prefix: '', target: '*' }],
  ] as const) {
    it(`${url} at ${host} leads to web, ${read.target}`, () => {
      expect(readAddress(url, host)).toEqual({ endpointId: 'web', ...read })
    })
  }

  for (const [url, host] of [
    ['/v2/web/run', 'localhost:1'],
    ['/lb', 'localhost:1'],
    ['/lb/', 'localhost:1'],
    ['/lbx/web/', 'localhost:1'],
    ['/', 'a.web.localhost:1'],
    ['/', 'web.localhost.example:1'],
    ['/', 'web.docker.internal:1'],
    ['/', 'web.hostxdocker.internal:1'],
    ['/', '.localhost:1'],
    ['http://web.localhost:1/a', '127.0.0.1:1'],
  ] as const) {
    it(`${url} at ${host} is for the service`, () => {
      expect(readAddress(url, host)).toBe(undefined)
    })
  }
})

describe('the host of an endpoint', () => {
  const own = new Set(['127.0.0.1:8790', 'localhost:8790', 'host.docker.internal:8791'])
  for (const [host, is] of [
    ['web.localhost:8790', true],
    ['WEB.LOCALHOST:8790', true],
    ['web.localhost:8791', false],
    ['web.host.docker.internal:8791', true],
    ['web.host.docker.internal:8790', false],
    ['host.docker.internal:8791', false],
    ['web.localhost', false],
    ['localhost:8790', false],
    ['a.web.localhost:8790', false],
    ['web.127.0.0.1:8790', false],
    [undefined, false],
  ] as const) {
    it(`${host} ${is ? 'is' : 'is not'} one`, () => expect(isEndpointHost(host, own)).toBe(is))
  }
})
