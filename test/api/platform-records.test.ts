import { describe, expect, it } from 'vitest'
import { POD_DEFAULTS } from '../../src-main/features/pods/rules.ts'
import { AN_ENDPOINT, platformClient } from '../support/platform-client.ts'

const A_TEMPLATE = { name: 'base', image: 'ghcr.io/ada/base:1', env: { A: '1' }, disk: 20, serverless: true }
const A_VOLUME = { name: 'models', size: 50, dataCenter: 'EU-RO-1' }
const CREDENTIALS = { name: 'work', username: 'ada', password: 'enchantress' }

describe('templates', () => {
  it('are made with defaults, read, listed, changed and deleted', async () => {
    const { expectCall } = await platformClient()
    const made = await expectCall(201, 'POST', '/v2/templates', A_TEMPLATE)
    expect(made).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{14}$/),
      ...A_TEMPLATE,
      args: '',
      ports: [],
      registry: null,
      mounts: {},
      public: false,
      category: 'NVIDIA',
      startSsh: true,
      startJupyter: true,
      allowedCudaVersions: [],
    })
    const path = `/v2/templates/${made.id}`
    expect(await expectCall(200, 'GET', path)).toEqual(made)
    const mounts = { persistent: { size: 10, path: '/workspace' } }
    const changed = await expectCall(200, 'PATCH', path, { public: true, mounts })
    expect(changed).toEqual({ ...made, public: true, mounts })
    expect((await expectCall(200, 'GET', '/v2/templates')).templates).toEqual([changed])
    expect(await expectCall(200, 'GET', '/v2/catalog/templates')).toEqual({ templates: [] })
    expect(await expectCall(200, 'GET', '/v2/catalog/templates?source=community')).toEqual({ templates: [changed] })
    await expectCall(204, 'DELETE', path)
    await expectCall(404, 'GET', path)
  })

  it('are what endpoints begin with, and change with', async () => {
    const { expectCall, call } = await platformClient()
    const { id: templateId } = await expectCall(201, 'POST', '/v2/templates', A_TEMPLATE)
    const { image: _image, ...body } = AN_ENDPOINT
    const made = await expectCall(201, 'POST', '/v2/serverless', { ...body, templateId, env: { B: '2' } })
    expect(made).toMatchObject({ image: A_TEMPLATE.image, disk: 20, env: { A: '1', B: '2' }, templateId })
    await expectCall(200, 'PATCH', `/v2/templates/${templateId}`, { image: 'ghcr.io/ada/base:2' })
    expect((await expectCall(200, 'GET', '/v2/serverless/echo')).image).toBe('ghcr.io/ada/base:2')
    expect(await call('DELETE', `/v2/templates/${templateId}`)).toMatchObject({
      status: 400,
      body: { code: 'IN_USE', detail: expect.stringContaining('endpoint echo') },
    })
    const other = await expectCall(201, 'POST', '/v2/templates', { ...A_TEMPLATE, name: 'other', image: 'b:1' })
    expect(await expectCall(200, 'PATCH', '/v2/serverless/echo', { templateId: other.id })).toMatchObject({
      image: 'b:1',
      templateId: other.id,
    })
  })
})

describe('network volumes', () => {
  it('are folders with a name, a size and a place', async () => {
    const { expectCall, service } = await platformClient()
    const made = await expectCall(201, 'POST', '/v2/network-volumes', A_VOLUME)
    expect(made).toEqual({ id: expect.any(String), ...A_VOLUME, type: 'STANDARD' })
    const path = `/v2/network-volumes/${made.id}`
    expect(await expectCall(200, 'PATCH', path, { name: 'weights', size: 60 })).toEqual({
      ...made,
      name: 'weights',
      size: 60,
    })
    const folder = await service.storage().artifacts.volume('models')
    await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, networkVolumes: [made.id] })
    const { container } = await service.get('/api/endpoints/echo')
    expect(container.volumes).toEqual([{ source: folder, target: '/runpod-volume', readOnly: false }])
    await expectCall(400, 'DELETE', path)
    await expectCall(204, 'DELETE', '/v2/serverless/echo')
    await expectCall(204, 'DELETE', path)
    await expectCall(404, 'GET', path)
  })

  it('and registry credentials are kept while a pod uses them', async () => {
    const { call, expectCall, service } = await platformClient()
    const { id: networkVolume } = await expectCall(201, 'POST', '/v2/network-volumes', A_VOLUME)
    await expectCall(201, 'POST', '/v2/registries', { name: 'ghcr', username: 'ada', password: 'tok-12345' })
    const { pods, write } = service.storage()
    const settings = { ...POD_DEFAULTS, image: 'a:1', networkVolume, registry: 'ghcr' }
    const pod = { id: 'p1', name: 'dev', settings, wanted: 'EXITED', reason: undefined, createdAt: 0 } as const
    await write(() => pods.insert(pod))
    for (const path of [`/v2/network-volumes/${networkVolume}`, '/v2/registries/ghcr']) {
      const refused = { code: 'IN_USE', detail: expect.stringContaining('is used by pod dev (p1)') }
      expect(await call('DELETE', path)).toMatchObject({ status: 400, body: refused })
    }
    await write(() => pods.remove('p1'))
    for (const path of [`/v2/network-volumes/${networkVolume}`, '/v2/registries/ghcr'])
      await expectCall(204, 'DELETE', path)
  })

  it('do not share a folder when one was renamed', async () => {
    const { expectCall, service } = await platformClient()
    const { id } = await expectCall(201, 'POST', '/v2/network-volumes', A_VOLUME)
    await expectCall(200, 'PATCH', `/v2/network-volumes/${id}`, { name: 'old' })
    await service.clock.advance(1)
    const again = await expectCall(201, 'POST', '/v2/network-volumes', A_VOLUME)
    const folders = service
      .storage()
      .platform.volumes.all()
      .map(({ folder }) => folder)
    expect(folders).toEqual(['models', `models ${again.id}`])
  })

  it('are linked for processes', async () => {
    const linked: string[] = []
    const putAt = async (path: string) => void linked.push(path)
    const { expectCall, service } = await platformClient({ processHost: { putAt } })
    service.fleet().lacks = () => 'there is no Docker engine'
    const { id } = await expectCall(201, 'POST', '/v2/network-volumes', A_VOLUME)
    const web = { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 4 } }
    const image = 'runpod/api:py3.12-latest'
    await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, ...web, image, networkVolumes: [id] })
    expect(linked).toEqual(['/runpod-volume'])
  })

  it.each([
    [99, false],
    [100, false],
    [101, true],
  ])('are given %i in one page, with a cursor where there are more: %s', async (count, hasNextPage) => {
    const { expectCall, service } = await platformClient()
    await service.storage().write(() => {
      for (let n = 0; n < count; n += 1) {
        const id = `v${String(n).padStart(3, '0')}`
        const record = {
          id,
          name: id,
          folder: id,
          sizeGb: 10,
          dataCenter: 'x',
          type: 'STANDARD' as const,
          createdAt: n,
        }
        service.storage().platform.volumes.save(record)
      }
    })
    const { networkVolumes, pagination } = await expectCall(200, 'GET', '/v2/network-volumes')
    expect({ given: networkVolumes.length, has: pagination.hasNextPage }).toEqual({
      given: Math.min(count, 100),
      has: hasNextPage,
    })
    if (!hasNextPage) return expect(pagination.nextCursor).toBeNull()
    const next = await expectCall(200, 'GET', `/v2/network-volumes?cursor=${pagination.nextCursor}`)
    expect(next).toMatchObject({ networkVolumes: [{ id: 'v100' }], pagination: { hasNextPage: false } })
  })
})

describe('registries', () => {
  it('are our stored credentials, for whatever registry an image is from', async () => {
    const { expectCall, call, service } = await platformClient()
    const made = await expectCall(201, 'POST', '/v2/registries', CREDENTIALS)
    expect(made).toEqual({ id: 'work', name: 'work' })
    expect(await expectCall(200, 'GET', '/v2/registries/work')).toEqual(made)
    await service.post('/api/registries', { ...CREDENTIALS, name: 'home', server: 'ghcr.io' })
    const { registries } = await expectCall(200, 'GET', '/v2/registries')
    expect(registries).toEqual([{ id: 'home', name: 'home' }, made])
    expect((await service.get('/api/registries')).registries[1]).toMatchObject({ name: 'work', server: '*' })
    await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, registry: 'work' })
    expect((await service.get('/api/endpoints/echo')).container.registryAuth).toBe('work')
    expect(await call('DELETE', '/v2/registries/work')).toMatchObject({ status: 400, body: { code: 'IN_USE' } })
    expect(await expectCall(200, 'PATCH', '/v2/serverless/echo', { registry: null })).toMatchObject({ registry: null })
    await expectCall(204, 'DELETE', '/v2/registries/work')
    expect(JSON.stringify(service.log)).not.toContain(CREDENTIALS.password)
  })

  it('are given page by page', async () => {
    const { expectCall } = await platformClient()
    for (const name of ['a', 'b', 'c']) await expectCall(201, 'POST', '/v2/registries', { ...CREDENTIALS, name })
    const first = await expectCall(200, 'GET', '/v2/registries?limit=2')
    expect(first).toMatchObject({
      registries: [{ id: 'a' }, { id: 'b' }],
      pagination: { hasNextPage: true, nextCursor: 'b' },
    })
    const { registries, pagination } = await expectCall(200, 'GET', '/v2/registries?limit=2&cursor=b')
    expect({ registries, pagination }).toEqual({
      registries: [{ id: 'c', name: 'c' }],
      pagination: { hasNextPage: false, nextCursor: null },
    })
  })
})

describe('the catalog', () => {
  it('lists the families of CPUs and the data centers, all of them this machine', async () => {
    const { expectCall } = await platformClient()
    const { cpus } = await expectCall(200, 'GET', '/v2/catalog/cpus')
    expect(cpus).toContainEqual({
      id: 'cpu3g',
      name: 'General purpose',
      group: 'cpu3',
      vcpu: { min: 1, max: 8 },
      ramGbPerVcpu: 4,
      price: { securePerVcpu: 0, serverlessPerVcpu: 0 },
    })
    const query = 'include=AVAILABILITY&product=SERVERLESS&vcpuCount=8'
    const cpu = await expectCall(200, 'GET', `/v2/catalog/cpus/cpu5c?${query}`)
    expect(cpu).toMatchObject({ id: 'cpu5c', availability: 'HIGH' })
    expect(cpu.dataCenters).toContainEqual({ id: 'EU-RO-1', name: 'This machine, as EU-RO-1', availability: 'HIGH' })
    const { dataCenters } = await expectCall(200, 'GET', '/v2/catalog/datacenters?regions=EUROPE')
    expect(dataCenters.map(({ id }: { id: string }) => id)).toEqual(['EU-CZ-1', 'EU-RO-1', 'EUR-NO-1'])
    const one = await expectCall(200, 'GET', '/v2/catalog/datacenters/EU-RO-1?include=CPU_AVAILABILITY')
    expect(one).toMatchObject({ networkVolumeTypes: ['STANDARD'], cpuAvailability: expect.anything() })
    expect((await expectCall(200, 'GET', '/v2/catalog/datacenters?compliance=HIPAA')).dataCenters).toEqual([])
    await expectCall(404, 'GET', '/v2/catalog/datacenters/MOON-1')
    await expectCall(404, 'GET', '/v2/catalog/cpus/cpu9z')
  })

  it('lists no GPUs on a machine without any', async () => {
    const { expectCall } = await platformClient()
    expect(await expectCall(200, 'GET', '/v2/catalog/gpus?include=AVAILABILITY')).toEqual({ gpus: [] })
    await expectCall(404, 'GET', '/v2/catalog/gpus/NVIDIA%20L4?include=AVAILABILITY&product=POD&count=1')
  })
})
