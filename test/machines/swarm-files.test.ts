/** Files of this machine on the nodes of a swarm: large folders, releases of an app, a preview that follows. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { MANIFEST_FILE } from '../../src-main/contract/manifest.ts'
import { manifestOf } from '../support/app-folder.ts'
import { type RemoteMachine, sshOfUser } from '../support/far-machine.ts'
import { remoteSwarm } from '../support/far-swarm.ts'
import { servedService, until } from '../support/served-service.ts'
import { expectNothingIsLeft } from '../support/swarm-service.ts'

const made = await remoteSwarm()

beforeEach(({ skip }) => skip('why' in made, 'why' in made ? made.why : ''))
afterAll(() => ('why' in made ? undefined : made.stop()))

const IMAGE = 'python:3.11-slim-bookworm'
const ONE = { workersMin: 1, workersMax: 1 }
const START_MS = 300_000
const LARGE_BYTES = 30 * 2 ** 20
vi.setConfig({ testTimeout: 10 * 60_000 })

const READS = `
import hashlib, subprocess
def handler(job):
    large = hashlib.sha256(open("/app/large.bin", "rb").read()).hexdigest()
    return [large, subprocess.run(["/app/bin/tool"], capture_output=True, text=True).stdout.strip()]
`

test('code of any size and releases run on the nodes of a swarm, and a removed machine leaves nothing there', async () => {
  if ('why' in made) throw new Error(made.why)
  const swarm = made
  const [manager, ...workers] = swarm.nodes
  const user = sshOfUser([manager])
  onTestFinished(user.remove)
  const service = servedService()
  await service.start({ env: { PATH: user.searchPath, DOCKER_HOST: 'unix:///nowhere/docker.sock' } })
  await service.post('/api/machines', { name: 'lab', way: { kind: 'ssh', to: manager.name }, swarm: true })
  const reached = () => service.get('/api/machines/lab')
  await until(async () => expect(await reached()).toMatchObject({ facts: { nodes: {} } }), START_MS)

  await largeFolder()
  await releases()
  expect((await service.ask('DELETE', '/api/machines/lab')).status).toBe(200)
  await expectNothingIsLeft(swarm)
  for (const node of swarm.nodes)
    await until(async () => expect(await swarm.docker(node, 'volume', 'ls', '--quiet')).toBe(''))

  /** A folder far above what a swarm sends itself, once for each node that may run the worker. */
  async function largeFolder(): Promise<void> {
    const container = { image: IMAGE, machine: 'lab', placement: ['node.role==worker'] }
    const said = new Set<string>()
    for (const id of ['large', 'again']) {
      const folder = join(service.folder, id)
      mkdirSync(join(folder, 'bin'), { recursive: true })
      const large = join(service.folder, 'large.bin')
      if (id === 'large') writeFileSync(large, randomBytes(LARGE_BYTES))
      writeFileSync(join(folder, 'large.bin'), readFileSync(large))
      writeFileSync(join(folder, 'bin', 'tool'), '#!/bin/sh\necho runs\n', { mode: 0o755 })
      writeFileSync(join(folder, 'handler.py'), READS)
      await service.createEndpoint(id, { handler: join(folder, 'handler.py'), container, ...ONE })
      const job = await service.run(id, {})
      await until(async () => {
        const { waitingReason } = await service.get(`/api/endpoints/${id}`)
        if (waitingReason !== undefined) said.add(waitingReason.replaceAll(/\d/g, ''))
        expect((await service.get(`/v2/${id}/status/${job}`)).status).toBe('COMPLETED')
      }, START_MS)
      const { output } = await service.get(`/v2/${id}/status/${job}`)
      expect(output).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), 'runs'])
    }
    expect([...said].join()).toMatch(/(sending files to lab|copying files to (1 )?nodes? of lab)/)
    for (const node of swarm.nodes) expect(await largeContents(node)).toBe(1)
    // A worker sees its own folder and no other one.
    let seen = 0
    for (const node of workers) {
      const ids = await swarm.docker(node, 'ps', '--quiet', '--filter', 'label=svc.worker')
      for (const id of ids.split('\n').filter(Boolean)) {
        const mounts = JSON.parse(await swarm.docker(node, 'inspect', '--format', '{{json .Mounts}}', id))
        const files = mounts.filter(({ Type }: { Type: string }) => Type !== 'tmpfs')
        const places = files.map(({ Destination, RW }: { Destination: string; RW: boolean }) => [Destination, RW])
        expect(places.toSorted()).toEqual([
          ['/app', false],
          ['/opt/drydock/python', false],
        ])
        seen += 1
      }
    }
    expect(seen).toBeGreaterThan(0)
  }

  async function largeContents(node: RemoteMachine): Promise<number> {
    const volume = (await swarm.docker(node, 'volume', 'ls', '--quiet', '--filter', 'name=-files')).trim()
    const place = await swarm.docker(node, 'volume', 'inspect', '--format', '{{.Mountpoint}}', volume)
    const found = await node.run('find', `${place}/blobs`, '-type', 'f', '-size', '+1000k')
    return found.split('\n').filter(Boolean).length
  }

  /** A release, the next one and a rollback to the first, each with its own code. */
  async function releases(): Promise<void> {
    await service.post('/api/apps/shop/environments', { name: 'there' })
    const path = '/api/apps/shop/environments/there/releases'
    for (const [source, says] of [
      [{ folder: build('one') }, 'one'],
      [{ folder: build('two') }, 'two'],
      [{ release: 1 }, 'one'],
    ] as const) {
      const { release } = await service.post(path, { source, runsOn: 'containers', machine: 'lab' })
      let endpoint = ''
      await until(async () => {
        const now = await service.get(`${path}/${release.number}`)
        expect(now).toMatchObject({ release: { state: 'active' } })
        endpoint = now.endpoints[0].id
      }, START_MS)
      expect(await service.post(`/v2/${endpoint}/runsync`, { input: {} })).toMatchObject({ output: says })
    }
    const { workers: running } = await service.get('/api/workers')
    expect(running).toMatchObject(running.map(() => ({ machine: 'lab' })))
  }

  function build(says: string): string {
    const folder = join(service.folder, 'builds', says)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'handler_work.py'), `def handler(job):\n    return '${says}'\n`)
    const work = { ...ONE, handlerFile: 'handler_work.py', instanceIds: ['cpu3c-1-2'] }
    writeFileSync(join(folder, MANIFEST_FILE), JSON.stringify(manifestOf({ work }, says === 'one' ? '1' : '2')))
    return folder
  }
})
