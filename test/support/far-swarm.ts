/** A swarm for tests: a manager and two workers, each another machine with a Docker engine of its own. */
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { type RemoteMachine, remoteMachine } from './far-machine.ts'

/** The swarm. The manager is the first of its nodes. */
export type RemoteSwarm = {
  readonly nodes: readonly [RemoteMachine, RemoteMachine, RemoteMachine]
  readonly node: (name: string) => RemoteMachine
  /** Runs the docker command on the engine of a node and gives its output. */
  readonly docker: (node: RemoteMachine, ...argv: readonly string[]) => Promise<string>
  readonly dockerNow: (node: RemoteMachine, ...argv: readonly string[]) => string
  readonly stop: () => Promise<void>
}

const execute = promisify(execFile)

/** Makes it, or says why there can be none here; to be stopped at the end of the test file. */
export async function remoteSwarm(): Promise<RemoteSwarm | { readonly why: string }> {
  const made: RemoteMachine[] = []
  const stop = async () => void (await Promise.all(made.map((machine) => machine.stop())))
  const docker = async ({ dockerHost }: RemoteMachine, ...argv: readonly string[]) =>
    (await execute('docker', ['-H', dockerHost, ...argv])).stdout.trim()
  for (let number = 0; number < 3; number++) {
    const machine = await remoteMachine(made[0]?.name)
    if ('why' in machine) {
      await stop()
      return machine
    }
    made.push(machine)
  }
  const [manager, second, third] = made
  if (manager === undefined || second === undefined || third === undefined)
    throw new Error('there are no three machines')
  try {
    await docker(manager, 'swarm', 'init', '--advertise-addr', manager.address)
    const token = await docker(manager, 'swarm', 'join-token', '--quiet', 'worker')
    for (const node of [second, third]) await docker(node, 'swarm', 'join', '--token', token, `${manager.address}:2377`)
  } catch (error) {
    await stop()
    return { why: `engines of this machine form no swarm: ${(error as Error).message.trim().split('\n').at(-1)}` }
  }
  const nodes = [manager, second, third] as const
  return {
    nodes,
    node(name) {
      const found = nodes.find((one) => one.name === name)
      if (found === undefined) throw new Error(`there is no node ${name}`)
      return found
    },
    docker,
    dockerNow: ({ dockerHost }, ...argv) =>
      execFileSync('docker', ['-H', dockerHost, ...argv], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim(),
    stop,
  }
}
