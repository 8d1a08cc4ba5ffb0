/** A service on which a test deploys the app `shop`, and leads the workers of its releases. */
import type { ManifestResource } from '../../src-main/contract/manifest.ts'
import { appFolder, manifestOf } from './app-folder.ts'
import { setup as setupService, type TestService } from './core.ts'
import type { TestWorker } from './worker-client.ts'

/** Where the app is deployed. */
export const PLACE = '/api/apps/shop/environments/production'

type Resources = Readonly<Record<string, Partial<ManifestResource>>>

/** A service, and what deploys apps on it. */
export async function setupReleases(options: Parameters<typeof setupService>[0] = {}) {
  const service = await setupService(options)
  /** Begins a release of an app with these endpoints. */
  async function begin(resources: Resources, code = 'a', more: object = {}) {
    const folder = appFolder(manifestOf(resources, code))
    return await service.post(`${PLACE}/releases`, { source: { folder }, ...more })
  }
  const read = (number: number) => service.get(`${PLACE}/releases/${number}`)
  /** Waits until a release is decided. */
  const ended = (number: number) =>
    service.clock.until(async () => {
      const progress = await read(number)
      return progress.release.state === 'preparing' ? undefined : progress
    })
  /** Deploys, and lets the first worker of each endpoint become ready. */
  async function deploy(resources: Resources, code = 'a', more: object = {}) {
    const known = service.fleet().started.length
    const { release, steps } = await begin(resources, code, more)
    const starting = steps.filter(({ state }: { state: string }) => state === 'starting')
    const workers: Record<string, TestWorker> = {}
    for (const { resource } of starting) {
      const worker = await service.worker(endpointIdOf(service, resource), known === 0 ? [] : before(service, known))
      void worker.take().catch(() => undefined)
      workers[resource] = worker
    }
    return { ...(await ended(release.number)), workers }
  }
  return { service, begin, deploy, read, ended }
}

const before = (service: TestService, known: number) =>
  service
    .fleet()
    .started.slice(0, known)
    .map(({ workerId }) => ({ id: workerId }) as TestWorker)

/** The endpoint that is called so in the app; before it is there its id is its name. */
const endpointIdOf = (service: TestService, resource: string) =>
  service
    .storage()
    .endpoints.all()
    .find(({ config }) => config.app?.resource === resource)?.id ?? resource
