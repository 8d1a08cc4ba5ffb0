import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { startedWithCommands } from './support-commands.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const MIB = 1024 ** 2

// Reports its user, model, capabilities and writable folders.
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

test('a handler runs in the worker image, as the user of the service, with the resources that the options set', async () => {
  const { folder, drydock, docker, read } = await startedWithCommands(engine)
  for (const name of ['models', 'out']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'models/name'), 'small')
  mkdirSync(join(folder, 'code'), { mode: 0o700 })
  writeFileSync(join(folder, 'code/handler.py'), HANDLER, { mode: 0o600 })

  const { stdout: created } = await drydock([
    ...['endpoint', 'create', 'boxed', '--handler', 'code/handler.py', '--container', '--env', 'NOTE=two\nlines'],
    ...['--volume', './models:/models:ro', '--volume', './out:/out', '--memory', '256m', '--cpu', 'cpu3c-1-2'],
    ...['--shm', '8m', '--disk', '1g', '--publish', '8080', '--prepared', '0', '--idle-timeout', '600'],
  ])
  expect(created).toMatch(/^run in containers +on$/m)
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
  // If this engine cannot limit disks, the log says so once.
  const said = read('data/drydock.log')
    .split('\n')
    .filter((line) => line.includes('cannot limit the disk'))
  expect(said.length).toBe(HostConfig.StorageOpt === undefined || HostConfig.StorageOpt === null ? 1 : 0)
})
