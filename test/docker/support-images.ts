import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { onTestFinished } from 'vitest'
import {
  type ContainerSettings,
  containerSettings,
  type RegistryCredentials,
} from '../../src-main/contract/container.ts'
import { createImageStore } from '../../src-main/runtimes/docker/images.ts'
import type { DockerEngine } from '../support/docker-engine.ts'
import type { WhenOver } from '../support/served-service.ts'

const RESOURCES = join(import.meta.dirname, '../../resources')

/** A keeper of images on the engine for tests, with a home folder of its own and a clock that the test sets. */
export function setupImages(
  engine: DockerEngine,
  {
    resources = RESOURCES,
    stored = {},
    repository = `drydock-worker-test-${randomUUID()}`,
    whenOver = (end) => onTestFinished(end),
  }: {
    readonly resources?: string
    readonly stored?: Readonly<Record<string, RegistryCredentials>>
    /** Name of the worker image. */
    readonly repository?: string
    /** Registers the removal of its images. */
    readonly whenOver?: WhenOver
  } = {},
) {
  const home = temporaryFolder(whenOver)
  const docker = new Docker({ socketPath: 'why' in engine ? '' : engine.dockerHost.replace('unix://', '') })
  const time = { now: 0 }
  const note = () => undefined
  const keeper = createImageStore({
    repository,
    clock: { steady: () => time.now },
    log: { info: note, warn: note, error: note },
    surroundings: { env: { PATH: `${home}:${process.env.PATH}` }, home },
    resources,
    version: '0.0.0-test',
    registryAuth: (name) => stored[name],
  })
  const told: string[] = []

  async function removeWorkerImages(): Promise<void> {
    const found = await docker.listImages({ filters: { reference: [repository] } })
    for (const tag of found.flatMap(({ RepoTags }) => RepoTags ?? []))
      await docker.getImage(tag).remove({ force: true })
  }
  if (!('why' in engine)) whenOver(removeWorkerImages)

  return {
    docker,
    repository,
    home,
    time,
    /** All progress that was told. */
    told,
    nameFor: (settings: Partial<ContainerSettings>) => keeper.nameFor({ container: containerSettings.parse(settings) }),
    ensure: (settings: Partial<ContainerSettings>, signal: AbortSignal = new AbortController().signal) =>
      keeper.ensure(
        { docker },
        { container: containerSettings.parse(settings) },
        { report: (words) => told.push(words), signal },
      ),
    own: () => keeper.own(docker),
    removeOld: () => keeper.removeOld(docker),
    /** Whether the engine has the image. */
    has: async (image: string) => (await docker.listImages({ filters: { reference: [image] } })).length > 0,
    /** Takes the image away when the test ends. */
    removeLater: (image: string) =>
      onTestFinished(async () => {
        await docker
          .getImage(image)
          .remove({ force: true })
          .catch(() => undefined) // it never came
      }),
  }
}

/** Runs a command in an image, without a network, and gives what it prints. */
export async function outputOf(
  { docker }: Pick<ReturnType<typeof setupImages>, 'docker'>,
  image: string,
  command: readonly string[],
): Promise<string> {
  const [program = '', ...args] = command
  const container = await docker.createContainer({
    Image: image,
    Entrypoint: [program],
    Cmd: args,
    Tty: true,
    HostConfig: { NetworkMode: 'none' },
  })
  onTestFinished(() => container.remove({ force: true }))
  await container.start()
  await container.wait()
  return (await container.logs({ stdout: true, stderr: true })).toString().trim()
}

/** A folder that vanishes, by default with the test. */
export function temporaryFolder(whenOver: WhenOver = (end) => onTestFinished(end)): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-images-'))
  whenOver(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
