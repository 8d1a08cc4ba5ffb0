import { getEventListeners } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSecret } from '../../src-main/features/keys/account-secrets.ts'
import type { PodContainers } from '../../src-main/runtimes/port.ts'
import { TEST_EPOCH } from '../support/fake-clock.ts'
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

  it('are created from a template and changed, with the fields of version 1', async () => {
    const { call, expectCall, service } = await platformClient()
    const template = { name: 'echo', image: 'ghcr.io/ada/echo:1', env: { A: '1' }, disk: 20 }
    const { id: templateId } = await expectCall(201, 'POST', '/v2/templates', template)
    const wanted = {
      templateId,
      workersMin: 0,
      workersMax: 2,
      idleTimeout: 7,
      scalerType: 'REQUEST_COUNT',
      scalerValue: 3,
    }
    const made = await call('POST', '/v1/endpoints', {
      ...wanted,
      computeType: 'CPU',
      cpuFlavorIds: ['cpu3c'],
      vcpuCount: 2,
    })
    expect(made).toMatchObject({
      status: 201,
      body: { ...wanted, id: 'echo', name: 'echo', computeType: 'CPU', flashboot: false, env: { A: '1' } },
    })
    expect(made.body).not.toHaveProperty('workers')
    const update = {
      name: 'loud',
      workersMax: 5,
      idleTimeout: 9,
      scalerType: 'QUEUE_DELAY',
      scalerValue: 2,
      flashboot: true,
    }
    expect(await call('PATCH', '/v1/endpoints/echo', update)).toMatchObject({
      status: 200,
      body: { ...update, templateId },
    })
    const read = await call('GET', '/v1/endpoints/echo?includeTemplate=true&includeWorkers=true')
    expect(read.body).toMatchObject({ template: { id: templateId, imageName: template.image }, workers: [] })
    expect(await service.get('/api/endpoints/echo')).toMatchObject({ workersMax: 5, idleTimeoutMs: 9000 })
    expect((await call('POST', '/v1/endpoints', { name: 'x' })).status).toBe(400)
    expect((await call('PATCH', '/v1/endpoints/gone', update)).status).toBe(404)
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
    expect((await call('GET', '/v2/pods')).body.pods).toEqual([])
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

const STATE = { isRunning: true, startedAt: TEST_EPOCH, ports: { '8888': 32_768 }, exit: undefined }

async function withPod(
  fields: object,
  printed: readonly string[] = [],
  runs = false,
  options: Parameters<typeof platformClient>[0] = {},
) {
  const { call, expectCall, service } = await platformClient(options)
  let made = ''
  const pods: PodContainers = {
    problem: async () => undefined,
    adopt: async () => undefined,
    start: async ({ id: podId }) => {
      made = podId
    },
    stop: async () => undefined,
    remove: async () => undefined,
    states: async () => new Map(runs ? [[made, STATE]] : []),
    async follow(_id, { onLines }) {
      onLines(printed.map((text) => ({ text, at: 0 })))
      return { ended: Promise.resolve(), stop: () => undefined }
    },
  }
  service.fleet().pods = pods
  const { id } = await expectCall(201, 'POST', '/v2/pods', { name: 'dev', image: 'a:1', ...fields })
  const log = async () => await (await service.request('GET', `/v2/pods/${id}/logs?source=container`)).text()
  return { call, expectCall, service, id, log, pods }
}

describe('a pod', () => {
  it('accepts and returns the fields of both versions', async () => {
    const { call, expectCall, service, id } = await withPod(
      {
        ...{ cmd: ['sleep', '9'], entrypoint: ['tini'], ports: ['8888/http'], gpu: { id: 'ANY', count: 1 } },
        ...{ mounts: { persistent: { size: 10, path: '/data' } }, cloud: 'SECURE', startSsh: true },
      },
      [],
      true,
    )
    await service.clock.advance(5000)
    const pod = await expectCall(200, 'GET', `/v2/pods/${id}`)
    expect(pod).toMatchObject({
      ...{ cmd: ['sleep', '9'], dockerStartCmd: ['sleep', '9'], entrypoint: ['tini'], gpu: { id: 'ANY', count: 1 } },
      ...{ mounts: { persistent: { size: 10, path: '/data' } }, volumeInGb: 10, volumeMountPath: '/data', cost: 0 },
      ...{ templateId: null, uptimeSeconds: 5, gpuTypeId: 'ANY' },
      runtime: { uptime: 5, ports: [{ ip: '127.0.0.1', private: 8888, public: 32_768, type: 'http' }] },
    })
    expect(await expectCall(200, 'GET', '/v2/pods')).toMatchObject({
      pagination: { hasNextPage: false },
      pods: [{ id }],
    })
    const listed = async (query: string) => (await call('GET', `/v1/pods?${query}`)).body.length
    expect([await listed('name=dev'), await listed('name=other'), await listed('computeType=CPU')]).toEqual([1, 0, 0])
    const { id: volumeId } = await expectCall(201, 'POST', '/v2/network-volumes', {
      ...{ name: 'models', size: 10, dataCenter: 'EU-RO-1' },
    })
    const mounts = { network: [{ volumeId, path: '/models' }] }
    const changed = await call('PATCH', `/v2/pods/${id}`, { mounts })
    expect(changed.body).toMatchObject({ networkVolumeId: volumeId, volumeMountPath: '/models', mounts, volumeInGb: 0 })
  })
})

describe('the log of a pod', () => {
  it('is in the order of time when read at once, and limited to the newest lines', async () => {
    const { service, id } = await withPod({}, ['first', 'second'], true)
    const lines = async (tail: number) => {
      const response = await service.request('GET', `/v2/pods/${id}/logs?wait=false&tail=${tail}`)
      return [...(await response.text()).matchAll(/"line":"(\w+)/g)].map(([, line]) => line)
    }
    expect(await lines(9)).toEqual(['first', 'second', 'started'])
    expect(await lines(1)).toEqual(['started'])
  })

  it('keeps what happened to the pod over a restart of the service, without its secrets', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-pods-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const stored = { file: join(folder, 'drydock.db') }
    const { service, expectCall, id, pods } = await withPod({ env: { API_KEY: 'secret-key' } }, [], true, stored)
    const start = () => Promise.reject(new Error('secret-key is refused'))
    service.fleet().pods = { ...pods, start }
    await expectCall(200, 'POST', `/v2/pods/${id}/action`, { action: 'restart' })
    const lines = async () => {
      const text = await (await service.request('GET', `/v2/pods/${id}/logs?source=system&wait=false`)).text()
      return [...text.matchAll(/"line":"([^"]+)"/g)].map(([, line]) => line)
    }
    await service.clock.until(async () => (await lines()).length === 3)
    await service.restart('killed')
    service.fleet().pods = pods
    expect(await lines()).toEqual(['started', 'stopped', 'not started: *** is refused'])
    await expectCall(204, 'DELETE', `/v2/pods/${id}`)
    expect(service.storage().pods.eventsAfter(id, 0)).toEqual([])
  })

  it('masks secret variables, even earlier ones, account secrets and the password of its registry', async () => {
    const printed = ['plain-debug', 'secret-first', 'secret-second', 'secret-account', 'secret-registry']
    const { service, call, id, log } = await withPod({ env: { MODE: 'plain-debug', API_KEY: 'secret-first' } }, printed)
    await service.post('/api/registries', {
      name: 'r',
      server: 'r.example',
      username: 'ada',
      password: 'secret-registry',
    })
    await createSecret(
      { storage: service.storage(), clock: { now: () => 0 } },
      { name: 's', value: 'secret-account', description: '' },
    )
    const changes = { env: { MODE: 'plain-debug', API_KEY: 'secret-second' }, registry: 'r' }
    expect((await call('PATCH', `/v2/pods/${id}`, changes)).status).toBe(200)
    const text = await log()
    expect(text).toContain('plain-debug')
    expect(text.split('\n').filter((line) => line.includes('***'))).toHaveLength(4)
    expect(text).not.toContain('secret-')
  })

  it('leaves no listener behind once it has ended', async () => {
    const { service, log } = await withPod({}, ['one'])
    const listeners = () => getEventListeners(service.service().stopping, 'abort').length
    const before = listeners()
    expect(await log()).toContain('one')
    expect(listeners()).toBe(before)
  })
})
