import { AppError } from '../../contract/errors.ts'
import type { DoctorRow, FixAction } from '../../contract/system.ts'
import type { Log } from '../../lib/clock.ts'
import { sizeText } from '../../lib/text.ts'
import type { ContainerHost, Fleet, ServiceHost } from '../../runtimes/port.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Settings } from '../settings/settings.ts'
import { isolationProblem } from '../workers/rules/isolated-python.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'

export type DoctorDeps = {
  readonly host: ServiceHost
  readonly fleet: Pick<Fleet, 'containerHost'>
  readonly storage: Pick<Storage, 'endpoints' | 'secrets' | 'poke'>
  readonly supervisor: Pick<WorkerSupervisor, 'status' | 'forgetCrashes'>
  readonly settings: Pick<Settings, 'get'>
  readonly log: Log
  readonly url: () => string
}

export type Doctor = ReturnType<typeof createDoctor>

type UnderWay = { readonly done: Promise<string>; progress: string }
type Fix = (target: string, watch: Parameters<ContainerHost['makeWorkerImage']>[0]) => Promise<string>

export function createDoctor(deps: DoctorDeps) {
  const { host, fleet, settings, log, url } = deps
  const stopping = new AbortController()
  const underWay = new Map<string, UnderWay>()
  const fixes = makeFixes(deps)

  async function doIt(name: string, fix: () => Promise<string>): Promise<string> {
    try {
      return await fix()
    } catch (error) {
      if (error instanceof AppError) throw error
      const why = (error as Error).message
      log.warn('a fix was not done', { fix: name, why })
      throw new AppError('NOT_DONE', { why: why.replace(/\.$/, '') }, { cause: error })
    }
  }

  function withProgress(row: DoctorRow): DoctorRow {
    const running = row.action && underWay.get(nameOf(row.action.action, row.action.target))
    return running === undefined ? row : { ...row, busy: running.progress }
  }

  return {
    async check(): Promise<readonly DoctorRow[]> {
      const [machine, service] = await Promise.all([
        host.check({ python: settings.get().python, engine: async () => fleet.containerHost?.engine() }),
        serviceRows(deps),
      ])
      const here: DoctorRow = { check: 'service', state: 'ok', found: `answers at ${url()}` }
      return [here, ...machine, ...service].map(withProgress)
    },
    /**
     * Concurrent calls of the same fix share it.
     * @returns a sentence on the result
     * @throws AppError NOT_DONE with the reason
     */
    fix(action: FixAction, target: string | undefined): Promise<string> {
      const name = nameOf(action, target)
      const known = underWay.get(name)
      if (known !== undefined) return known.done
      const { promise, resolve } = Promise.withResolvers<string>()
      const running: UnderWay = { done: promise, progress: 'begins' }
      const report = (progress: string) => {
        running.progress = progress
      }
      underWay.set(name, running)
      const watch = { report, signal: stopping.signal }
      resolve(doIt(name, () => fixes[action](target ?? '', watch)).finally(() => underWay.delete(name)))
      return promise
    },
    stop: () => stopping.abort(new Error('the service stops')),
  }
}

const nameOf = (action: FixAction, target: string | undefined) =>
  target === undefined ? action : `${action} ${target}`

function makeFixes({ host, fleet, storage, supervisor }: DoctorDeps): Readonly<Record<FixAction, Fix>> {
  return {
    async 'make-worker-image'(_target, watch) {
      const containerHost = requireContainerHost(fleet)
      await containerHost.makeWorkerImage(watch)
      return `The worker image ${containerHost.workerImage()} is ready.`
    },
    async 'remove-old-images'() {
      const containerHost = requireContainerHost(fleet)
      const before = await containerHost.images()
      await containerHost.removeOldImages()
      const after = await containerHost.images()
      return `${before.length - after.length} of ${before.length} images of workers were removed.`
    },
    async 'tighten-permissions'() {
      const changed = await host.tightenPermissions()
      return changed.length === 0 ? 'Nothing had to be changed.' : `Now private: ${changed.join(', ')}.`
    },
    async 'remove-previews'() {
      await host.removePreviews()
      return 'Leftovers of killed previews are removed.'
    },
    async 'restart-endpoint'(target) {
      const endpoint = storage.endpoints.get(target)
      if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: target })
      supervisor.forgetCrashes(target)
      storage.poke()
      return `${endpoint.config.name} starts its next worker now.`
    },
  }
}

function requireContainerHost({ containerHost }: Pick<Fleet, 'containerHost'>): ContainerHost {
  if (containerHost === undefined) throw new Error('this service has no Docker engine')
  return containerHost
}

async function serviceRows(deps: DoctorDeps): Promise<readonly DoctorRow[]> {
  const [images, previews] = await Promise.all([imageRows(deps), previewRows(deps)])
  return [secretsRow(deps), ...images, ...crashRows(deps), ...isolatedRows(deps), ...previews]
}

function crashRows({ storage, supervisor }: DoctorDeps): readonly DoctorRow[] {
  const crashing = storage.endpoints.all().flatMap((endpoint) => {
    const { main, batch } = supervisor.status(endpoint.id)
    return [main, batch].flatMap(({ crashLoop }) =>
      crashLoop === undefined ? [] : [{ endpoint, reason: crashLoop.reason }],
    )
  })
  if (crashing.length === 0) return [{ check: 'endpoints', state: 'ok', found: 'no worker crashes' }]
  return crashing.map(({ endpoint: { id, config }, reason }) => ({
    check: `endpoint ${config.name}`,
    state: 'warning',
    found: reason,
    fix: `Check its log with \`drydock logs ${id}\` and fix the cause. If work is waiting, the service retries by itself; \`drydock endpoint resume ${id}\` retries at once.`,
    action: {
      action: 'restart-endpoint',
      target: id,
      label: 'Start again',
      effect: 'Clears its crash history, so that the next worker starts without delay.',
    },
  }))
}

// Such a Python ignores PYTHONPATH, our way to reach worker processes; see resources/python/svc_start.
function isolatedRows({ storage }: DoctorDeps): readonly DoctorRow[] {
  return storage.endpoints.all().flatMap(({ config }): DoctorRow[] => {
    const problem = isolationProblem(config)
    return problem === undefined ? [] : [{ check: `command of ${config.name}`, state: 'warning', ...problem }]
  })
}

// Otherwise a missing key would only show when a secret is needed.
function secretsRow({ storage: { secrets } }: DoctorDeps): DoctorRow {
  const check = 'secrets'
  const secretNames = secrets.scopes('').flatMap((scope) => secrets.list(scope).map(({ name }) => ({ scope, name })))
  const lost = secretNames.filter(({ scope, name }) => isLost(secrets, scope, name))
  if (lost.length === 0) {
    const found =
      secretNames.length === 0
        ? 'none are stored'
        : `${secretNames.length} encrypted with the key in the file secrets.key`
    return { check, state: 'ok', found: `${found}; no keychain is needed` }
  }
  return {
    check,
    state: 'failed',
    found: `${lost.length} of ${secretNames.length} cannot be read: the file secrets.key is missing or was replaced`,
    fix: 'Restore the file secrets.key in the data folder, or store registry credentials and variables again.',
  }
}

function isLost(secrets: Storage['secrets'], scope: string, name: string): boolean {
  try {
    secrets.get(scope, name)
    return false
  } catch (error) {
    if (error instanceof AppError && error.code === 'SECRET_LOST') return true
    throw error
  }
}

async function imageRows({ fleet: { containerHost } }: DoctorDeps): Promise<readonly DoctorRow[]> {
  const images = await containerHost?.images().catch(() => undefined)
  if (containerHost === undefined || images === undefined) return []
  const name = containerHost.workerImage()
  const isMade = images.some((image) => image.name === name)
  const made: DoctorRow = isMade ? { check: 'worker image', state: 'ok', found: name } : NO_IMAGE
  const old = images.filter((image) => image.old)
  if (old.length === 0) return [made]
  const bytes = old.reduce((sum, image) => sum + image.bytes, 0)
  return [
    made,
    {
      check: 'old worker images',
      state: 'warning',
      found: `${old.length} of earlier versions, up to ${sizeText(bytes)}`,
      fix: 'Remove them. Images that a container uses stay.',
      action: {
        action: 'remove-old-images',
        label: 'Remove them',
        effect: `Removes ${old.map((image) => image.name).join(', ')}.`,
      },
    },
  ]
}

const NO_IMAGE: DoctorRow = {
  check: 'worker image',
  state: 'ok',
  found: 'not built yet: the first worker of a handler in a container builds it, which takes a few minutes',
  action: {
    action: 'make-worker-image',
    label: 'Build it now',
    effect: 'Pulls its Python base image and builds it, so that the first request does not wait for it.',
  },
}

async function previewRows({ host }: DoctorDeps): Promise<readonly DoctorRow[]> {
  const { folders, bytes } = await host.leftPreviews()
  if (folders === 0) return []
  return [
    {
      check: 'previews',
      state: 'warning',
      found: `${folders} that were killed left folders (${sizeText(bytes)}) and perhaps workers`,
      fix: 'Remove what they left. The next preview does this too.',
      action: {
        action: 'remove-previews',
        label: 'Remove them',
        effect: 'Ends their workers and containers and deletes their folders. Previews that run stay.',
      },
    },
  ]
}
