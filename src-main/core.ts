/**
 * The core: the one place that joins services and adapters. The same core runs headless, in the desktop and in tests.
 * start() brings back what an earlier run left: workers that still answer go on, the others are ended and their jobs
 * are queued again. stop() lets running jobs end within the grace time and gives the rest back to the queue.
 */

import { createProcessMachine } from './build/process-machine.ts'
import { readCatalog } from './build/read-catalog.ts'
import { readManifest } from './build/read-manifest.ts'
import { unpackArtifact } from './build/unpack-artifact.ts'
import { workflowResources } from './build/workflow-resources.ts'
import { limit } from './contract/limits.ts'
import type { RegistryCredentials } from './contract/registry.ts'
import { workerEnvironment } from './contract/worker-protocol.ts'
import { placeOf } from './domain/app/app-place.ts'
import { isUsedUp } from './domain/worker/faults.ts'
import { createDockerFleet } from './fleet/docker/docker-fleet.ts'
import { createProcessFleet } from './fleet/process/process-fleet.ts'
import { createFetchFile } from './outbound/fetch-file.ts'
import { fetchNodeTypes, sizeOfNodeTypes } from './outbound/fetch-node-types.ts'
import { lookForServer } from './outbound/look-for-server.ts'
import { pingWorker } from './outbound/ping-worker.ts'
import { postOut } from './outbound/post.ts'
import { previewLink } from './outbound/preview-link.ts'
import { sendRequest } from './outbound/send-request.ts'
import { createLogMasks } from './services/apps/mask-logs.ts'
import { createReleases } from './services/apps/releases.ts'
import { variablesOf } from './services/apps/variables.ts'
import { createBell } from './services/bell.ts'
import { createRequestBalancer } from './services/load-balanced/balance-requests.ts'
import { countRequests } from './services/load-balanced/count-requests.ts'
import { createRequestLog } from './services/load-balanced/log-requests.ts'
import { createHealthWatch } from './services/load-balanced/watch-health.ts'
import { createLoadTests } from './services/load-tests/load-tests.ts'
import { createCatalog } from './services/management/catalog.ts'
import { createDoctor } from './services/management/doctor.ts'
import { createFigures } from './services/management/figures.ts'
import { Housekeeping } from './services/management/housekeeping.ts'
import { createKeys } from './services/management/keys.ts'
import { MetricsRecorder } from './services/management/metrics.ts'
import { registryCredentials } from './services/management/registries.ts'
import { createSessions } from './services/management/sessions.ts'
import { createSettings } from './services/management/settings.ts'
import { type ViewDeps, waitingReason } from './services/management/views.ts'
import { createModels } from './services/models/models.ts'
import type { Host } from './services/ports/machine.ts'
import type { ProcessMachine } from './services/ports/process-machine.ts'
import type { PreviewEnd, ProjectPorts, StartPreview } from './services/ports/projects.ts'
import type { RequestSender } from './services/ports/requests.ts'
import type {
  Clock,
  Endpoint,
  Fleet,
  Log,
  NewId,
  Pinger,
  Poster,
  ServiceReach,
  Storage,
  WorkerPlan,
} from './services/ports.ts'
import { createProjects } from './services/projects/projects.ts'
import { createLeases } from './services/queue/leases.ts'
import { createParkedTakes } from './services/queue/parked-takes.ts'
import { createQueueCounts } from './services/queue/queue-counts.ts'
import { createStreamReaders } from './services/queue/read-stream.ts'
import { createStreamClients } from './services/queue/stream-clients.ts'
import { createJobWaiters } from './services/queue/wait-for-job.ts'
import type { ServiceContext, ServiceFacts } from './services/service-context.ts'
import { createSteadyClock, type TimeSource } from './services/steady-clock.ts'
import { WebhookDelivery } from './services/webhooks/deliver.ts'
import { adoptWorkers } from './services/workers/adopt-workers.ts'
import { createLogCollector } from './services/workers/collect-logs.ts'
import { joinFleets } from './services/workers/join-fleets.ts'
import type { WorkerIdentity } from './services/workers/prepared-workers.ts'
import { createHandReplacement } from './services/workers/replace-worker.ts'
import { createShells } from './services/workers/shells.ts'
import { WorkerSupervisor } from './services/workers/supervise.ts'
import { createUsageWatch } from './services/workers/watch-usage.ts'
import { createWorkerCalls } from './services/workers/worker-calls.ts'
import { createWorkerRegistry, loadOf, takesJobs } from './services/workers/worker-registry.ts'
import { createWorkflows } from './services/workflows/workflows.ts'
import { type OpenedFolder, openFolderStorage } from './storage/open-folder.ts'

/** Everything that the core needs from outside. */
export type CorePorts = {
  readonly storage: Storage
  readonly time: TimeSource
  readonly newId: NewId
  readonly log: Log
  readonly post: Poster
  readonly ping: Pinger
  /** The machine under the service, for the system page. */
  readonly host: Host
  /** Sends the requests of load tests. */
  readonly send: RequestSender
  /** What projects need: the tools of app-builder, and how previews are started. */
  readonly projects: ProjectPorts
  /** Makes what processes find on this machine; it learns which Python runs them. */
  readonly processMachine: (needs: { readonly python: () => string }) => ProcessMachine
  /** Makes the fleet; it learns the clock, how many workers there may be, and whom registries know. */
  readonly fleet: (needs: {
    readonly clock: Clock
    readonly maxWorkers: () => number
    /** Stored credentials of image registries by their name. */
    readonly registryAuth: (name: string) => RegistryCredentials | undefined
  }) => Fleet
  /** Facts that are known when the service listens; asked for when needed. */
  readonly facts: () => ServiceFacts
  /** Key that workers get which call other endpoints and are of no app. */
  readonly accountKey: () => string
  readonly writeAccountKey: (key: string) => Promise<void>
}

/** The running core. */
export type Core = {
  readonly service: ServiceContext
  readonly start: () => Promise<void>
  readonly stop: (graceMs: number) => Promise<void>
}

const CLOCK_OFFSET = 'clock.offset'
const MIB = 1024 * 1024

/** Joins everything; nothing runs yet. */
export function createCore(ports: CorePorts): Core {
  const { storage, newId, log, post, ping, send, facts } = ports
  const clock = createSteadyClock(ports.time, Number(storage.state.get(CLOCK_OFFSET) ?? 0), (offset) => {
    log.warn('the wall clock jumped', { offset })
    storage
      .write(() => storage.state.set(CLOCK_OFFSET, offset))
      .catch((error) => log.error('clock offset not stored', { error }))
  })
  const settings = createSettings(storage)
  const bells = { events: createBell(clock), logs: createBell(clock), requests: createBell(clock) }
  const leases = createLeases(storage, clock)
  const waiters = createJobWaiters(storage, clock)
  const registry = createWorkerRegistry({ storage, clock, log })
  const keys = createKeys({ storage, newId, registry })
  const sessions = createSessions({ storage, clock, newId })
  const balancer = createRequestBalancer({
    storage,
    clock,
    registry,
    statusOf: (endpointId) => supervisor.status(endpointId),
    reasonOf: (endpoint, requestSince) => waitingReason(views, endpoint, { requestSince }),
    onChange: (endpointId) => supervisor.check(endpointId),
  })
  const counts = countRequests(createQueueCounts(storage), balancer, registry)
  const health = createHealthWatch({
    clock,
    registry,
    ping,
    log,
    onChange: (endpointId) => supervisor.check(endpointId),
  })
  const faultsOf = (endpointId: string) => storage.endpoints.get(endpointId)?.config.faults
  const takes = createParkedTakes(storage, clock, {
    mayHandOut: (endpointId) => storage.endpoints.get(endpointId)?.paused === false,
    waiting: (endpointId) => counts.of(endpointId).normal + counts.of(endpointId).lowPriority,
    mayTake: (workerId) => {
      const worker = registry.get(workerId)
      if (worker === undefined || !takesJobs(worker)) return false
      return !isUsedUp(faultsOf(worker.endpointId), worker)
    },
    load: (workerId) => {
      const worker = registry.get(workerId)
      return worker === undefined ? 0 : loadOf(worker, leases)
    },
    except: (workerId) => [...(registry.get(workerId)?.stopOrders.values() ?? [])].map((order) => order.seq),
    faultsOf,
  })
  const fleet = ports.fleet({
    clock,
    maxWorkers: () => settings.get().maxWorkers,
    registryAuth: (name) => registryCredentials(storage, name),
  })
  const calls = createWorkerCalls({
    storage,
    clock,
    fleet,
    leases,
    takes,
    waiters,
    registry,
    onWorkerChange: (worker) => supervisor.check(worker.endpointId),
  })
  const ofModels = { fetchFile: createFetchFile(), settings: settings.get, dataFolder: () => facts().data }
  const models = createModels({ storage, clock, newId, log, ...ofModels })
  const planOf = ({ id, config }: Endpoint): WorkerPlan => ({
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
  })
  // Code of an app may call its app and no more, and that only while it runs.
  const keyForCalls = ({ config }: Endpoint, { token }: WorkerIdentity) => {
    if (!config.callsOthers) return undefined
    return config.app === undefined ? ports.accountKey() : token
  }
  const logMasks = createLogMasks(storage, registry)
  const environmentOf = (endpoint: Endpoint, worker: WorkerIdentity, reach: ServiceReach) => {
    logMasks.learn(placeOf(endpoint.config.app)) // before it can print what it gets
    return workerEnvironment({
      workerBaseUrl: reach.workerUrl,
      serviceBaseUrl: reach.serviceUrl,
      endpointId: endpoint.id,
      workerId: worker.workerId,
      workerToken: worker.token,
      apiKey: keyForCalls(endpoint, worker),
      concurrency: endpoint.config.concurrency,
      pingIntervalMs: limit('pingIntervalMs'),
      systemChecks: settings.get().workerSystemChecks,
      hasGpu: endpoint.config.container?.gpu !== undefined, // a process may see one, and need not have it for itself
      workflowServer: endpoint.config.workflows?.server,
      app: placeOf(endpoint.config.app),
      env: { ...endpoint.config.env, ...variablesOf(storage, endpoint.config.app) },
    })
  }
  const supervisor: WorkerSupervisor = new WorkerSupervisor({
    storage,
    clock,
    newId,
    log,
    fleet,
    counts,
    leases,
    registry,
    calls,
    balancer,
    health,
    planOf,
    environmentOf,
  })
  const views: ViewDeps = { storage, clock, fleet, counts, leases, registry, supervisor }
  const requestLog = createRequestLog({
    storage,
    clock,
    log,
    heard: (request) => metrics.countRequest(request),
    stored: bells.requests.ring,
  })
  const { mask } = logMasks
  const collect = createLogCollector({ storage, clock, registry, leases, log, mask, stored: bells.logs.ring })
  const processMachine = ports.processMachine({ python: () => settings.get().python })
  const releases = createReleases({
    storage,
    clock,
    newId,
    log,
    fleet,
    processMachine,
    registry,
    supervisor,
    unpack: unpackArtifact,
    readManifest,
  })
  const replacement = createHandReplacement({ storage, clock, fleet, registry, supervisor, log })
  const shells = createShells({ clock, newId, log, fleet, registry })
  const projects = createProjects({ storage, clock, newId, log, ports: ports.projects })
  const ofLoadTests = { send, url: () => facts().url, accountKey: ports.accountKey }
  const loadTests = createLoadTests({ storage, clock, newId, log, ...ofLoadTests })
  const { host } = ports
  const doctor = createDoctor({ host, fleet, storage, supervisor, settings, log, url: () => facts().url })
  const usage = createUsageWatch({ clock, fleet, registry, log })
  const webhooks = new WebhookDelivery({ storage, clock, log, post, settings: settings.get })
  const metrics: MetricsRecorder = new MetricsRecorder({ storage, clock, log, counts, registry })
  const housekeeping = new Housekeeping({ storage, clock, log, registry, settings: settings.get })
  const stopping = new AbortController()
  const workflows = createWorkflows({
    storage,
    clock,
    newId,
    log,
    ports: { ...workflowResources(() => facts().data), fetchNodeTypes, sizeOfNodeTypes, lookForServer },
    assetsMaxBytes: () => settings.get().assetsMaxMib * MIB,
    stopping: stopping.signal,
  })
  fleet.onOutput(collect)
  storage.onCommit(bells.events.ring)

  let state: 'new' | 'running' | 'stopped' = 'new'
  let stopped: Promise<void> | undefined

  // What cannot be written on the way, on a full disk say, must not keep the rest from stopping: the next start finds
  // running jobs without a worker and queues them again.
  async function stopAll(graceMs: number): Promise<void> {
    balancer.close()
    doctor.stop()
    await loadTests.close()
    const projectsEnd = projects.stop().catch((error) => log.error('projects not stopped', { error }))
    await releases.stop().catch((error) => log.error('releases not given up', { error }))
    await Promise.all([replacement.stop(), shells.stop()])
    await supervisor.stop(graceMs).catch((error) => log.error('running jobs not given back', { error }))
    takes.dismissAll()
    waiters.release()
    stopping.abort()
    const lastMetrics = metrics.stop().catch((error) => log.warn('last metrics not written', { error }))
    const parts = [housekeeping, webhooks, health, requestLog, workflows, models].map((part) => part.stop())
    await Promise.all([projectsEnd, lastMetrics, ...parts])
    await fleet.close()
  }

  return {
    service: {
      storage,
      clock,
      newId,
      log,
      settings,
      keys,
      sessions,
      leases,
      waiters,
      registry,
      calls,
      supervisor,
      replacement,
      shells,
      webhooks,
      metrics,
      figures: createFigures({ storage, clock }),
      catalog: createCatalog({ fleet, read: readCatalog }),
      usage,
      bells,
      streams: createStreamReaders({ storage, clock, waiters }),
      streamClients: createStreamClients({ newId, log }),
      balancer,
      requestLog,
      releases,
      loadTests,
      projects,
      workflows,
      models,
      doctor,
      host,
      fleet,
      processMachine,
      views,
      info: facts,
      stopping: stopping.signal,
      async rotateAccountKey() {
        // Asked for in one turn, so both are in one commit.
        const [key] = await Promise.all([keys.rotateAccountKey(), sessions.endAll()])
        await ports.writeAccountKey(key)
      },
    },
    async start() {
      if (state !== 'new') return
      state = 'running'
      await releases.start()
      await loadTests.begin()
      await models.start()
      await adoptWorkers({ storage, clock, fleet, leases, registry, log })
      supervisor.start()
      webhooks.start()
      metrics.start()
      housekeeping.start()
      workflows.start()
    },
    stop(graceMs) {
      state = 'stopped'
      stopped ??= stopAll(graceMs)
      return stopped
    },
  }
}

/** The adapters that a shell hands to the core, and the types of what it brings: shells import the core alone. */
export {
  createDockerFleet as dockerFleet,
  createProcessFleet as processFleet,
  createProcessMachine as processMachine,
  type Fleet,
  type Host,
  joinFleets,
  type Log,
  type NewId,
  type OpenedFolder,
  openFolderStorage,
  type PreviewEnd,
  type ProjectPorts,
  pingWorker,
  postOut,
  previewLink,
  type ServiceFacts,
  type StartPreview,
  type Storage,
  sendRequest,
  type TimeSource,
}
