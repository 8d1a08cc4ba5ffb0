import { describe, expect, it } from 'vitest'
import { platformClient } from '../support/platform-client.ts'

describe('endpoints by version 1', () => {
  it('are listed, read and deleted', async () => {
    const { call, service } = await platformClient()
    await service.createEndpoint('e')
    expect((await call('GET', '/v1/endpoints')).body).toMatchObject([{ id: 'e' }])
    expect((await call('GET', '/v1/endpoints/e')).body).toMatchObject({ id: 'e' })
    expect((await call('DELETE', '/v1/endpoints/e')).status).toBe(204)
    expect((await call('GET', '/v1/endpoints/e')).status).toBe(404)
  })
})

describe('pods without Docker', () => {
  it.each(['/v2/pods', '/v1/pods'])('GET %s answers an empty list, by which clients check a key', async (path) => {
    const { call } = await platformClient()
    expect(await call('GET', path)).toMatchObject({ status: 200, body: path === '/v1/pods' ? [] : { pods: [] } })
  })

  it('are not created, and the answer says why', async () => {
    const { call } = await platformClient()
    const answer = await call('POST', '/v2/pods', { name: 'dev', image: 'python:3.12-slim' })
    expect(answer).toMatchObject({ status: 501, body: { detail: expect.stringContaining('Docker') } })
    expect((await call('GET', '/v2/pods')).body).toEqual({ pods: [] })
  })

  it.each([
    ['GET', '/v2/pods/gone', undefined],
    ['PATCH', '/v2/pods/gone', { name: 'other' }],
    ['DELETE', '/v2/pods/gone', undefined],
    ['POST', '/v2/pods/gone/action', { action: 'start' }],
    ['POST', '/v1/pods/gone/stop', {}],
  ])('%s %s does not know the pod', async (method, path, body) => {
    const { call } = await platformClient()
    expect(await call(method, path, body)).toMatchObject({ status: 404, body: { code: 'POD_NOT_FOUND' } })
  })

  it.each([
    [{}, 400, /^image: /],
    [{ image: 'a', ports: ['53/udp'] }, 400, /^ports/],
    [{ image: 'a', ports: ['0/tcp'] }, 422, /^ports: /],
    [{ image: 'a', args: 'sh -c "x' }, 422, /^args: /],
    [{ image: 'a', registry: 'nobody' }, 422, /^registry: /],
    [{ image: 'a', templateId: 'gone' }, 404, /template/],
    [{ image: 'a', volumeMountPath: 'workspace' }, 400, /^volumeMountPath: /],
  ])('%j is refused with %d', async (body, status, detail) => {
    const { call } = await platformClient()
    const answer = await call('POST', '/v2/pods', body)
    expect(answer).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } })
  })
})
