import { type EndpointConfig, PLACEHOLDER_ID } from '../../../contract/endpoint.ts'
import { limit } from '../../../contract/limits.ts'
import { workerEnvironment } from '../../../contract/worker-protocol.ts'
import type { ServiceReach, Watch, WorkerPlan } from '../../../runtimes/port.ts'
import type { Endpoint, Storage } from '../../../storage/storage.ts'
import { targetOf } from '../../apps/rules/app-environment.ts'
import { variablesOf } from '../../apps/variables.ts'
import { withSecrets } from '../../keys/account-secrets.ts'
import { listeningPorts } from '../../load-balancing/rules/listening-variables.ts'
import type { Models } from '../../models/models.ts'
import { modelVariables, type StagedModel, withModel } from '../../models/rules/hub-model.ts'
import type { LogMasks } from '../../monitoring/worker-logs.ts'
import type { Settings } from '../../settings/settings.ts'
import type { WorkerIdentity } from '../prepared-workers.ts'

// Variables in which hub programs look for a token, in order.
const TOKENS = ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN'] as const

export type WorkerPlans = ReturnType<typeof createWorkerPlans>

export function createWorkerPlans(deps: {
  readonly storage: Pick<Storage, 'apps' | 'secrets' | 'endpoints'>
  readonly settings: Pick<Settings, 'get'>
  readonly models: Pick<Models, 'withFolders' | 'hub'>
  readonly logMasks: Pick<LogMasks, 'learn'>
  readonly accountKey: () => string
}) {
  const { storage, settings, models, logMasks, accountKey } = deps
  // Code of an app, or on another machine, may only call its app while it runs.
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

  // Current names: a container cannot learn names later. App calls are named by headers.
  const hosts = () => [
    PLACEHOLDER_ID,
    ...storage.endpoints.all().flatMap(({ id, config }) => (config.loadBalanced ? id : [])),
  ]

  return {
    /**
     * Undefined if no model is named.
     * @throws Error with a reason for the user, also on abort
     */
    async stageModel(endpoint: Endpoint, watch: Watch): Promise<StagedModel | undefined> {
      const { id, revision, config } = endpoint
      const { model } = config
      if (model === undefined) return undefined
      const variables = variablesOfWorker(endpoint)
      logMasks.learn(endpoint)
      const token = TOKENS.flatMap((name) => variables[name] || []).at(0)
      return await models.hub.stage({ model, settings: `${id} ${revision}`, token }, watch)
    },
    planOf: ({ id, config }: Endpoint, model?: StagedModel): WorkerPlan => ({
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
    environmentOf(
      endpoint: Endpoint,
      worker: WorkerIdentity,
      {
        reach,
        model,
        server,
      }: {
        readonly reach: ServiceReach
        readonly model?: StagedModel | undefined
        readonly server?: string | undefined
      },
    ): Record<string, string> {
      const { config } = endpoint
      const app = targetOf(config.app)
      logMasks.learn(endpoint) // before the worker can print the values it receives
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
        hasGpu: config.container?.gpu !== undefined,
        workflowServer: server ?? config.workflows?.server,
        hasOtherServers: server !== undefined,
        app,
        env: { ...env, ...(model === undefined ? {} : modelVariables(model, { container: config.container, env })) },
      })
    },
  }
}
