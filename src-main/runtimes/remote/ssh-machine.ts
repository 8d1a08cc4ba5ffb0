import { join } from 'node:path'
import { limit } from '../../contract/limits.ts'
import type { MachineDriver } from '../../features/machines/ports.ts'
import { createDockerFleet } from '../docker/docker-fleet.ts'
import { createEngine } from '../docker/engine.ts'
import { engineMessage } from '../docker/engine-messages.ts'
import { LABELS } from '../docker/labels.ts'
import type { Watch } from '../port.ts'
import { factsOfEngine, testEngine } from './engine-facts.ts'
import { watchEngine } from './engine-machine.ts'
import { type MachineBy, type MachineOptions, UNWATCHED } from './machine-options.ts'
import { createRelay } from './relay.ts'
import { createRemoteFiles } from './remote-files.ts'
import { readHostFacts } from './remote-host.ts'
import { remoteHost } from './remote-machine.ts'
import { createRemoteSocket, removeRemoteFolder } from './remote-socket.ts'
import { createSshLink, testLogin } from './ssh-link.ts'

export function openSshMachine({ name, id, way }: MachineBy<'ssh'>, options: MachineOptions): MachineDriver {
  const { clock, log, pythonPath, tunnel, surroundings } = options
  const env = surroundings.env
  const link = createSshLink({ target: way, env, clock, log, folder: join(options.folder, 'ssh') })
  const parts = { serviceId: id, log, pythonPath, image: workerImage }
  const files = createRemoteFiles({
    ...parts,
    clock,
    machine: name,
    engine: { connect: () => engine.connect(), problem: () => engine.problem() },
  })
  const relay = createRelay({
    ...parts,
    way: createRemoteSocket({ link, machine: name, id, open: tunnel.open }),
    lostMs: limit('tunnelLostMs'),
    answerTo: tunnel.answerTo,
  })
  const place = remoteHost({ ...options, machine: name, link, files, openForWorkers: relay.open })
  const engine = createEngine({ clock, log, place, label: `${LABELS.service}=${id}` })
  const fleet = createDockerFleet({ ...options, place, engine })
  const watch = watchEngine(fleet, clock)
  link.onChange(watch.look)

  async function workerImage(_connected: unknown, watching: Watch): Promise<string> {
    if (fleet.containerHost === undefined) throw new Error('there is no engine')
    await fleet.containerHost.makeWorkerImage(watching)
    return fleet.containerHost.workerImage()
  }

  async function removeParts(): Promise<void> {
    const { docker } = await engine.findEngine()
    await relay.remove(docker)
    await files.close()
    await removeRemoteFolder(link, id)
  }

  return {
    fleet,
    status: watch.status,
    async facts() {
      const facts = await factsOfEngine(fleet)
      const { docker } = await engine.findEngine()
      return { ...facts, ...(await readHostFacts(await link.connection(), (await docker.info()).DockerRootDir)) }
    },
    async test(test) {
      if (await testLogin(link, way.to, test)) await testEngine(fleet, test)
    },
    onChange: watch.onChange,
    async clear() {
      const { docker } = await engine.findEngine()
      await Promise.all(fleet.list().map(({ workerId }) => fleet.stop(workerId, 0)))
      await fleet.sweep()
      await relay.remove(docker)
      await files.removeAll(UNWATCHED)
      await removeRemoteFolder(link, id)
    },
    async close() {
      watch.close()
      if (link.status().state === 'unreachable') await link.close() // does not wait for another login
      const failed = await fleet.close().then(() => undefined, engineMessage)
      const { state, reason = 'it cannot be reached' } = link.status()
      const why = failed ?? (state === 'connected' ? engine.problem() : reason)
      const left = why ?? (await removeParts().then(() => undefined, engineMessage))
      await link.close()
      return left
    },
  }
}
