/** Files on the nodes of a swarm whose engines are folders of this machine: the stores are the real programs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex, type PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { systemTime } from '../../src-main/http/server/system-ports.ts'
import type { Engine } from '../../src-main/runtimes/docker/engine.ts'
import { ConnectionBroken, Refused } from '../../src-main/runtimes/remote/conversation.ts'
import { createNodeFiles } from '../../src-main/runtimes/swarm/node-files.ts'
import type { SwarmNode } from '../../src-main/runtimes/swarm/swarm-nodes.ts'
import { watching } from '../support/far-files-place.ts'

const PYTHON = fileURLToPath(new URL('../../resources/python', import.meta.url))
const clock = { now: systemTime.wall, steady: systemTime.monotonic, after: systemTime.after }

function svcFiles(...argv: readonly string[]): ChildProcess {
  const child = spawn('python3', ['-m', 'svc_files', ...argv], { env: { ...process.env, PYTHONPATH: PYTHON } })
  onTestFinished(() => void child.kill())
  return child
}

/** Docker with one volume and one container, as far as files need it. */
function engineAt(volume: string): Engine {
  const container = {
    inspect: async () => Promise.reject(Object.assign(new Error('no such container'), { statusCode: 404 })),
    putArchive: async () => undefined,
    start: async () => undefined,
    remove: async () => undefined,
    exec: async ({ Cmd }: { readonly Cmd: readonly string[] }) => ({
      async start() {
        const { stdin, stdout } = svcFiles(...Cmd.slice(3).map((word) => (word === '/files' ? volume : word)))
        return Duplex.from({ writable: stdin ?? undefined, readable: stdout ?? undefined })
      },
    }),
  }
  const docker = {
    createVolume: async () => mkdirSync(volume, { recursive: true }),
    getVolume: () => ({
      inspect: async () => ({ Mountpoint: volume }),
      remove: async () => rmSync(volume, { recursive: true, force: true }),
    }),
    getContainer: () => container,
    createContainer: async () => container,
    listContainers: async () => [],
    modem: { demuxStream: (mixed: Duplex, output: PassThrough) => void mixed.pipe(output) },
  }
  const connected = { docker, facts: { info: { Swarm: { NodeID: 'manager' } } } }
  const engine = { connect: async () => connected, problem: () => undefined, wasConnected: () => true }
  return engine as unknown as Engine
}

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-nodes-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // The same path on each node, so that here each has its own root.
  const volumes = new Map(['manager', 'one', 'two'].map((id) => [id, join(folder, id)]))
  const nodes = [...volumes].map(([id, volume]) => {
    const role = id === 'manager' ? 'manager' : 'worker'
    const node = { id, name: id, role, state: 'ready', agent: id, engine: engineAt(volume), labels: {}, cards: [] }
    return node as unknown as SwarmNode
  })
  const copied: string[] = []
  const failures: Error[] = []
  const files = createNodeFiles({
    ...{ serviceId: 'x', machine: 'lab', pythonPath: PYTHON, image: async () => 'python', clock },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    engine: nodes[0]?.engine as Engine,
    nodes: { all: () => nodes, get: (id) => nodes.find((node) => node.id === id) },
    hub: {
      async copyTree({ tree, from, to }, onProgress) {
        copied.push(`${from} ${to}`)
        const failure = failures.shift()
        if (failure !== undefined) throw failure
        onProgress(1, 2)
        const [give, receive] = [
          svcFiles('give', volumes.get(from) ?? '', tree),
          svcFiles('receive', volumes.get(to) ?? ''),
        ]
        if (give.stdin && give.stdout && receive.stdin && receive.stdout) {
          give.stdout.pipe(receive.stdin)
          receive.stdout.pipe(give.stdin)
        }
        await new Promise((done) => give.once('close', done))
      },
    },
  })
  const code = join(folder, 'code')
  mkdirSync(code)
  writeFileSync(join(code, 'handler.py'), 'pass\n')
  const there = (id: string) => {
    const trees = join(volumes.get(id) ?? '', 'trees')
    return existsSync(trees) ? readdirSync(trees).filter((name) => /^[0-9a-f]{64}$/.test(name)) : []
  }
  return { files, copied, failures, there, folder: { path: code, kind: 'project', owner: 'e' } as const }
}

test('a folder goes from the manager to the nodes that may run the worker, once', async () => {
  const { files, copied, there, folder } = setup()
  const watch = watching()
  const { send } = files.forWorker(({ id }) => id === 'one')
  const { tree, source } = await send(folder, watch)
  expect([there('manager'), there('one'), there('two')]).toEqual([[tree], [tree], []])
  expect(source).toMatch(new RegExp(`/one/trees/${tree}$`))
  await files.forWorker(({ id }) => id === 'one').send(folder, watch)
  expect(copied).toEqual(['manager one'])
  expect(watch.reports.at(-1)).toBe('copying files to 1 node of lab: 50 %, 1 B of 2 B')
  files.forget()
  await send(folder, watch)
  expect(copied).toHaveLength(2)
  await files.removeAll(watch)
  expect([there('manager'), there('one')]).toEqual([[], []])
})

test('a break is gone on from, and a node that cannot get it gets no worker', async () => {
  const { files, copied, failures, folder } = setup()
  failures.push(new ConnectionBroken('the connection between the nodes broke'))
  const { send } = files.forWorker(({ id }) => id === 'two')
  await send(folder, watching())
  expect(copied).toEqual(['manager two', 'manager two'])
  failures.push(new Refused({ failed: 'full', freeBytes: 10, wantedBytes: 20 }))
  const full = files.forWorker(({ id }) => id !== 'manager')
  await full.send(folder, watching())
  expect([...full.lacking()]).toEqual([
    ['one', expect.stringContaining('could not be sent to node one: its disk is full')],
  ])
})

test('reports the reason of each node if none can get it', async () => {
  const { files, failures, folder } = setup()
  failures.push(new Refused({ failed: 'full', freeBytes: 10 }))
  const { send } = files.forWorker(({ id }) => id === 'one')
  await expect(send(folder, watching())).rejects.toThrow('could not be sent to node one: its disk is full')
})
