/** Our containers rely on these features of the engine: when one of these fails, the engine is to blame. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const PYTHON = 'python:3.11-slim-bookworm'
const LOOPBACK = '127.0.0.1'

// Says what the address and port in its arguments send, or why they do not.
const CONNECT = `
import socket, sys
try:
    print(socket.create_connection((sys.argv[1], int(sys.argv[2])), 20).recv(9).decode())
except OSError as error:
    print(type(error).__name__)
`

const execute = promisify(execFile)
const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

/** The docker command; what is made with the label of a test vanishes with the test. */
function setup() {
  const label = `drydock-test=${randomUUID()}`
  const env = { ...process.env, DOCKER_HOST: 'why' in engine ? '' : engine.dockerHost }

  async function docker(...argv: readonly string[]): Promise<string> {
    const { stdout } = await execute('docker', argv, { env })
    return stdout.trim()
  }
  const list = async (...argv: readonly string[]) =>
    (await docker(...argv, '--quiet', '--filter', `label=${label}`)).split('\n').filter(Boolean)

  onTestFinished(async () => {
    for (const id of await list('ps', '--all')) await docker('rm', '--force', id)
    for (const id of await list('network', 'ls')) await docker('network', 'rm', id)
  })

  return {
    docker,
    run: (...argv: readonly string[]) => docker('run', '--label', label, ...argv),
    state: async (id: string) => JSON.parse(await docker('inspect', '--format', '{{json .State}}', id)),
    createNetwork: (...argv: readonly string[]) => docker('network', 'create', '--label', label, ...argv, randomUUID()),
  }
}

/** Listens and greets whoever comes. Gives its port, or undefined where this machine does not have the address. */
async function greeter(address: string): Promise<number | undefined> {
  const server = createServer((socket) => socket.end('hello'))
  try {
    await once(server.listen(0, address), 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return undefined
    throw error
  }
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('the engine', () => {
  test('answers with its version', async () => {
    expect(await setup().docker('version', '--format', '{{.Server.Version}}')).toMatch(/^\d+\.\d+/)
  })

  test.each([
    [PYTHON, ['python3', '-c', 'import asyncio, json, sqlite3, ssl; print(1)']],
    [PYTHON, ['python', '-c', 'print(1)']],
    [PYTHON, ['sh', '-c', 'echo $((2 - 1))']],
    ['busybox:latest', ['expr', '2', '-', '1']],
  ])('runs %s with %j', async (image, command) => {
    expect(await setup().run(image, ...command)).toBe('1')
  })

  test('ends a program that knows no signals with SIGTERM, when it is started with --init', async () => {
    const { docker, run, state } = setup()
    const id = await run('--detach', '--init', 'busybox', 'sleep', '600')
    // Before it hands signals on, the first process of a container hears none.
    await until(async () => expect(await docker('top', id, '-eo', 'pid,args')).toMatch(/^ *\d+ +sleep 600$/m))
    await docker('stop', id)
    expect(await state(id)).toMatchObject({ Status: 'exited', ExitCode: 128 + 15 })
  })

  test('kills a program that takes more memory than its limit and reports it', async () => {
    const { docker, run, state } = setup()
    const limits = ['--memory', '64m', '--memory-swap', '64m']
    const id = await run('--detach', ...limits, PYTHON, 'python3', '-c', 'b"x" * (500 * 2**20)')
    await docker('wait', id)
    // The engine may hear why it was killed after it has heard of its end.
    await until(async () => expect(await state(id)).toMatchObject({ OOMKilled: true, ExitCode: 128 + 9 }))
  })

  test('pauses a container and lets it go on', async () => {
    const { docker, run, state } = setup()
    const id = await run('--detach', '--init', 'busybox', 'sh', '-c', 'while sleep 0.02; do echo tick; done')
    await docker('pause', id)
    expect(await state(id)).toMatchObject({ Status: 'paused' })
    const before = await docker('logs', id)
    await docker('unpause', id)
    await until(async () => expect((await docker('logs', id)).length).toBeGreaterThan(before.length))
  })

  test.for([
    { network: 'bridge', options: [] },
    { network: 'internal', options: ['--internal'] },
  ])(
    'lets a container of a network of kind $network reach its gateway, and not the loopback of this machine',
    async ({ options }, { skip }) => {
      const { docker, run, createNetwork } = setup()
      const network = await createNetwork(...options)
      const gateway = await docker('inspect', '--format', '{{(index .IPAM.Config 0).Gateway}}', network)
      const atGateway = await greeter(gateway)
      if (atGateway === undefined) return skip(true, 'the engine runs on another machine, or in a virtual one')
      const atLoopback = await greeter(LOOPBACK)
      const connect = (address: string, port = 0) =>
        run('--network', network, PYTHON, 'python3', '-c', CONNECT, address, String(port))
      expect(await connect(gateway, atGateway)).toBe('hello')
      expect(await connect(gateway, atLoopback)).toBe('ConnectionRefusedError')
      expect(await connect(LOOPBACK, atLoopback)).toBe('ConnectionRefusedError')
    },
  )
})
