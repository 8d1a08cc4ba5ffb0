/** Containers by the command line, as a user makes them: a handler in the worker image, images, volumes, registries. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type ContainerService, startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { startRegistry } from '../support/fake-registry.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const LAUNCHER = fileURLToPath(new URL('../../src-main/cli/drydock.mjs', import.meta.url))
const MIB = 1024 ** 2

// Says who and where it is, and what it may.
const HANDLER = `
import os, pathlib

def handler(job):
    writable = [path for path in ('/app', '/models', '/out') if os.access(path, os.W_OK)]
    pathlib.Path('/out/result').write_text('done')
    return {
        'uid': os.getuid(),
        'model': pathlib.Path('/models/name').read_text(),
        'writable': writable,
        'capabilities': pathlib.Path('/proc/self/status').read_text().split('CapEff:')[1].split()[0],
        'note': os.environ['NOTE'],
    }
`

/** The command line on the data folder of a service; for people, not for scripts. */
function commandLine({ data, folder }: ContainerService) {
  return (argv: readonly string[], input = ''): Promise<{ readonly stdout: string; readonly stderr: string }> =>
    new Promise((resolve, reject) => {
      const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1' } }
      const child = execFile(process.execPath, [LAUNCHER, ...argv, '--data', data], options, (error, stdout, stderr) =>
        error === null ? resolve({ stdout, stderr }) : reject(new Error(`${error.message}\n${stderr}`)),
      )
      child.stdin?.end(input)
    })
}

async function setup() {
  const service = await startedContainerService(engine)
  return { ...service, drydock: commandLine(service) }
}

test('a handler runs in the worker image, as the user of the service, with what the options give it', async () => {
  const { folder, drydock, docker, read } = await setup()
  for (const name of ['models', 'out']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'models/name'), 'small')
  mkdirSync(join(folder, 'code'), { mode: 0o700 })
  writeFileSync(join(folder, 'code/handler.py'), HANDLER, { mode: 0o600 })

  const { stdout: created } = await drydock([
    ...['endpoint', 'create', 'boxed', '--handler', 'code/handler.py', '--container', '--env', 'NOTE=two\nlines'],
    ...['--volume', './models:/models:ro', '--volume', './out:/out', '--memory', '256m', '--cpu', 'cpu3c-1-2'],
    ...['--shm', '8m', '--disk', '1g', '--publish', '8080', '--prepared', '0', '--idle-timeout', '600'],
  ])
  expect(created).toMatch(/^container +our worker image$/m)
  expect(created).toContain(`${join(folder, 'models')}:/models:ro`)

  const { stdout: answer } = await drydock(['runsync', 'boxed', '{}', '--json'])
  expect(JSON.parse(answer)).toMatchObject({
    status: 'COMPLETED',
    output: {
      uid: process.getuid?.(),
      model: 'small',
      writable: ['/out'],
      capabilities: '0000000000000000',
      note: 'two\nlines',
    },
  })
  expect(read('out/result')).toBe('done')

  const { stdout: workers } = await drydock(['workers'])
  const [, container = ''] = /idle .* ([0-9a-f]{12})$/m.exec(workers) ?? []
  const [{ Config, HostConfig, NetworkSettings }] = JSON.parse(await docker('inspect', container))
  expect(Config.Image).toMatch(/^drydock-worker:\d.*-[0-9a-f]{12}$/)
  expect(HostConfig).toMatchObject({ Memory: 256 * MIB, MemorySwap: 256 * MIB, NanoCpus: 1e9, ShmSize: 8 * MIB })
  expect(NetworkSettings.Ports['8080/tcp']).toEqual([{ HostIp: '127.0.0.1', HostPort: expect.stringMatching(/^\d+$/) }])
  // This engine may have no limit for disks; then it is said once.
  const said = read('data/drydock.log')
    .split('\n')
    .filter((line) => line.includes('cannot limit the disk'))
  expect(said.length).toBe(HostConfig.StorageOpt === undefined || HostConfig.StorageOpt === null ? 1 : 0)
})

test('an image runs as it says, and strictly nothing else', async () => {
  const { folder, drydock, docker, containers } = await setup()
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
  const { drydock, docker } = await setup()
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
  const { drydock, run, get } = await setup()
  await drydock(['endpoint', 'create', 'none', '--image', '127.0.0.1:1/none', '--pull', 'never'])
  const job = await run('none', {})
  await until(async () =>
    expect((await get(`/api/jobs/${job}`)).waitingReason).toContain(
      'the image 127.0.0.1:1/none is not on this machine and the endpoint never pulls',
    ),
  )
})

test('a volume that would give the engine is refused with the reason, in any spelling', async () => {
  const { drydock, run, get } = await setup()
  await drydock(['endpoint', 'create', 'socket', '--image', 'busybox', '--volume', '/var/run/../run/docker.sock:/s'])
  const job = await run('socket', {})
  await until(async () =>
    expect((await get(`/api/jobs/${job}`)).waitingReason).toContain(
      'would give the container control of the Docker engine',
    ),
  )
})
