/** The relay and the watchdog of another machine, in containers of the shared engine, before a real service. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { beforeEach, expect, test } from 'vitest'
import { relayPorts } from '../../src-main/runtimes/remote/relay-containers.ts'
import { SERVICE_ID } from '../support/core.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { type TunnelTest, tunnelTest } from '../support/reverse-tunnel.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const begin = () => tunnelTest('dockerHost' in engine ? engine.dockerHost : '')

/** The containers of the tunnel, by their part. */
async function parts({ docker }: TunnelTest) {
  const filters = { label: [`svc.service=${SERVICE_ID}`, 'svc.part'] }
  const found = await docker.listContainers({ all: true, filters })
  return new Map(found.map((one) => [one.Labels['svc.part'] ?? '', one]))
}

/** A worker of an endpoint, in a container of the network. */
async function workerOn(way: TunnelTest, network: Awaited<ReturnType<TunnelTest['network']>>) {
  await way.service.createEndpoint()
  const { spec } = await way.service.worker()
  return way.startWorker(spec, network)
}

/** Sends a job and expects that the worker there answers it. */
async function expectAnswer({ service }: TunnelTest) {
  const id = await service.run({ n: 21 })
  await until(async () =>
    expect(await service.status(id)).toMatchObject({ status: 'COMPLETED', output: { doubled: 42 } }),
  )
}

const state = async (container: { inspect: TunnelTest['docker']['info'] }) => (await container.inspect()).State

test('a worker on the network takes a job through the relay and answers it, on a closed network too', async () => {
  const way = await begin()
  const relay = way.relay()
  await workerOn(way, await way.network(relay))
  await expectAnswer(way)
  const closed = await way.network(relay, false)
  expect(await way.python(closed.name, status(`${closed.reach.workerUrl}/reverse-tunnel/${SERVICE_ID}`))).toBe('204')
})

const status = (url: string, key = '') => `
import urllib.request, urllib.error
request = urllib.request.Request(${JSON.stringify(url)}, headers={"Authorization": "Bearer ${key}"})
try:
    print(urllib.request.urlopen(request, timeout=10).status)
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except OSError as error:
    print(type(error).__name__)
`

test('nothing else of the service answers there, and to another network nothing at all', async () => {
  const way = await begin()
  const { name, reach } = await way.network(way.relay())
  await way.service.createEndpoint()
  const asked = ['/', '/api/endpoints', '/v2/e/health', '/lb/e/x', '/events', '/graphql', '/openapi.json', '/simple/']
  const programs = asked.map((path) => status(`${reach.workerUrl}${path}`, way.service.accountKey())).join('\n')
  expect((await way.python(name, programs)).split(/\r?\n/).map((line) => line.trim())).toEqual(asked.map(() => '404'))
  // The bridge of all other containers, which can send to every address of the machine.
  expect(await way.python('bridge', status(`${reach.workerUrl}/reverse-tunnel/${SERVICE_ID}`))).toMatch(
    /Connection|URLError/,
  )
})

test('both containers have no rights, one mount each that they need, and no secret', async () => {
  const way = await begin()
  await way.network(way.relay())
  const found = await parts(way)
  expect([...found.keys()].sort()).toEqual(['relay', 'watchdog'])
  const token = (await way.service.ask('POST', '/api/keys', { body: { name: 'x', role: 'admin' } })).body.key
  for (const { Id } of found.values()) {
    const seen = await way.docker.getContainer(Id).inspect()
    expect(seen.Config.User).toBe('65532:65532')
    expect(seen.HostConfig).toMatchObject({
      CapDrop: ['ALL'],
      ReadonlyRootfs: true,
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
    })
    for (const secret of [way.service.accountKey(), token, 'dk_']) expect(JSON.stringify(seen)).not.toContain(secret)
  }
  const mountsOf = async (part: string) =>
    (await way.docker.getContainer(found.get(part)?.Id ?? '').inspect()).Mounts.map(({ Destination, RW }) =>
      [Destination, RW].join(' '),
    ).sort()
  expect(await mountsOf('relay')).toEqual(['/opt/drydock/python true', '/reverse-tunnel false'])
  expect(await mountsOf('watchdog')).toEqual([
    '/engine.sock false',
    '/opt/drydock/python true',
    '/reverse-tunnel false',
  ])
  expect(found.get('watchdog')?.HostConfig.NetworkMode).toBe('none')
})

test('workers end with the reason when the tunnel is down for long, and a service that is back starts everything again', async () => {
  const way = await begin()
  const before = await way.network(way.relay(2000))
  const worker = await workerOn(way, before)
  await expectAnswer(way)
  await way.cut()
  await until(async () => expect(await state(worker)).toMatchObject({ Running: false }))
  const next = way.relay(2000)
  expect(await next.whyEnded(worker.id, way.docker)).toBe('its tunnel to the service was down for 2 s')
  expect(await next.whyEnded('another', way.docker)).toBe(undefined)
  await until(async () => {
    for (const part of (await parts(way)).values()) expect(part.State).toBe('exited')
  })
  await way.mend()
  expect((await way.network(next)).reach).toEqual(before.reach)
  for (const part of (await parts(way)).values()) expect(part.State).toBe('running')
  expect(await next.whyEnded(worker.id, way.docker)).toBe('its tunnel to the service was down for 2 s')
})

test('a tunnel that comes back in time ends nothing, and workers go on with it', async () => {
  const way = await begin()
  const worker = await workerOn(way, await way.network(way.relay(8000)))
  await expectAnswer(way)
  await way.cut()
  await until(async () => expect(await lastWords(way, worker.id)).toContain('service is away'))
  await way.mend()
  const since = way.comings()
  await until(() => expect(way.comings()).toBeGreaterThan(since + 3))
  await expectAnswer(way)
  expect(await state(worker)).toMatchObject({ Running: true })
})

async function lastWords({ docker }: TunnelTest, id: string): Promise<string> {
  return (await docker.getContainer(id).logs({ stdout: true, stderr: true })).toString()
}

test('a later run of the service finds both as they are, and replaces what another version made, at the same port', async () => {
  const way = await begin()
  const { reach } = await way.network(way.relay())
  const ids = async () => [...(await parts(way)).values()].map(({ Id }) => Id).sort()
  const made = await ids()
  expect((await way.network(way.relay())).reach).toEqual(reach)
  expect(await ids()).toEqual(made)
  expect((await way.network(way.relay(30_000))).reach).toEqual(reach)
  const relayId = (await parts(way)).get('relay')?.Id ?? ''
  expect(made).toContain(relayId)
  expect(await ids()).not.toEqual(made)
  await way.docker.getContainer(relayId).kill()
  expect((await way.network(way.relay(30_000))).reach).toEqual(reach)
  expect((await parts(way)).get('relay')).toMatchObject({ State: 'running' })
})

test('a port that another program has is left to it', async () => {
  const way = await begin()
  const network = await way.network({ ...way.relay(), open: async () => ({ port: 1 }) })
  const gateway = new URL(network.reach.workerUrl).hostname
  const [first = 0, second] = relayPorts(SERVICE_ID, { name: network.name, gateway, subnet: undefined }, 2)
  const other = createServer().listen(first, gateway)
  await once(other, 'listening')
  const relay = way.relay()
  expect((await way.network(relay)).reach.workerUrl).toBe(`http://${gateway}:${second}`)
  other.close()
  // It stays where workers know it.
  expect((await way.network(way.relay(30_000))).reach.workerUrl).toBe(`http://${gateway}:${second}`)
  await relay.remove(way.docker)
  expect(await parts(way)).toEqual(new Map())
})
