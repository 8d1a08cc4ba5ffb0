/** Answers of a service about apps, for tests of the commands that deploy. */
import type {
  AppView,
  DeployedEndpoint,
  DeployPlan,
  EnvironmentDetail,
  EnvironmentView,
  ReleaseProgress,
  ReleaseStep,
  ReleaseView,
} from '../../../../../src-main/contract/app.ts'
import { NOW, sendEvents } from '../support.ts'

/** Path of the environment of all tests. */
export const PLACE = '/api/apps/demo/environments/production'

const FINGERPRINT = '0123456789abcdef'.repeat(4)

/** A release; the first one, active for a minute. */
export function release(fields: Partial<ReleaseView> = {}): ReleaseView {
  return {
    app: 'demo',
    environment: 'production',
    number: 1,
    state: 'active',
    fingerprint: FINGERPRINT,
    pythonVersion: '3.12',
    runsOn: 'processes',
    kind: 'deploy',
    createdAt: NOW - 60_000,
    ...fields,
  }
}

/** A step of a release: it makes the endpoint greet. */
export function step(fields: Partial<ReleaseStep> = {}): ReleaseStep {
  return { resource: 'greet', action: 'create', changes: [], replacesWorkers: false, state: 'done', ...fields }
}

/** A plan that makes the endpoint greet. */
export function planOf(fields: Partial<DeployPlan> = {}): DeployPlan {
  const steps = [{ resource: 'greet', action: 'create' as const, changes: [], replacesWorkers: false }]
  return { app: 'demo', environment: 'production', makes: [], runsOn: 'processes', steps, warnings: [], ...fields }
}

/** A queue-based endpoint. */
export const GREET: DeployedEndpoint = {
  resource: 'greet',
  id: 'greet',
  loadBalanced: false,
  url: 'http://127.0.0.1:8790/v2/greet',
  routes: [],
  functions: ['greet'],
}

/** How far a release is. */
export function progress(fields: Partial<ReleaseView> = {}, more: Partial<ReleaseProgress> = {}): ReleaseProgress {
  return { release: release(fields), steps: [step()], warnings: [], endpoints: [GREET], ...more }
}

/** An environment of a list. */
export function environment(fields: Partial<EnvironmentView> = {}): EnvironmentView {
  return { app: 'demo', name: 'production', createdAt: NOW - 120_000, endpoints: 1, variables: 0, ...fields }
}

/** An environment with all that it has. */
export function detail(fields: Partial<EnvironmentDetail> = {}): EnvironmentDetail {
  return { ...environment(), endpoints: [GREET], variables: [], releases: [], ...fields }
}

/** An app with these environments. */
export function app(...names: readonly string[]): AppView {
  return { name: 'demo', createdAt: NOW - 3_600_000, environments: names.map((name) => environment({ name })) }
}

/** An answer that tells of a release as server-sent events. */
export function events(...told: readonly ReleaseProgress[]) {
  return (response: Parameters<typeof sendEvents>[0]) =>
    sendEvents(
      response,
      told.map((data, at) => ({ event: 'release', id: at + 1, data })),
    )
}
