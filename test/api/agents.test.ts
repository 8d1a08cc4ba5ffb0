/** Authentication of coding agents over HTTP. The tools are tested in test/mcp. */
import { expect, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { type Asked, setup } from '../support/core.ts'

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const ACCEPT = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }

async function withService() {
  const service = await setup()
  const post = (asked: Asked = {}, path = '/mcp') =>
    service.ask('POST', path, { body: LIST, ...asked, headers: { ...ACCEPT, ...asked.headers } })
  /** The names of the tools in an answer, which is one server-sent event. */
  const tools = async (asked: Asked = {}, path = '/mcp') => {
    const response = await service.request('POST', path, { body: LIST, ...asked, headers: ACCEPT })
    expect(response.status).toBe(200)
    const data = /^data: (.*)$/m.exec(await response.text())?.[1] ?? ''
    const { result } = JSON.parse(data) as { readonly result: { readonly tools: readonly { readonly name: string }[] } }
    return result.tools.map(({ name }) => name)
  }
  return { service, post, tools }
}

test('a key with a role is let in, and offered what it may do and what was allowed', async () => {
  const { service, tools } = await withService()
  const { key } = await service.post('/api/keys', { name: 'agent', role: 'run' })
  expect(await tools({ key })).toContain('job_read')
  expect(await tools({ key })).not.toContain('job_submit')
  expect(await tools({ key }, '/mcp?allow=writes')).toContain('job_submit')
  expect(await tools({ key }, '/mcp?allow=dangerous')).toContain('endpoint_purge')
  expect(await tools({ key }, '/mcp?allow=dangerous')).not.toContain('endpoint_delete')
  expect(await tools({}, '/mcp?allow=dangerous')).toContain('endpoint_delete')
})

test('foreign hosts and pages, no key, a wrong key and the key of an endpoint are refused', async () => {
  const { service, post } = await withService()
  const { key } = await service.post('/api/endpoints', { id: 'e', name: 'e', command: 'x' })
  expect(await post({ headers: { host: 'evil.example' } })).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN_HOST' },
  })
  const origin = { origin: 'http://evil.example' }
  expect(await post({ headers: origin })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN_ORIGIN' } })
  const site = { 'sec-fetch-site': 'cross-site' }
  expect(await post({ headers: site })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN_ORIGIN' } })
  expect(await post({ headers: { 'content-type': 'text/plain' } })).toMatchObject({ status: 415 })
  expect(await post({ key: null })).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  expect(await post({ key: `dk_${'x'.repeat(43)}` })).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  expect(await post({ key })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN_KEY' } })
})

test('the session of a browser is no key', async () => {
  const { service, post } = await withService()
  const { headers } = await service.signIn()
  expect(await service.ask('GET', '/api/info', { key: null, headers })).toMatchObject({ status: 200 })
  expect(await post({ key: null, headers })).toMatchObject({ status: 401 })
})

test('other methods, several messages at once, what is no message and what is too large are refused', async () => {
  const { service, post } = await withService()
  expect(await service.ask('GET', '/mcp')).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } })
  expect(await service.ask('DELETE', '/mcp')).toMatchObject({ status: 405 })
  expect(await post({ body: [LIST, LIST] })).toMatchObject({ status: 400, body: { code: 'BAD_INPUT' } })
  expect(await post({ body: { hello: 1 } })).toMatchObject({ status: 400 })
  expect(await post({ body: '{"jsonrpc": ' })).toMatchObject({ status: 400, body: { code: 'NOT_JSON' } })
  expect(await post({}, '/mcp?allow=all')).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
  const large = (bytes: number) => {
    const padded = (pad: string) => JSON.stringify({ ...LIST, params: { _meta: { pad } } })
    return padded('x'.repeat(bytes - padded('').length))
  }
  const most = limit('mcpBodyBytes')
  expect(await post({ body: large(most + 1) })).toMatchObject({ status: 400, body: { code: 'BODY_TOO_LARGE' } })
  expect((await service.request('POST', '/mcp', { body: large(most), headers: ACCEPT })).status).toBe(200)
})

test('of each key so many messages are answered in a span', async () => {
  const { service, post, tools } = await withService()
  const { key } = await service.post('/api/keys', { name: 'agent', role: 'read' })
  const ping = { jsonrpc: '2.0', method: 'notifications/initialized' }
  for (let sent = 0; sent < limit('mcpRequests'); sent += 1) {
    const { status } = await service.request('POST', '/mcp', { key, body: ping, headers: ACCEPT })
    expect(status).toBe(202)
  }
  const asked = post({ key })
  await service.clock.advance(limit('mcpRefusedMs') - 1)
  await service.clock.advance(1)
  const refused = await asked
  expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_MESSAGES' } })
  expect(refused.body.error).toContain('Wait a second')
  expect(await tools()).toContain('job_read')
  expect(await tools({ key })).toContain('job_read')
})

test('the holder of a key learns its name and role', async () => {
  const { service } = await withService()
  const { key } = await service.post('/api/keys', { name: 'agent', role: 'read' })
  expect((await service.ask('GET', '/api/key', { key })).body).toEqual({ name: 'agent', role: 'read' })
  expect((await service.ask('GET', '/api/key')).body).toEqual({ name: 'account', role: 'admin' })
})
