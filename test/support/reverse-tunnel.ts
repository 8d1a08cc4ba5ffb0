/**
 * The reverse tunnel of another machine, on this one: a service in this process, a folder with a socket that leads to
 * its listener for machines as a connection by SSH makes it, and the shared test engine in place of one elsewhere.
 */
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Docker from 'dockerode'
import { onTestFinished } from 'vitest'
import type { Connected } from '../../src-main/runtimes/docker/engine.ts'
import { createWorkerNetworks, type WorkerNetwork } from '../../src-main/runtimes/docker/networks.ts'
import type { WorkerSpec } from '../../src-main/runtimes/port.ts'
import { createRelay, type Relay } from '../../src-main/runtimes/remote/relay.ts'
import { silent } from '../conformance/process-place.ts'
import { SERVICE_ID, setup, type TestService } from './core.ts'

/** Image with nothing but Python. Source: test/support/docker-engine. */
const PYTHON_IMAGE = 'python:3.11-slim-bookworm'
const PYTHON_PATH = fileURLToPath(new URL('../../resources/python', import.meta.url))
const WORKER_URL = 'http://127.0.0.1:8791'
const SOCKET = 'service.sock'
// Nobody of this machine, as whoever logs in to another one.
const USER = 65_532

const HANDLER = 'def handler(job):\n    return {"doubled": job["input"]["n"] * 2}\n'

/** The service and its reverse tunnel. */
export type TunnelTest = {
  readonly service: TestService
  readonly docker: Docker
  readonly connected: Connected
  /** A relay as a run of the service makes it. */
  readonly relay: (lostMs?: number) => Relay
  /** The network of workers with a tunnel by this relay. */
  readonly network: (relay: Relay, egress?: boolean) => Promise<WorkerNetwork>
  /** Cuts the way, and all that goes over it. */
  readonly cut: () => Promise<void>
  readonly mend: () => Promise<void>
  /** How many connections came over it. */
  readonly comings: () => number
  /** Starts a worker of the service's in a container of a network; it runs a handler that doubles `n`. */
  readonly startWorker: (spec: WorkerSpec, network: WorkerNetwork) => Promise<Docker.Container>
  /** Runs a program of Python in a container of a network, and gives what it prints. */
  readonly python: (network: string, program: string) => Promise<string>
}

/** Makes it; all of it ends with the test. */
export async function tunnelTest(dockerHost: string): Promise<TunnelTest> {
  const engineSocket = dockerHost.slice('unix://'.length)
  const docker = new Docker({ socketPath: engineSocket })
  const folder = mkdtempSync(join(tmpdir(), 'drydock-way-'))
  const way = mkdtempSync(join(tmpdir(), 'drydock-way-'))
  writeFileSync(join(folder, 'handler.py'), HANDLER)
  chmodSync(folder, 0o755)
  chownSync(way, USER, USER)
  const connected = {
    docker,
    facts: { version: '', source: '', inVirtualMachine: false, rootless: false, cpus: 1, memoryBytes: 0, info: {} },
  }
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let comings = 0

  onTestFinished(async () => {
    const filters = { label: [`svc.service=${SERVICE_ID}`] }
    const left = await docker.listContainers({ all: true, filters })
    await Promise.all(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })))
    for (const { Id } of await docker.listNetworks({ filters })) await docker.getNetwork(Id).remove()
    await cut()
    for (const one of [folder, way]) rmSync(one, { recursive: true, force: true })
  })
  const service = await setup()
  const target = new URL(await service.listen('machines'))

  async function mend(): Promise<void> {
    const made = createServer((there) => {
      comings += 1
      const here = connect(Number(target.port), target.hostname)
      for (const [one, other] of [
        [there, here],
        [here, there],
      ] as const) {
        sockets.add(one)
        one.on('error', () => other.destroy())
        one.on('close', () => sockets.delete(one))
        one.pipe(other)
      }
    })
    rmSync(join(way, SOCKET), { force: true })
    made.listen(join(way, SOCKET))
    await once(made, 'listening')
    chownSync(join(way, SOCKET), USER, USER)
    server = made
  }

  async function cut(): Promise<void> {
    server?.close()
    for (const socket of sockets) socket.destroy()
    if (server?.listening === true) await once(server, 'close')
  }

  const relay = (lostMs = 60_000): Relay =>
    createRelay({
      serviceId: SERVICE_ID,
      log: silent,
      pythonPath: PYTHON_PATH,
      image: async () => PYTHON_IMAGE,
      way: async () => ({
        to: { folder: way, socket: SOCKET },
        user: `${USER}:${USER}`,
        groups: [String(statSync(engineSocket).gid)],
        engineSocket,
      }),
      lostMs,
      answerTo: service.answerTo,
    })

  async function startWorker(spec: WorkerSpec, { name, reach }: WorkerNetwork): Promise<Docker.Container> {
    const env = Object.entries(spec.env).map(([key, value]) => `${key}=${value.replace(WORKER_URL, reach.workerUrl)}`)
    const container = await docker.createContainer({
      Image: PYTHON_IMAGE,
      Cmd: ['python3', '-m', 'svc_worker', '/app/handler.py'],
      Env: [...env, 'PYTHONPATH=/runtime'],
      Labels: { 'svc.service': SERVICE_ID, 'svc.worker': spec.workerId },
      HostConfig: { NetworkMode: name, Binds: [`${folder}:/app:ro`, `${PYTHON_PATH}:/runtime:ro`], Init: true },
    })
    await container.start()
    return container
  }

  async function python(network: string, program: string): Promise<string> {
    const container = await docker.createContainer({
      Image: PYTHON_IMAGE,
      Cmd: ['python3', '-c', program],
      Labels: { 'svc.service': SERVICE_ID },
      HostConfig: { NetworkMode: network },
      Tty: true, // one stream, without frames
    })
    await container.start()
    await container.wait()
    const output = (await container.logs({ stdout: true, stderr: true })).toString().trim()
    await container.remove({ force: true })
    return output
  }

  await mend()
  return {
    service,
    docker,
    connected,
    relay,
    network: (one, egress = true) =>
      createWorkerNetworks({
        serviceId: SERVICE_ID,
        labels: { 'svc.service': SERVICE_ID },
        open: one.open,
      }).get(connected, egress),
    cut,
    mend,
    comings: () => comings,
    startWorker,
    python,
  }
}
