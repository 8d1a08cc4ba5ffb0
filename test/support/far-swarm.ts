/** A swarm for tests: a manager and two workers, each another machine with a Docker engine of its own. */
import { execFileSync } from 'node:child_process'
import { dockerOn, type RemoteMachine, remoteMachine } from './far-machine.ts'

/** The swarm. The manager is the first of its nodes. */
export type RemoteSwarm = {
  readonly nodes: readonly [RemoteMachine, RemoteMachine, RemoteMachine]
  readonly node: (name: string) => RemoteMachine
  /** Runs the docker command on the engine of a node and gives its output. */
  readonly docker: (node: RemoteMachine, ...argv: readonly string[]) => Promise<string>
  readonly dockerNow: (node: RemoteMachine, ...argv: readonly string[]) => string
  readonly stop: () => Promise<void>
}

/** Makes it, or says why there can be none here; to be stopped at the end of the test file. */
export async function remoteSwarm(): Promise<RemoteSwarm | { readonly why: string }> {
  const manager = await remoteMachine()
  if ('why' in manager) return manager
  const [second, third] = await Promise.all([remoteMachine(manager.name), remoteMachine(manager.name)])
  const stop = async () =>
    void (await Promise.all([manager, second, third].map((machine) => 'stop' in machine && machine.stop())))
  if ('why' in second) {
    await stop()
    return second
  }
  if ('why' in third) {
    await stop()
    return third
  }
  try {
    await dockerOn(manager, 'swarm', 'init', '--advertise-addr', manager.address)
    const token = await dockerOn(manager, 'swarm', 'join-token', '--quiet', 'worker')
    for (const node of [second, third])
      await dockerOn(node, 'swarm', 'join', '--token', token, `${manager.address}:2377`)
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
    docker: dockerOn,
    dockerNow: ({ dockerHost }, ...argv) =>
      execFileSync('docker', ['-H', dockerHost, ...argv], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim(),
    stop,
  }
}
