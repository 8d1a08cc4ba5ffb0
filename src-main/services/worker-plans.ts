/** What the worker of an endpoint is started with: its program, and its environment. */
import type { EndpointConfig } from '../contract/endpoint.ts'
import { limit } from '../contract/limits.ts'
import { workerEnvironment } from '../contract/worker-protocol.ts'
import { targetOf } from '../domain/app/app-target.ts'
import { listeningPorts } from '../domain/load-balanced/listening-variables.ts'
import { NAMED } from '../domain/load-balanced/read-address.ts'
import { modelVariables, type StagedModel, withModel } from '../domain/models/hub-model.ts'
import { withSecrets } from './account-secrets.ts'
import { variablesOf } from './apps/variables.ts'
import type { Models } from './models/models.ts'
import type { LogMasks } from './monitoring/worker-logs.ts'
import type { ServiceReach, Watch, WorkerPlan } from './ports/fleet.ts'
import type { Endpoint, Storage } from './ports/storage.ts'
import type { Settings } from './settings.ts'
import type { WorkerIdentity } from './workers/prepared-workers.ts'

// Under which programs of the hub look for its token, the first one first.
const TOKENS = ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN'] as const

/** Makes both for a worker. */
export type WorkerPlans = {
  /**
   * Brings the model that its workers are to find; undefined: it names none.
   * @throws Error with the reason for a person, also when the signal aborts it
   */
  readonly stageModel: (endpoint: Endpoint, watch: Watch) => Promise<StagedModel | undefined>
  readonly planOf: (endpoint: Endpoint, model?: StagedModel) => WorkerPlan
  /** The environment of a worker of this endpoint. */
  readonly environmentOf: (
    endpoint: Endpoint,
    worker: WorkerIdentity,
    found: { readonly reach: ServiceReach; readonly model?: StagedModel | undefined },
  ) => Record<string, string>
}

/** Makes the plans. */
export function createWorkerPlans({
  storage,
  settings,
  models,
  logMasks,
  accountKey,
}: {
  readonly storage: Pick<Storage, 'apps' | 'secrets' | 'endpoints'>
  readonly settings: Pick<Settings, 'get'>
  readonly models: Pick<Models, 'withFolders' | 'hub'>
  readonly logMasks: Pick<LogMasks, 'learn'>
  /** Key that workers of this machine get which call other endpoints and are of no app. */
  readonly accountKey: () => string
}): WorkerPlans {
  // Code of an app may call its app and no more, and that only while it runs. So may code on another machine.
  function keyForCalls(
    { config }: Endpoint,
    { token }: WorkerIdentity,
    { isElsewhere = false }: ServiceReach,
  ): string | undefined {
    if (!config.callsOthers) return undefined
    return config.app === undefined && !isElsewhere ? accountKey() : token
  }

  const variablesOfWorker = ({ config }: Endpoint) =>
    withSecrets(storage, { ...config.env, ...variablesOf(storage, config.app) })

  function containerOf(config: EndpointConfig, model: StagedModel | undefined): WorkerPlan['container'] {
    const container = models.withFolders(config)
    return container === undefined || config.model === undefined || model === undefined
      ? container
      : withModel(container, config.model, model)
  }

  // Those of now: a container cannot be told of names later. What an app calls is named by headers.
  const hosts = () => [NAMED, ...storage.endpoints.all().flatMap(({ id, config }) => (config.loadBalanced ? id : []))]

  return {
    async stageModel(endpoint, watch) {
      const { id, revision, config } = endpoint
      const { model } = config
      if (model === undefined) return undefined
      const variables = variablesOfWorker(endpoint)
      logMasks.learn(endpoint)
      const token = TOKENS.flatMap((name) => variables[name] || []).at(0)
      return await models.hub.stage({ model, settings: `${id} ${revision}`, token }, watch)
    },
    planOf: ({ id, config }, model) => ({
      endpointId: id,
      handler: config.handler,
      command: config.command,
      cwd: config.cwd,
      searchPath: config.searchPath,
      virtualEnv: config.virtualEnv,
      python: settings.get().python,
      container: containerOf(config, model),
      loadBalanced: config.loadBalanced && listeningPorts(config.loadBalanced, config.env),
      app: config.app,
      callsHosts: config.callsOthers ? hosts() : undefined,
    }),
    environmentOf(endpoint, worker, { reach, model }) {
      const { config } = endpoint
      const app = targetOf(config.app)
      logMasks.learn(endpoint) // before it can print what it gets
      const env = variablesOfWorker(endpoint)
      return workerEnvironment({
        workerBaseUrl: reach.workerUrl,
        serviceBaseUrl: reach.serviceUrl,
        endpointHosts: reach.endpointHosts,
        endpointId: endpoint.id,
        workerId: worker.workerId,
        workerToken: worker.token,
        apiKey: keyForCalls(endpoint, worker, reach),
        concurrency: config.concurrency,
        pingIntervalMs: limit('pingIntervalMs'),
        systemChecks: settings.get().workerSystemChecks,
        hasGpu: config.container?.gpu !== undefined, // a process may see one, and need not have it for itself
        workflowServer: config.workflows?.server,
        app,
        env: { ...env, ...(model === undefined ? {} : modelVariables(model, { container: config.container, env })) },
      })
    },
  }
}
