/**
 * A real service whose workers are real containers: `served-service` with an engine, the docker command, and what a
 * test asks of both. The folder of the test is `/app` in the containers of a handler, so gates are files there.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import { expect, onTestFinished } from 'vitest'
import type { DockerEngine } from './docker-engine.ts'
import { type ServedService, type ServeOptions, servedService, until, type WhenOver } from './served-service.ts'
import { removeEndpoints, sharedBetweenTests } from './shared-in-file.ts'

/** Image with nothing but Python; svc_worker comes as a mount. Source: test/support/docker-engine. */
const PYTHON_IMAGE = 'python:3.11-slim-bookworm'

const GATED_HANDLER = fileURLToPath(new URL('workers/gated.py', import.meta.url))
/** Where containers see the folder of the test. */
export const INSIDE = '/app'
/** Printed first by jobs that `hasBegun` waits for. */
export const BEGUN = 'begun'

/** A worker as the management API shows it. */
export type ContainerWorker = {
  readonly id: string
  readonly state: string
  readonly reason?: string
  readonly container: string
  readonly jobs: readonly string[]
}

/** A service with containers. */
export type ContainerService = ServedService & {
  /** Runs the docker command and gives its output. */
  readonly docker: (...argv: readonly string[]) => Promise<string>
  /** Ids of all containers of this service, also those that do not run; or only those with this label as well. */
  readonly containers: (label?: string) => Promise<readonly string[]>
  readonly networks: () => Promise<readonly string[]>
  /** Waits for the containers that run, and gives their workers. */
  readonly workers: (endpointId: string) => Promise<readonly ContainerWorker[]>
  /** Waits until a worker other than `before` runs the job. */
  readonly holderOf: (jobId: string, before?: ContainerWorker) => Promise<ContainerWorker>
  /** Waits for a worker of the endpoint in this state. */
  readonly workerIn: (endpointId: string, state: string) => Promise<ContainerWorker>
  /** Makes an endpoint of containers that run gated.py; other settings win. */
  readonly createContainers: (id: string, settings?: object, container?: object) => Promise<void>
  /** The same for a handler with this code. */
  readonly createContainerHandler: (id: string, code: string, settings?: object, container?: object) => Promise<void>
  /** A gate as a handler in a container sees it. */
  readonly gateInside: (name: string) => string
  /** Reads from the database, also while the service runs. */
  readonly readDatabase: (sql: string) => readonly Readonly<Record<string, unknown>>[]
  /**
   * Waits for a job that prints BEGUN: a worker holds a job from the claim on, but one that is lost before it has read
   * the job has lost no try.
   */
  readonly hasBegun: (jobId: string) => Promise<void>
  /** Oldest first. */
  readonly historyOf: (jobId: string) => Promise<readonly HistoryEntry[]>
}

/** One entry of a job's history. */
export type HistoryEntry = {
  readonly event: string
  readonly at: number
  readonly workerId?: string
  readonly reason?: string
}

const execute = promisify(execFile)

/**
 * Makes a fresh folder; nothing runs yet. The end of the test removes its containers and networks.
 * @param given a data folder outside the fresh folder
 * @param whenOver registers clean-ups; a service for several tests ends later
 */
export function containerService(
  engine: DockerEngine,
  given?: { readonly data: string },
  whenOver: WhenOver = (end) => onTestFinished(end),
): ContainerService {
  const dockerHost = 'dockerHost' in engine ? engine.dockerHost : ''
  const env = { ...process.env, DOCKER_HOST: dockerHost }
  let label = ''

  // These run in reverse order: the name is read, the service is killed, then nobody makes further containers.
  whenOver(removeAll)
  const service = servedService(given, whenOver)
  const database = join(service.data, 'drydock.db')
  whenOver(async () => void findLabel())

  async function docker(...argv: readonly string[]): Promise<string> {
    const { stdout } = await execute('docker', argv, { env, maxBuffer: 64 * 1024 * 1024 })
    return stdout.trim()
  }

  /** The label of all that is this service's; '' while it has made nothing. */
  function findLabel(): string {
    if (label !== '' || !existsSync(database)) return label
    const [found] = readDatabase(`SELECT value FROM service_state WHERE name = 'containers.serviceId'`)
    if (found !== undefined) label = `svc.service=${JSON.parse(String(found.value))}`
    return label
  }

  function readDatabase(sql: string): readonly Readonly<Record<string, unknown>>[] {
    const db = new BetterSqlite(database, { readonly: true })
    try {
      return db.prepare<[], Record<string, unknown>>(sql).all()
    } finally {
      db.close()
    }
  }

  const list = async (...argv: readonly string[]): Promise<readonly string[]> =>
    findLabel() === '' ? [] : (await docker(...argv, '--filter', `label=${label}`)).split('\n').filter(Boolean)
  const containers = (more?: string) =>
    list('ps', '--all', '--quiet', '--no-trunc', ...(more === undefined ? [] : ['--filter', `label=${more}`]))
  const networks = () => list('network', 'ls', '--quiet')

  async function removeAll(): Promise<void> {
    if (label === '') return
    // The service may have been killed while it removed them itself.
    await until(async () => {
      const left = await containers()
      if (left.length > 0) await docker('rm', '--force', '--volumes', ...left)
      for (const network of await networks()) await removeNetwork(network)
    })
  }

  // If a container is removed during its start, Docker 20.10 keeps its network until the engine restarts: the network
  // has active endpoints, although it lists none.
  async function removeNetwork(network: string): Promise<void> {
    await docker('network', 'rm', network).catch(async (error) => {
      const listed = await docker('network', 'inspect', '--format', '{{len .Containers}}', network)
      if (!/has active endpoints/.test(String(error)) || listed !== '0' || (await containers()).length > 0) throw error
    })
  }

  const workers = async (endpointId: string): Promise<readonly ContainerWorker[]> =>
    (await service.get(`/api/workers?endpoint=${endpointId}`)).workers

  async function createContainers(id: string, settings: object = {}, container: object = {}): Promise<void> {
    copyFileSync(GATED_HANDLER, join(service.folder, 'gated.py'))
    const handler = join(service.folder, 'gated.py')
    await service.createEndpoint(id, { handler, container: { image: PYTHON_IMAGE, ...container }, ...settings })
  }

  return {
    ...service,
    start: (options: ServeOptions = {}) =>
      service.start({ ...options, env: { DOCKER_HOST: dockerHost, ...options.env } }),
    docker,
    containers,
    networks,
    workers,
    holderOf: (jobId, before) =>
      until(async () => {
        const all = (await service.get('/api/workers')).workers as readonly ContainerWorker[]
        const holder = all.find((worker) => worker.jobs.includes(jobId))
        if (holder === undefined || holder.id === before?.id) throw new Error(`no worker runs ${jobId} yet`)
        return holder
      }),
    workerIn: (endpointId, state) =>
      until(async () => {
        const seen = await workers(endpointId)
        const found = seen.find((worker) => worker.state === state)
        if (found === undefined) throw new Error(`no worker of ${endpointId} is ${state}: ${JSON.stringify(seen)}`)
        return found
      }),
    createContainers,
    createContainerHandler: (id, code, settings, container) =>
      service.createHandler(id, code, { container: { image: PYTHON_IMAGE, ...container }, ...settings }),
    readDatabase,
    gateInside: (name) => `${INSIDE}/${name}`,
    historyOf: async (jobId) => (await service.get(`/api/jobs/${jobId}`)).history,
    hasBegun: (jobId) =>
      until(async () => {
        const { lines } = await service.get(`/api/jobs/${jobId}/logs`)
        expect(lines.map(({ line }: { line: string }) => line)).toContain(BEGUN)
      }),
  }
}

/** Starts a service on a fresh folder. */
export async function startedContainerService(
  engine: DockerEngine,
  options?: ServeOptions,
  whenOver?: WhenOver,
): Promise<ContainerService> {
  const service = containerService(engine, undefined, whenOver)
  await service.start(options)
  return service
}

/** Shares a service between the tests of a file; the end of a test removes its endpoints and containers. */
export const sharedContainerService = (engine: DockerEngine, options: ServeOptions = {}) =>
  sharedBetweenTests(
    (whenOver) => startedContainerService(engine, options, whenOver),
    async (service) => {
      await removeEndpoints(service)
      await until(async () => {
        const left = await service.containers()
        if (left.length > 0) await service.docker('rm', '--force', ...left)
        expect(await service.containers()).toEqual([])
      })
    },
  )

/** Expects that nothing of the service is left on the engine. */
export async function nothingLeft(service: ContainerService): Promise<void> {
  expect({ containers: await service.containers(), networks: await service.networks() }).toEqual({
    containers: [],
    networks: [],
  })
}
