/**
 * Features that few people need, loaded with their first request, or at the start if stored work waits. If a module is
 * missing, its routes answer FEATURE_MISSING and the rest works.
 */
import type { AppOperation } from '../contract/app-routes.ts'
import { COMPARISON_ROUTES } from '../contract/compare.ts'
import { AppError } from '../contract/errors.ts'
import { IMAGE_BUILD_ROUTES } from '../contract/image-builds.ts'
import { POD_ROUTES } from '../contract/pods.ts'
import { PROJECT_ROUTES } from '../contract/project-routes.ts'
import { LOAD_TEST_ROUTES } from '../contract/requests.ts'
import { SCHEDULE_ROUTES } from '../contract/schedules.ts'
import { SIGN_IN_ROUTES } from '../contract/sign-in.ts'
import { TARGET_ROUTES } from '../contract/targets.ts'
import { WHAT_IF_ROUTES } from '../contract/what-if.ts'
import { WORKER_IMAGE_ROUTES } from '../contract/worker-image-routes.ts'
import { loadFeature } from '../features/load-feature.ts'
import type { FeatureCore } from '../features/service-context.ts'
import type { Storage } from '../storage/storage.ts'

type OpenFeature<Name extends string> = {
  readonly operations: Readonly<Record<Name, (request: object) => unknown>>
  readonly start?: () => void | Promise<void>
  readonly stop?: () => void | Promise<void>
  /** If unset, the feature stops before the workers. */
  readonly stops?: 'with the workers'
}

type Row<Name extends string, Opened extends OpenFeature<Name>> = {
  readonly routes: Readonly<Record<Name, unknown>>
  readonly load: () => Promise<{ readonly openFeature: (core: FeatureCore) => Opened }>
  readonly isWaitedFor: (storage: Storage) => boolean
}

const row = <Name extends AppOperation, Opened extends OpenFeature<Name>>(
  routes: Readonly<Record<Name, unknown>>,
  load: Row<Name, Opened>['load'],
  isWaitedFor: (storage: Storage) => boolean = () => false,
) => ({ routes, load, isWaitedFor })

export const OPTIONAL_FEATURES = {
  comparisons: row(
    COMPARISON_ROUTES,
    () => import('../features/comparisons/feature.ts'),
    ({ comparisons }) => comparisons.list().some(({ state }) => state === 'running'),
  ),
  'load tests': row(LOAD_TEST_ROUTES, () => import('../features/load-tests/feature.ts')),
  "the platform's management API": row(SIGN_IN_ROUTES, () => import('../features/platform-api/feature.ts')),
  pods: row(
    POD_ROUTES,
    () => import('../features/pods/feature.ts'),
    ({ pods }) => pods.all().length > 0,
  ),
  projects: row(PROJECT_ROUTES, () => import('../features/projects/feature.ts')),
  schedules: row(
    SCHEDULE_ROUTES,
    () => import('../features/schedules/feature.ts'),
    ({ schedules, endpoints }) =>
      schedules.nextAt() !== undefined || endpoints.all().some(({ config }) => config.app?.schedule !== undefined),
  ),
  targets: row(TARGET_ROUTES, () => import('../features/targets/feature.ts')),
  'what-if questions': row(WHAT_IF_ROUTES, () => import('../features/what-if/feature.ts')),
  'worker images': row(
    { ...WORKER_IMAGE_ROUTES, ...IMAGE_BUILD_ROUTES },
    () => import('../features/worker-images/feature.ts'),
  ),
}

export type OptionalFeatures = typeof OPTIONAL_FEATURES
export type OptionalFeature = keyof OptionalFeatures
export type OptionalOperation = { [Name in OptionalFeature]: keyof OptionalFeatures[Name]['routes'] }[OptionalFeature]

type Opened<Name extends OptionalFeature> = ReturnType<
  Awaited<ReturnType<OptionalFeatures[Name]['load']>>['openFeature']
>

type End = (part: string, stop: () => void | Promise<void>) => Promise<void>

export function createOptionalFeatures(table: OptionalFeatures, core: FeatureCore) {
  const { storage, log } = core
  const rows: Readonly<Record<OptionalFeature, Row<string, OpenFeature<string>>>> = table
  const names = Object.keys(table) as OptionalFeature[]
  const opened = new Map<OptionalFeature, Promise<OpenFeature<string>>>()
  let isStopped = false

  async function load(name: OptionalFeature): Promise<OpenFeature<string>> {
    const { openFeature } = await loadFeature(log, name, rows[name].load)
    const feature = openFeature(core)
    await feature.start?.()
    return feature
  }

  // A release may bring the first schedule.
  function openForSchedules(endpointId: string): void {
    const isScheduled = storage.endpoints.get(endpointId)?.config.app?.schedule !== undefined
    if (isScheduled && !isStopped) openOnce('schedules').catch(() => undefined)
  }

  async function openOnce(name: OptionalFeature): Promise<OpenFeature<string>> {
    const known = opened.get(name)
    if (known !== undefined) return known
    if (isStopped) throw new AppError('STOPPING')
    const opening = load(name)
    opened.set(name, opening)
    opening.catch(() => opened.delete(name))
    return opening
  }

  return {
    async open<Name extends OptionalFeature>(name: Name): Promise<Opened<Name>> {
      const feature: unknown = await openOnce(name)
      return feature as Opened<Name>
    },
    async operate(operation: OptionalOperation, request: object): Promise<unknown> {
      const name = names.find((one) => operation in rows[one].routes) as OptionalFeature
      const { operations } = await openOnce(name)
      return operations[operation]?.(request)
    },
    async start(): Promise<void> {
      storage.onCommit((changes) => {
        for (const { type, endpointId } of changes) if (type === 'endpoint') openForSchedules(endpointId)
      })
      const waitedFor = names.filter((name) => rows[name].isWaitedFor(storage))
      await Promise.allSettled(waitedFor.map(openOnce))
    },
    /** @returns a promise for the features that stop with the workers */
    async stop(end: End): Promise<{ readonly ended: Promise<unknown> }> {
      isStopped = true
      const settled = await Promise.allSettled(
        [...opened].map(async ([name, feature]) => ({ name, ...(await feature) })),
      )
      const all = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const endAll = (features: typeof all) =>
        Promise.all(features.map(({ name, stop = () => undefined }) => end(name, stop)))
      const ended = endAll(all.filter(({ stops }) => stops === 'with the workers'))
      await endAll(all.filter(({ stops }) => stops === undefined))
      return { ended }
    },
  }
}
