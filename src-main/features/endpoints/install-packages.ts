import { AppError } from '../../contract/errors.ts'
import type { PackageInstall } from '../../contract/packages.ts'
import type { Log } from '../../lib/clock.ts'
import type { ProcessHost } from '../../runtimes/port.ts'
import type { Endpoint } from '../../storage/storage.ts'
import type { EndpointLog } from '../monitoring/logs/endpoint-log.ts'
import type { HandReplacement } from '../workers/replace-by-hand.ts'
import { environmentFor } from '../workers/rules/missing-module.ts'
import { type NewEndpointDeps, updateEndpoint } from './endpoints.ts'

export type PackageInstaller = ReturnType<typeof createPackageInstaller>

export function createPackageInstaller(
  deps: NewEndpointDeps & {
    readonly log: Log
    readonly endpointLog: EndpointLog
    readonly processHost: Pick<ProcessHost, 'install' | 'python'>
    readonly replacement: Pick<HandReplacement, 'beginAll'>
    readonly installs: Map<string, PackageInstall>
  },
) {
  const { storage, log, endpointLog, processHost, replacement, installs } = deps
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  storage.onCommit((changes) => {
    for (const { type, event, endpointId } of changes)
      if (type === 'endpoint' && event === 'deleted') installs.delete(endpointId)
  })

  async function install(endpoint: Endpoint, packages: readonly string[], environment: string): Promise<void> {
    const { id, config } = endpoint
    const wish = { packages: [...packages], environment }
    const note = (more: Omit<PackageInstall, keyof typeof wish>) => installs.set(id, { ...wish, ...more })
    const names = packages.join(', ')
    note({ state: 'running' })
    try {
      await processHost.install({
        ...wish,
        python: config.handler === undefined ? 'python3' : processHost.python(),
        searchPath: config.searchPath,
        onLine: (line) => note({ state: 'running', line }),
        signal: stopping.signal,
      })
      await updateEndpoint(deps, endpoint, { virtualEnv: environment })
      // If the environment is not new, settings are unchanged and workers must be replaced explicitly.
      if (config.virtualEnv === environment) replacement.beginAll(id)
      note({ state: 'done' })
      endpointLog({ endpointId: id, line: `Installed into ${environment}: ${names}`, level: 'INFO' })
    } catch (error) {
      if (stopping.signal.aborted) return
      const why = (error as Error).message
      note({ state: 'failed', why })
      endpointLog({ endpointId: id, line: `Not installed: ${names}: ${why}` })
    }
  }

  return {
    /** @throws AppError NOT_DONE if one is running, or its workers cannot install packages */
    begin(endpoint: Endpoint, packages: readonly string[]) {
      const { id, config } = endpoint
      const environment = environmentFor(config)
      if (environment === undefined) throw new AppError('NOT_DONE', { why: whyNot(endpoint) })
      if (running.has(id)) throw new AppError('NOT_DONE', { why: 'packages of this endpoint are being installed' })
      if (storage.endpoints.get(id) === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: id })
      const done = install(endpoint, packages, environment)
        .catch((error) => log.error('packages not installed', { endpointId: id, error }))
        .finally(() => running.delete(id))
      running.set(id, done)
    },
    async stop() {
      stopping.abort(new Error('the service stops'))
      await Promise.all(running.values())
    },
  }
}

function whyNot({ config: { container, app } }: Endpoint): string {
  if (app !== undefined) return 'its packages come with its app. Add them to the dependencies of the app and deploy it'
  if (container?.image !== undefined) return 'its packages come with its image. Add them there'
  if (container !== undefined) return 'its workers are containers. Set the packages of their image in its settings'
  return 'the folder of its Python code is unknown. Set a handler file, or a command with a working folder'
}
