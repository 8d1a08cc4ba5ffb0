/**
 * The checks of a running service, and the fixes it can do by itself. What the machine lacks is told by the host; what
 * only the service knows is in doctor-rows.
 */
import { AppError } from '../../contract/errors.ts'
import type { DoctorRow, FixAction } from '../../contract/system.ts'
import type { FleetMachine, Host } from '../ports/machine.ts'
import type { Fleet, Log, Storage } from '../ports.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'
import { serviceRows } from './doctor-rows.ts'
import type { Settings } from './settings.ts'

/** What the checks need. */
export type DoctorDeps = {
  readonly host: Host
  readonly fleet: Pick<Fleet, 'machine'>
  readonly storage: Pick<Storage, 'endpoints' | 'secrets' | 'poke'>
  readonly supervisor: Pick<WorkerSupervisor, 'status' | 'forgetCrashes'>
  readonly settings: Pick<Settings, 'get'>
  readonly log: Log
  /** Where the service listens. */
  readonly url: () => string
}

/** The checks. */
export type Doctor = {
  readonly check: () => Promise<readonly DoctorRow[]>
  /**
   * Does a fix; the same one twice at once is done once.
   * @returns what was done, one sentence
   * @throws AppError NOT_DONE with the reason, ENDPOINT_NOT_FOUND
   */
  readonly fix: (action: FixAction, target: string | undefined) => Promise<string>
  /** Breaks off what takes long. */
  readonly stop: () => void
}

/** A fix that is being done, and how far it has come. */
type UnderWay = { readonly done: Promise<string>; progress: string }
type Fix = (target: string, watch: Parameters<FleetMachine['makeWorkerImage']>[0]) => Promise<string>

/** Makes the doctor; nothing is looked at yet. */
export function createDoctor(deps: DoctorDeps): Doctor {
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
    async check() {
      const [machine, service] = await Promise.all([
        host.check({ python: settings.get().python, engine: async () => fleet.machine?.engine() }),
        serviceRows(deps),
      ])
      const here: DoctorRow = { check: 'service', state: 'ok', found: `answers at ${url()}` }
      return [here, ...machine, ...service].map(withProgress)
    },
    fix(action, target) {
      const name = nameOf(action, target)
      const known = underWay.get(name)
      if (known !== undefined) return known.done
      const { promise, resolve } = Promise.withResolvers<string>()
      const running: UnderWay = { done: promise, progress: 'begins' }
      const tell = (progress: string) => {
        running.progress = progress
      }
      underWay.set(name, running)
      const watch = { tell, signal: stopping.signal }
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
      const machine = machineOf(fleet)
      await machine.makeWorkerImage(watch)
      return `The worker image ${machine.workerImage()} is there.`
    },
    async 'remove-old-images'() {
      const machine = machineOf(fleet)
      const before = await machine.images()
      await machine.removeOldImages()
      const after = await machine.images()
      return `${before.length - after.length} of ${before.length} images of workers were removed.`
    },
    async 'tighten-permissions'() {
      const changed = await host.tightenPermissions()
      return changed.length === 0 ? 'There was nothing to change.' : `Now private: ${changed.join(', ')}.`
    },
    async 'remove-previews'() {
      await host.removePreviews()
      return 'What killed previews had left is removed.'
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

function machineOf({ machine }: Pick<Fleet, 'machine'>): FleetMachine {
  if (machine === undefined) throw new Error('this service has no Docker engine')
  return machine
}
