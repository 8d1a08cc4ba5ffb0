/** What the worker of an endpoint is started with: its program, and its environment. */
import { limit } from '../contract/limits.ts'
import { workerEnvironment } from '../contract/worker-protocol.ts'
import { targetOf } from '../domain/app/app-target.ts'
import { withSecrets } from './account-secrets.ts'
import { variablesOf } from './apps/variables.ts'
import type { Models } from './models/models.ts'
import type { LogMasks } from './monitoring/worker-logs.ts'
import type { ServiceReach, WorkerPlan } from './ports/fleet.ts'
import type { Endpoint, Storage } from './ports/storage.ts'
import type { Settings } from './settings.ts'
import type { WorkerIdentity } from './workers/prepared-workers.ts'

/** Makes both for a worker. */
export type WorkerPlans = {
  readonly planOf: (endpoint: Endpoint) => WorkerPlan
  /** The environment of a worker of this endpoint. */
  readonly environmentOf: (endpoint: Endpoint, worker: WorkerIdentity, reach: ServiceReach) => Record<string, string>
}

/** Makes the plans. */
export function createWorkerPlans({
  storage,
  settings,
  models,
  logMasks,
  accountKey,
}: {
  readonly storage: Pick<Storage, 'apps' | 'secrets'>
  readonly settings: Pick<Settings, 'get'>
  readonly models: Pick<Models, 'withFolders'>
  readonly logMasks: Pick<LogMasks, 'learn'>
  /** Key that workers get which call other endpoints and are of no app. */
  readonly accountKey: () => string
}): WorkerPlans {
  // Code of an app may call its app and no more, and that only while it runs.
  function keyForCalls({ config }: Endpoint, { token }: WorkerIdentity): string | undefined {
    if (!config.callsOthers) return undefined
    return config.app === undefined ? accountKey() : token
  }

  return {
    planOf: ({ id, config }) => ({
      endpointId: id,
      handler: config.handler,
      command: config.command,
      cwd: config.cwd,
      searchPath: config.searchPath,
      virtualEnv: config.virtualEnv,
      python: settings.get().python,
      container: models.withFolders(config),
      loadBalanced: config.loadBalanced,
      app: config.app,
    }),
    environmentOf(endpoint, worker, reach) {
      const { config } = endpoint
      const app = targetOf(config.app)
      logMasks.learn(app) // before it can print what it gets
      return workerEnvironment({
        workerBaseUrl: reach.workerUrl,
        serviceBaseUrl: reach.serviceUrl,
        endpointId: endpoint.id,
        workerId: worker.workerId,
        workerToken: worker.token,
        apiKey: keyForCalls(endpoint, worker),
        concurrency: config.concurrency,
        pingIntervalMs: limit('pingIntervalMs'),
        systemChecks: settings.get().workerSystemChecks,
        hasGpu: config.container?.gpu !== undefined, // a process may see one, and need not have it for itself
        workflowServer: config.workflows?.server,
        app,
        env: withSecrets(storage, { ...config.env, ...variablesOf(storage, config.app) }),
      })
    },
  }
}
