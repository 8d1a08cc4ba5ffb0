/** A real service that was told of other machines; its workers can run there alone, as no engine is on this one. */
import { expect, onTestFinished } from 'vitest'
import { type ContainerService, containerService } from './container-service.ts'
import { dockerOn, type RemoteMachine, sshOfUser } from './far-machine.ts'
import { type ServeOptions, until, type WhenOver } from './served-service.ts'

/** Image with nothing but Python, which every machine has. */
export const FAR_IMAGE = 'python:3.11-slim-bookworm'

/** The service, and the machine as it calls it. */
export type RemoteService = ContainerService & {
  readonly machine: RemoteMachine
  /** Settings of an endpoint with one worker on the machine. */
  readonly onBox: { readonly container: object; readonly workersMin: number; readonly workersMax: number }
  /** Waits until the service reaches all machines. */
  readonly reached: () => Promise<void>
}

/**
 * Starts a service that knows the machine as `box`. When the test ends, nothing of it is left there.
 * @param options of its starts, also the later ones; `data`: a data folder that is elsewhere; `others`: further machines
 *   by name
 * @param whenOver registers clean-ups; a service for several tests ends later
 */
export async function remoteService(
  machine: RemoteMachine,
  {
    data,
    others = {},
    ...options
  }: ServeOptions & {
    readonly data?: string
    readonly others?: Readonly<Record<string, RemoteMachine>>
  } = {},
  whenOver: WhenOver = (end) => onTestFinished(end),
): Promise<RemoteService> {
  const machines = { box: machine, ...others }
  const user = sshOfUser(Object.values(machines))
  whenOver(async () => user.remove())
  // Registered before the service, so that it is done when that is gone.
  for (const one of Object.values(machines)) whenOver(() => removeContainers(one))
  const given = data === undefined ? undefined : { data }
  const service = containerService({ dockerHost: machine.dockerHost }, given, whenOver)
  const env = { PATH: user.searchPath, DOCKER_HOST: 'unix:///nowhere/docker.sock', ...options.env }
  const start = (more: ServeOptions = {}) => service.start({ ...options, ...more, env: { ...env, ...more.env } })
  const reached = async () => {
    for (const name of Object.keys(machines))
      await until(async () => expect(await service.get(`/api/machines/${name}`)).toMatchObject({ state: 'connected' }))
  }
  await start()
  for (const [name, { name: to }] of Object.entries(machines))
    await service.post('/api/machines', { name, way: { kind: 'ssh', to } })
  await reached()
  return {
    ...service,
    machine,
    start,
    reached,
    containers: async (label = 'svc.worker') =>
      (await service.docker('ps', '--all', '--quiet', '--no-trunc', '--filter', `label=${label}`))
        .split('\n')
        .filter(Boolean),
    onBox: { container: { image: FAR_IMAGE, machine: 'box' }, workersMin: 1, workersMax: 1 },
  }
}

async function removeContainers(machine: RemoteMachine): Promise<void> {
  // Of two removals at once the engine refuses one.
  await until(async () => {
    const left = (await dockerOn(machine, 'ps', '-aq')).split('\n').filter(Boolean)
    if (left.length > 0) await dockerOn(machine, 'rm', '--force', '--volumes', ...left)
  })
}
