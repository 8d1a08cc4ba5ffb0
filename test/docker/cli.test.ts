/** Commands for images, volumes and registries, as a user types them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { startRegistry } from '../support/fake-registry.ts'
import { until } from '../support/served-service.ts'
import { startedWithCommands } from './support-commands.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

test('an image runs as it says, and strictly nothing else', async () => {
  const { folder, drydock, docker, containers } = await startedWithCommands(engine)
  mkdirSync(join(folder, 'code')) // for nobody to read
  writeFileSync(
    join(folder, 'code/say.sh'),
    'id -u; touch /x || echo read-only; touch /tmp/x && echo tmp; sleep 1000\n',
  )
  await drydock([
    ...['endpoint', 'create', 'image', '--image', 'busybox', '--entrypoint', 'sh', '--args', '/code/say.sh'],
    ...['--volume', './code:/code:ro', '--profile', 'strict', '--no-egress', '--workers', '1,1'],
  ])
  await until(async () => {
    const { stdout } = await drydock(['logs', 'image'])
    expect(stdout.split('\n').map((line) => line.replace(/^.* /, ''))).toEqual(
      expect.arrayContaining(['65534', 'read-only', 'tmp']),
    )
  })
  const [container = ''] = await containers('svc.endpoint=image')
  expect(JSON.parse(await docker('inspect', container))[0].HostConfig.NetworkMode).toMatch(/-closed$/)
})

test('an image of a private registry comes with stored credentials, and workers tell how far it is', async () => {
  const { drydock, docker } = await startedWithCommands(engine)
  const access = { kind: 'token', username: 'ada', password: 'enchantress' } as const
  const registry = await startRegistry({ access, layerBytes: 2_000_000 })
  onTestFinished(async () => void (await docker('image', 'rm', '--force', registry.image)))
  const add = ['registry', 'add', 'work', '--server', registry.host, '--username', 'ada']
  expect((await drydock(add, 'enchantress\n')).stdout).toBe(`credentials work for ${registry.host} stored\n`)
  expect((await drydock(['registry', 'list'])).stdout).not.toContain('enchantress')

  registry.hold()
  await drydock([
    ...['endpoint', 'create', 'private', '--image', registry.image, '--entrypoint', '/content'],
    ...['--registry-auth', 'work', '--workers', '1,1'],
  ])
  await until(async () =>
    expect((await drydock(['workers'])).stdout).toMatch(
      /initializing .* pulling 127\.0\.0\.1:.*: \d+ %, \d\.\d of 2\.0 MB/,
    ),
  )
  registry.release()
  await until(async () => expect(await docker('images', '--quiet', registry.image)).not.toBe(''))
})

test('a job says why its image is not there', async () => {
  const { drydock, run, get } = await startedWithCommands(engine)
  await drydock(['endpoint', 'create', 'none', '--image', '127.0.0.1:1/none', '--pull', 'never'])
  const job = await run('none', {})
  await until(async () =>
    expect((await get(`/api/jobs/${job}`)).waitingReason).toContain(
      'the image 127.0.0.1:1/none is missing and the endpoint never pulls',
    ),
  )
})

test('a volume that would give the engine is refused with the reason, in any spelling', async () => {
  const { drydock, run, get } = await startedWithCommands(engine)
  await drydock(['endpoint', 'create', 'socket', '--image', 'busybox', '--volume', '/var/run/../run/docker.sock:/s'])
  const job = await run('socket', {})
  await until(async () =>
    expect((await get(`/api/jobs/${job}`)).waitingReason).toContain(
      'would give the container control of the Docker engine',
    ),
  )
})
