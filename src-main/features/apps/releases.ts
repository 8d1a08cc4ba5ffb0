/**
 * App releases, prepared one at a time per environment. New endpoints start next to active ones and take over in one
 * transaction; failures, including a service stop, leave the active release unchanged.
 */
import type { PlannedStep, ReleaseCreate, ReleaseProgress, ReleaseStep } from '../../contract/app.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { THIS_MACHINE } from '../../contract/machines.ts'
import type { Log } from '../../lib/clock.ts'
import { createNotifier, type WaitOptions, waitAtMost } from '../../lib/wait.ts'
import type { Fleet, ProcessHost } from '../../runtimes/port.ts'
import type { Environment, Release } from '../../storage/storage.ts'
import { deleteEndpoint } from '../endpoints/endpoints.ts'
import type { Settings } from '../settings/settings.ts'
import type { FleetStatuses } from '../workers/registry/fleet-status.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'
import { createSettingsRollout } from '../workers/roll-out-settings.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'
import { storedMachine } from './environments.ts'
import { planRelease, type ReleasePlan } from './plan-release.ts'
import { type BuiltSource, locateSource, type OpenedSource, type OpenSourceDeps, openSource } from './release-source.ts'
import { activateRelease, type NextEndpoint, nextEndpoints, type StageDeps, stageRelease } from './stage-release.ts'
import { removeUnused } from './variables.ts'

export type ReleaseRun = Pick<ReleaseProgress, 'steps' | 'warnings'> & { readonly ended: boolean }

export type ReleaseRequest = Omit<ReleaseCreate, 'source'> & {
  readonly source: ReleaseCreate['source'] | BuiltSource
  readonly ids?: ReadonlyMap<string, string>
}

export type Releases = ReturnType<typeof createReleases>

type Run = {
  readonly giveUp: AbortController
  readonly steps: Map<string, ReleaseStep & { readonly nextId: string | undefined }>
  readonly warnings: readonly string[]
  readonly decided: PromiseWithResolvers<void>
  done: Promise<void>
  ended: boolean
}

// Interval at which followers check what starting workers do, ms; source: ours.
const NEWS_EVERY_MS = 250
const MAX_RUNS = 200
const CUT_OFF = 'the service stopped while it was prepared'

export function createReleases(
  deps: StageDeps &
    Omit<OpenSourceDeps, 'storage'> & {
      readonly fleet: Pick<Fleet, 'capacity' | 'refusal'>
      readonly processHost: ProcessHost
      readonly pythonPackages: string
      readonly settings: Pick<Settings, 'get'>
      readonly supervisor: Pick<WorkerSupervisor, 'check'>
      readonly registry: Pick<WorkerRegistry, 'all' | 'ofEndpoint' | 'move'>
      readonly status: Pick<FleetStatuses, 'throttled'>
      readonly log: Log
    },
) {
  const { storage, clock, registry, log } = deps
  const notifier = createNotifier(clock)
  const rollout = createSettingsRollout(deps)
  const runs = new Map<number, Run>()
  const creating = new Map<AbortController, Promise<unknown>>()
  let stopped = false

  async function create(environment: Environment, request: ReleaseRequest, giveUp: AbortController): Promise<Release> {
    refuseSecond(environment)
    const located = locateSource(storage, environment, request.source)
    const opened = await openSource(deps, located, giveUp.signal)
    const git = request.git === undefined ? opened.git : JSON.stringify(request.git)
    const source = opened.kind === 'deploy' ? { ...opened, git } : opened
    const { app, name } = environment
    for (;;) {
      const plan = await planRelease(deps, { ...source, ...request, git: request.git, app, environment: name })
      const next = nextEndpoints(deps, plan, request)
      giveUp.signal.throwIfAborted()
      const release = await record(environment, source, plan, request.machine)
      if (release === undefined) continue
      await plan.linkVolumes()
      begin(environment, release, { plan, next, deletes: request.deletes, giveUp })
      return release
    }
  }

  function refuseSecond({ id, app, name }: Environment): void {
    const other = storage.apps.releaseIn(id, 'preparing')
    if (other !== undefined) throw new AppError('DEPLOY_RUNNING', { number: other.number, app, environment: name })
  }

  async function record(
    environment: Environment,
    source: OpenedSource,
    { runsOn, targets, machine = THIS_MACHINE }: ReleasePlan,
    asked: string | undefined,
  ): Promise<Release | undefined> {
    const { artifact, folder, rollbackOf, kind, git, text, manifest } = source
    const made = {
      environmentId: environment.id,
      fingerprint: manifest.source_fingerprint,
      artifact,
      folder: artifact === null ? folder : null,
      manifest: text,
      runsOn,
      rollbackOf,
      kind,
      git,
    }
    return await storage.write(() => {
      const { app, name } = environment
      const current = storage.apps.environment(app, name)
      if (current?.id !== environment.id) throw new AppError('ENVIRONMENT_NOT_FOUND', { app, environment: name })
      refuseSecond(environment)
      const isAsPlanned = Object.values(targets).every((target) => target.app?.variables === current.variables)
      if (!isAsPlanned || (asked === undefined && current.machine !== storedMachine(machine))) return undefined
      if (asked !== undefined) storage.apps.setMachine({ id: environment.id, machine: storedMachine(asked) })
      return storage.apps.createRelease(made, clock.now())
    })
  }

  function begin(
    environment: Environment,
    release: Release,
    {
      plan,
      next,
      deletes,
      giveUp,
    }: {
      readonly plan: ReleasePlan
      readonly next: readonly NextEndpoint[]
      readonly deletes: readonly string[]
      readonly giveUp: AbortController
    },
  ): void {
    const ids = new Map(next.map(({ step, endpoint }) => [step.resource, endpoint.id]))
    const steps = plan.steps.map((step) => [step.resource, firstState(step, deletes, ids.get(step.resource))] as const)
    const run: Run = {
      giveUp,
      steps: new Map(steps),
      warnings: plan.warnings,
      decided: Promise.withResolvers(),
      done: Promise.resolve(),
      ended: false,
    }
    runs.set(release.id, run)
    for (const [id, { ended }] of runs) if (ended && runs.size > MAX_RUNS) runs.delete(id)
    run.done = prepare(environment, release, { run, plan, next, deletes })
      .catch((error) => log.error('release not ended', { releaseId: release.id, error }))
      .finally(() => {
        run.ended = true
        notifier.notify()
      })
  }

  async function prepare(
    environment: Environment,
    release: Release,
    {
      run,
      plan,
      next,
      deletes,
    }: {
      readonly run: Run
      readonly plan: ReleasePlan
      readonly next: readonly NextEndpoint[]
      readonly deletes: readonly string[]
    },
  ): Promise<void> {
    const { number } = release
    const about = { app: environment.app, environment: environment.name, number }
    const report = (resource: string, state: ReleaseStep['state'], note?: string) => {
      const step = run.steps.get(resource)
      if (step !== undefined) run.steps.set(resource, { ...step, state, note })
      notifier.notify()
    }
    const cancelNews = every(NEWS_EVERY_MS, notifier.notify)
    log.info('release is prepared', about)
    try {
      const workers = await stageRelease(deps, next, report, run.giveUp)
      try {
        await activateRelease(deps, { environment, release, plan, endpoints: next })
      } catch (error) {
        await Promise.all(workers.map((worker) => worker.discard('its release did not become active')))
        throw error
      }
      for (const worker of workers) worker.promote()
      for (const { endpoint, isLater } of next) if (isLater) rollout.begin(endpoint.id)
      for (const { step } of next) report(step.resource, 'done')
      log.info('release is active', about)
    } catch (error) {
      const why = (error as Error).message
      log.warn('release failed', { ...about, why })
      await storage.write(() => {
        storage.apps.moveRelease(release.id, 'fail', why, clock.now())
        removeUnused(storage, environment)
      })
      return
    } finally {
      cancelNews()
      run.decided.resolve()
    }
    await removeGone(run, deletes, report)
    await storage.write(() => storage.apps.trimReleases({ environmentId: environment.id, keep: limit('releasesKept') }))
  }

  async function removeGone(
    { steps }: Run,
    deletes: readonly string[],
    report: (resource: string, state: 'done') => void,
  ): Promise<void> {
    for (const { resource, action, endpointId } of [...steps.values()]) {
      if (action !== 'delete' || !deletes.includes(resource)) continue
      const endpoint = storage.endpoints.get(endpointId ?? '')
      if (endpoint !== undefined) await deleteEndpoint(deps, endpoint)
      report(resource, 'done')
    }
  }

  function every(ms: number, what: () => void): () => void {
    let cancel = () => {}
    const plan = () => {
      cancel = clock.after(ms, () => {
        what()
        plan()
      })
    }
    plan()
    return () => cancel()
  }

  function news({ nextId, ...step }: ReleaseStep & { readonly nextId: string | undefined }): ReleaseStep {
    const worker =
      step.state === 'starting' ? registry.ofEndpoint(nextId ?? '').find(({ duty }) => duty === 'staged') : undefined
    const note = worker?.reason ?? step.note
    return note === undefined ? step : { ...step, note }
  }

  return {
    /**
     * Starts a release in the background.
     * @throws AppError DEPLOY_RUNNING, RELEASE_NOT_FOUND, NOT_DEPLOYED, ARTIFACT_NOT_FOUND, BAD_FIELD, STOPPING,
     * ENVIRONMENT_NOT_FOUND if deleted meanwhile
     */
    create(environment: Environment, request: ReleaseRequest): Promise<Release> {
      if (stopped) return Promise.reject(new AppError('STOPPING'))
      const giveUp = new AbortController()
      const created = create(environment, request, giveUp).finally(() => creating.delete(giveUp))
      creating.set(giveUp, created)
      return created
    },
    run(release: Pick<Release, 'id'>): ReleaseRun | undefined {
      const run = runs.get(release.id)
      return run && { steps: [...run.steps.values()].map(news), warnings: [...run.warnings], ended: run.ended }
    },
    async cancel(release: Pick<Release, 'id'>, why: string) {
      const run = runs.get(release.id)
      run?.giveUp.abort(new Error(why))
      await run?.done
    },
    async whenLive({ id }: Pick<Release, 'id'>, most: Pick<WaitOptions, 'ms' | 'signal'>) {
      const run = runs.get(id)
      if (run !== undefined) await waitAtMost(clock, most, run.decided.promise)
    },
    notifier,
    async start() {
      const cutOff = storage.apps.preparing()
      if (cutOff.length === 0) return
      await storage.write(() => {
        for (const { id } of cutOff) storage.apps.moveRelease(id, 'fail', CUT_OFF, clock.now())
      })
    },
    async stop() {
      stopped = true
      for (const giveUp of creating.keys()) giveUp.abort(new AppError('STOPPING'))
      await Promise.allSettled(creating.values())
      for (const { giveUp } of runs.values()) giveUp.abort(new Error(CUT_OFF))
      await Promise.all([...runs.values()].map(({ done }) => done))
      await rollout.stop()
    },
  }
}

function firstState(step: PlannedStep, deletes: readonly string[], nextId: string | undefined) {
  if (step.action === 'unchanged') return { ...step, state: 'done' as const, nextId }
  if (step.action !== 'delete') return { ...step, state: 'waiting' as const, nextId }
  const more = deletes.includes(step.resource) ? {} : { note: 'kept, because the deletion was not confirmed' }
  return { ...step, state: 'note' in more ? ('done' as const) : ('waiting' as const), ...more, nextId }
}
