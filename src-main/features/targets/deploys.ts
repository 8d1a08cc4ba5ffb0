import type { Storage, StoredTargetDeploy, TargetPlace } from '../../storage/storage.ts'
/**
 * Plans, runs and records deploys to targets. Running ones are only in memory; successful ones are recorded for
 * rollbacks.
 */

import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { type Manifest, storedManifest } from '../../contract/manifest.ts'
import type {
  TargetApp,
  TargetDeploy,
  TargetDeployCreate,
  TargetPlan,
  TargetRecord,
  TargetSource,
} from '../../contract/targets.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import { createNotifier } from '../../lib/wait.ts'
import { savedResources } from '../platform-api/rules/manifest.ts'
import { planImageOn, runImageDeploy, undeployImage } from './image-deploys.ts'
import { readApp, readEndpoints, secretNames, speaksDrydock, viewTargetApp } from './read-target.ts'
import { keyInApp, planTarget, saveInputOf, secretsOf } from './rules/plan-target.ts'
import { type DeployedCode, type DeployNews, runTargetDeploy, undeployThere } from './run-deploy.ts'
import { createTargetClient, type TargetAccess, type TargetClient, type TargetClientDeps } from './target-client.ts'
import { requireTarget } from './targets.ts'

type Wanted = { readonly source: TargetSource; readonly withKey: boolean }

export type TargetDeploys = ReturnType<typeof createTargetDeploys>

type Run = { view: TargetDeploy; readonly giveUp: AbortController; over: Promise<void> }

type Opened = {
  readonly artifact: string
  readonly manifest: Manifest
  readonly before: StoredTargetDeploy | undefined
}

const MAX_RUNS = 100
const CANCELLED = 'it was cancelled'

export function createTargetDeploys(
  deps: TargetClientDeps & {
    readonly storage: Storage
    readonly clock: Clock
    readonly newId: NewId
    readonly log: Log
    readonly stopping: AbortSignal
  },
) {
  const { storage, clock, newId, log } = deps
  const notifier = createNotifier(clock)
  const runs = new Map<string, Run>()
  let stopped = false

  function open(place: TargetPlace, source: TargetSource): Opened {
    if ('artifact' in source) return { ...source, before: undefined }
    if ('image' in source)
      return { artifact: source.image.source_fingerprint, manifest: source.image, before: undefined }
    const before = storage.targetDeploys.list(place).find(({ number }) => number === source.deploy)
    if (before === undefined) throw new AppError('TARGET_DEPLOY_NOT_FOUND', { deploy: source.deploy })
    return { artifact: before.artifact, manifest: storedManifest.parse(JSON.parse(before.manifest)), before }
  }

  function refuseKey({ manifest }: Opened, { key }: TargetAccess, { withKey }: Pick<Wanted, 'withKey'>): void {
    const found = withKey ? undefined : keyInApp(manifest, key)
    if (found !== undefined) throw new AppError('KEY_IN_APP', found)
  }

  async function planOn(
    client: TargetClient,
    place: TargetPlace,
    opened: Opened,
  ): Promise<Omit<TargetPlan, 'warnings'>> {
    const { app, environment: name } = place
    const { artifact, manifest, before } = opened
    if (manifest.image !== undefined)
      return await planImageOn(client, place, { manifest, before: storage.targetDeploys.list(place)[0]?.artifact })
    const there = await readApp(client, app)
    const environment = there?.environments.find((one) => one.name === name)
    const active = environment?.activeBuildId ?? undefined
    const build = before?.build ?? artifact
    const saved = {
      environmentId: '',
      environment: name,
      build,
      pythonVersion: manifest.python_version,
      key: undefined,
    }
    const saves = savedResources(manifest).map(
      ([resource, settings]) => [resource, saveInputOf(resource, settings, saved)] as const,
    )
    const found = environment === undefined ? [] : await readEndpoints(client, environment)
    const endpoints = found.filter(({ resource }) => manifest.resources[resource]?.isTask === undefined)
    // The target names its builds; the artifact of each is recorded here.
    const from = storage.targetDeploys.list(place).find((one) => one.build === active)?.artifact ?? active
    return {
      app,
      environment: name,
      makes: [
        ...(there === undefined ? ['app' as const] : []),
        ...(environment === undefined ? ['environment' as const] : []),
      ],
      steps: [...planTarget(endpoints, new Map(saves), { from, to: artifact })],
    }
  }

  function begin(place: TargetPlace, opened: Opened, code: DeployedCode, wanted: TargetDeployCreate): Run {
    const giveUp = new AbortController()
    const access = requireTarget(storage, place.target)
    const client = createTargetClient(deps, access, AbortSignal.any([giveUp.signal, deps.stopping]))
    const view: TargetDeploy = {
      id: newId.uuid(),
      ...place,
      state: 'running',
      phase: 'begin',
      sentBytes: 0,
      totalBytes: 'file' in code ? code.bytes : 0,
      steps: [],
      log: [],
      endpoints: [],
    }
    const run: Run = { view, giveUp, over: Promise.resolve() }
    const change = (changed: Partial<TargetDeploy>) => {
      run.view = { ...run.view, ...changed }
      notifier.notify()
    }
    const news: DeployNews = {
      change,
      line: (line) => change({ log: [...run.view.log, line] }),
      step: (resource, changed) =>
        change({ steps: run.view.steps.map((one) => (one.resource === resource ? { ...one, ...changed } : one)) }),
    }
    const { manifest, artifact, before } = opened
    const key = wanted.withKey ? access.key : undefined

    async function deploy(): Promise<void> {
      const { steps } = await planOn(client, place, opened)
      change({ steps: steps.map((step) => ({ ...step, state: 'waiting' as const })) })
      const work = { place, code, manifest, deletes: wanted.deletes, key }
      const { build, endpoints } = await (manifest.image === undefined
        ? runTargetDeploy(deps, client, work, news)
        : runImageDeploy(storage, client, work, news))
      const deployed = {
        build,
        artifact,
        manifest: JSON.stringify(manifest),
        rollbackOf: before?.rollbackOf ?? before?.number ?? null,
        createdAt: clock.now(),
      }
      const number = await storage.write(() => storage.targetDeploys.add(place, deployed, limit('targetDeploysKept')))
      const ended = run.view.steps.map((step) =>
        step.action === 'delete' ? step : { ...step, state: 'done' as const },
      )
      change({ state: 'active', phase: 'end', number, steps: ended, endpoints: [...endpoints] })
    }

    run.over = deploy().catch((error) => {
      const reason = giveUp.signal.aborted ? CANCELLED : reasonOf(error)
      if (!(error instanceof AppError) && !giveUp.signal.aborted) log.error('deploy to a target failed', { error })
      const steps = run.view.steps.map((step) =>
        step.state === 'starting' ? { ...step, state: 'failed' as const } : step,
      )
      change({ state: 'failed', reason: `${reason} ${holdsAfter(run.view)}`, steps })
    })
    return run
  }

  function find(id: string): Run {
    const run = runs.get(id)
    if (run === undefined) throw new AppError('TARGET_DEPLOY_NOT_FOUND', { deploy: id.slice(0, 50) })
    return run
  }

  function refuseSecond({ target, app, environment }: TargetPlace): void {
    const isSame = ({ view }: Run) => view.target === target && view.app === app && view.environment === environment
    if ([...runs.values()].some((run) => run.view.state === 'running' && isSame(run)))
      throw new AppError('TARGET_BUSY', { target, app, environment })
  }

  return {
    notifier,
    async plan(place: TargetPlace, wanted: Wanted): Promise<TargetPlan> {
      const access = requireTarget(storage, place.target)
      const opened = open(place, wanted.source)
      refuseKey(opened, access, wanted)
      const client = createTargetClient(deps, access, deps.stopping)
      const plan = await planOn(client, place, opened)
      return { ...plan, warnings: [...(await warningsOf(client, opened.manifest, wanted.withKey))] }
    },
    async create(place: TargetPlace, wanted: TargetDeployCreate): Promise<TargetDeploy> {
      const access = requireTarget(storage, place.target)
      const opened = open(place, wanted.source)
      refuseKey(opened, access, wanted)
      const { artifact, before } = opened
      const code =
        before ??
        ('image' in wanted.source
          ? { build: wanted.source.image.source_fingerprint }
          : await artifactOf(storage, artifact))
      if (stopped) throw new AppError('STOPPING')
      refuseSecond(place)
      const run = begin(place, opened, code, wanted)
      runs.set(run.view.id, run)
      const [oldest] = runs.keys()
      if (runs.size > MAX_RUNS && oldest !== undefined) runs.delete(oldest)
      return run.view
    },
    /**
     * Only of this service run.
     * @throws AppError TARGET_DEPLOY_NOT_FOUND
     */
    read: (id: string): TargetDeploy => find(id).view,
    /**
     * Stops sending; resolves when done.
     * @throws AppError TARGET_DEPLOY_NOT_FOUND
     */
    async cancel(id: string): Promise<TargetDeploy> {
      const run = find(id)
      if (run.view.state === 'running') run.giveUp.abort(new Error(CANCELLED))
      await run.over
      return run.view
    },
    /**
     * Deletes a target environment with its endpoints and records, and the app if it was the last.
     * @returns deleted endpoints and the remaining app
     * @throws AppError TARGET_NOT_FOUND, TARGET_BUSY, TARGET_UNREACHABLE, TARGET_REFUSED
     */
    async undeploy(place: TargetPlace): Promise<{ readonly deleted: string[]; readonly app: TargetApp }> {
      const client = createTargetClient(deps, requireTarget(storage, place.target), deps.stopping)
      refuseSecond(place)
      const [newest] = storage.targetDeploys.list(place)
      const isImage = newest !== undefined && storedManifest.parse(JSON.parse(newest.manifest)).image !== undefined
      const deleted = [...(await (isImage ? undeployImage(client, place) : undeployThere(client, place)))]
      // Its builds are gone, so no rollback to them is possible.
      await storage.write(() => storage.targetDeploys.forgetPlace(place))
      return { deleted, app: viewTargetApp(await readApp(client, place.app)) }
    },
    list(place: TargetPlace): readonly TargetRecord[] {
      requireTarget(storage, place.target)
      return storage.targetDeploys.list(place).map(({ manifest: _manifest, rollbackOf, ...record }) => ({
        ...record,
        ...(rollbackOf === null ? {} : { rollbackOf }),
      }))
    },
    async stop() {
      stopped = true
      for (const { giveUp } of runs.values()) giveUp.abort(new Error('the service stopped'))
      await Promise.all([...runs.values()].map(({ over }) => over))
    },
  }
}

async function artifactOf({ artifacts }: Storage, artifact: string): Promise<DeployedCode> {
  const [file, { total }] = await Promise.all([artifacts.find(artifact), artifacts.status(artifact)])
  if (file === undefined || total === undefined) throw new AppError('ARTIFACT_NOT_FOUND', { artifact })
  return { file, bytes: total }
}

function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.message : 'The service could not go on with it; see its log.'
}

function holdsAfter({ phase }: TargetDeploy): string {
  if (phase === 'begin' || phase === 'upload') return 'Nothing was activated there.'
  if (phase === 'delete') return 'The new code is active there; endpoints that were to go may still be there.'
  return 'A Drydock keeps what was active until all new endpoints are ready.'
}

async function warningsOf(client: TargetClient, manifest: Manifest, withKey: boolean): Promise<readonly string[]> {
  const warnings: string[] = []
  const wanted = secretsOf(manifest)
  const there = wanted.length === 0 ? [] : await secretNames(client)
  for (const name of wanted.filter((one) => !there.includes(one)))
    warnings.push(`The app names the secret ${name}, which the target does not have: add it there first.`)
  if (manifest.image !== undefined || (await speaksDrydock(client))) return warnings
  for (const [name, { sdk, makesRemoteCalls, networkVolumes, schedule }] of Object.entries(manifest.resources)) {
    if (schedule !== undefined) warnings.push(`${name} has a schedule, which the platform does not run yet.`)
    if (sdk !== 2)
      warnings.push(`${name} is not written for SDK 2.0: a Drydock serves it, the platform’s images may not.`)
    if (makesRemoteCalls && !withKey)
      warnings.push(
        `${name} calls other endpoints, for which it needs the account key there: allow it with --with-key.`,
      )
    if (networkVolumes.length > 0)
      warnings.push(`${name} uses a network volume, which is not attached by this deploy: attach it there.`)
  }
  return warnings
}
