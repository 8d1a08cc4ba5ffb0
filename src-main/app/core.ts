/**
 * The only place that joins services and adapters. start() readopts workers that answer and requeues the jobs of
 * others; stop() lets jobs end within the grace period, then requeues the rest.
 */

import type { RegistryCredentials } from '../contract/container.ts'
import type { CodeChange } from '../contract/endpoint.ts'
import type { PackageInstall } from '../contract/packages.ts'
import { notePlace, originalOf } from '../database/database-place.ts'
import { otherUserOf } from '../database/database-users.ts'
import { fileError } from '../database/write-files.ts'
import { readManifest } from '../features/apps/adapters/unpack-artifact.ts'
import { unpackInThread } from '../features/apps/adapters/unpack-in-thread.ts'
import { createReleases } from '../features/apps/releases.ts'
import { createBatchQueue } from '../features/batches/batch-queue.ts'
import { createCatalog } from '../features/endpoints/catalog.ts'
import { createPackageInstaller } from '../features/endpoints/install-packages.ts'
import { createRefusals } from '../features/endpoints/refusals.ts'
import { countWorkers, type ViewDeps } from '../features/endpoints/views.ts'
import { postOut } from '../features/jobs/adapters/post.ts'
import { WebhookDelivery } from '../features/jobs/deliver-webhooks.ts'
import { createPendingBulk } from '../features/jobs/pending-bulk.ts'
import type { Poster } from '../features/jobs/ports/post.ts'
import { createLeases } from '../features/jobs/queue/leases.ts'
import { createLostChunks } from '../features/jobs/queue/lost-chunks.ts'
import { createParkedTakes } from '../features/jobs/queue/parked-takes.ts'
import { createQueueCounts } from '../features/jobs/queue/queue-counts.ts'
import { createStreamReaders } from '../features/jobs/queue/read-stream.ts'
import { createStreamClients } from '../features/jobs/queue/stream-clients.ts'
import { createJobWaiters } from '../features/jobs/queue/wait-for-job.ts'
import { createAccess } from '../features/keys/access.ts'
import { pingWorker } from '../features/load-balancing/adapters/ping-worker.ts'
import { createRequestBalancer } from '../features/load-balancing/balance-requests.ts'
import { createRequestLog } from '../features/load-balancing/log-requests.ts'
import type { Pinger } from '../features/load-balancing/ports.ts'
import { createHealthWatch } from '../features/load-balancing/watch-health.ts'
import { sendRequest } from '../features/load-tests/adapters/send-request.ts'
import type { RequestSender } from '../features/load-tests/ports.ts'
import { joinMachines, machinesOfWorkers } from '../features/machines/join-machines.ts'
import { leaveMachines } from '../features/machines/leftovers.ts'
import { createMachines } from '../features/machines/machines.ts'
import type { MachineFleets } from '../features/machines/ports.ts'
import type { LeftBehind } from '../features/machines/rules/left-behind.ts'
import { createFetchFile } from '../features/models/adapters/fetch-file.ts'
import { createModels } from '../features/models/models.ts'
import { openCollector } from '../features/monitoring/adapters/span-thread.ts'
import { createRequestCounts } from '../features/monitoring/count-requests.ts'
import { createEndpointLog } from '../features/monitoring/logs/endpoint-log.ts'
import { MetricsRecorder } from '../features/monitoring/metrics.ts'
import { createScrape } from '../features/monitoring/scrape.ts'
import { createStats } from '../features/monitoring/stats.ts'
import { createTraces } from '../features/monitoring/traces.ts'
import { createUsageWatch } from '../features/monitoring/watch-usage.ts'
import { createLogCollector, createLogMasks } from '../features/monitoring/worker-logs.ts'
import { previewLink } from '../features/projects/adapters/preview-link.ts'
import type { PreviewEnd, ProjectPorts, StartPreview } from '../features/projects/ports.ts'
import { registryCredentials } from '../features/registries/registries.ts'
import type { ServiceFacts } from '../features/service-context.ts'
import { createSettings } from '../features/settings/settings.ts'
import { createDoctor } from '../features/system/doctor.ts'
import { Housekeeping } from '../features/system/housekeeping.ts'
import { createRecentSpans } from '../features/what-if/recent-spans.ts'
import type { ImagePipeline } from '../features/worker-images/ports/image-pipeline.ts'
import { watchCode } from '../features/workers/adapters/watch-code.ts'
import { adoptWorkers } from '../features/workers/adopt-workers.ts'
import { joinFleets } from '../features/workers/join-fleets.ts'
import { createWorkerPlans } from '../features/workers/plans/worker-plans.ts'
import { createExclusiveGroups } from '../features/workers/registry/exclusive-groups.ts'
import { createFleetStatuses, createScalingSignal } from '../features/workers/registry/fleet-status.ts'
import { createWorkerRegistry } from '../features/workers/registry/worker-registry.ts'
import { createWorkflowServers } from '../features/workers/registry/workflow-servers.ts'
import { createCodeReload } from '../features/workers/reload-code.ts'
import { createHandReplacement } from '../features/workers/replace-by-hand.ts'
import { createShells } from '../features/workers/shells.ts'
import { WorkerSupervisor } from '../features/workers/supervise.ts'
import { createWorkerCalls } from '../features/workers/worker-calls.ts'
import { createExitHistory } from '../features/workers/worker-lifecycle.ts'
import {
  askServer,
  fetchNodeTypes,
  freeMemory,
  probeServer,
  readLastModels,
  readServer,
  sizeOfNodeTypes,
  whyNoServer,
} from '../features/workflows/adapters/comfy-server.ts'
import { createWorkflows } from '../features/workflows/workflows.ts'
import type { Clock, Log, NewId, TimeSource } from '../lib/clock.ts'
import { createNotifier } from '../lib/wait.ts'
import { createDockerFleet } from '../runtimes/docker/docker-fleet.ts'
import { localHost } from '../runtimes/docker/engine-host.ts'
import type { Fleet, ProcessHost, ServiceHost } from '../runtimes/port.ts'
import { createProcessFleet } from '../runtimes/process/process-fleet.ts'
import { createProcessHost } from '../runtimes/process/process-host.ts'
import type { MachineFleetsOptions } from '../runtimes/remote/machine-options.ts'
import { readCatalog, workflowResources } from '../shipped-files/resources.ts'
import { PYTHON_PACKAGES } from '../shipped-files/root.ts'
import { type OpenedFolder, openFolderStorage } from '../storage/open-folder.ts'
import { findDamage, type RecoveredTable, recoverDatabase } from '../storage/recover-database.ts'
import type { Endpoint, Storage } from '../storage/storage.ts'
import { createOptionalFeatures, OPTIONAL_FEATURES, type OptionalFeatures } from './optional-features.ts'
import { createReadInThread } from './read-in-thread.ts'
import { createStoredClock } from './steady-clock.ts'

export type CorePorts = {
  readonly storage: Storage
  readonly time: TimeSource
  readonly newId: NewId
  readonly log: Log
  readonly post: Poster
  readonly ping: Pinger
  readonly host: ServiceHost
  readonly send: RequestSender
  readonly projects: ProjectPorts
  readonly imagePipeline: ImagePipeline
  readonly processHost: (needs: { readonly python: () => string }) => ProcessHost
  readonly fleet: (needs: {
    readonly clock: Clock
    readonly maxWorkers: () => number
    readonly registryAuth: (name: string) => RegistryCredentials | undefined
  }) => Fleet
  readonly machines: (needs: Parameters<CorePorts['fleet']>[0]) => Promise<MachineFleets>
  readonly facts: () => ServiceFacts
  readonly accountKey: () => string
  readonly prepareKeyFile: (key: string) => () => void
  /** Address for traces from the start options; it wins over the setting. */
  readonly tracesTo?: string | undefined
  readonly features?: OptionalFeatures
}

export type Core = ReturnType<typeof createCore>

export function createCore(ports: CorePorts) {
  const { storage, newId, log, post, ping, send, host, facts, accountKey } = ports
  const clock = createStoredClock({ source: ports.time, storage, log })
  const settings = createSettings(storage)
  const notifiers = { logs: createNotifier(clock), requests: createNotifier(clock) }
  const stopping = new AbortController()
  const url = () => facts().url
  const dataFolder = () => facts().data
  const python = () => settings.get().python
  const registry = createWorkerRegistry(storage, clock, log)
  const ofTraces = { open: openCollector, address: ports.tracesTo, version: () => facts().version }
  const traces = createTraces({ storage, registry, settings, clock, newId, log, ...ofTraces })
  const endpointLog = createEndpointLog({ storage, clock, log, stored: notifiers.logs.notify })
  const reader = createReadInThread()
  const { readInThread } = reader
  const ofService = { settings, traces, notifiers, endpointLog, readInThread, info: facts, stopping: stopping.signal }
  const base = { storage, clock, newId, log, ...ofService }
  const access = createAccess({ storage, clock, newId, log, registry, prepareKeyFile: ports.prepareKeyFile })
  const ofFleets = {
    clock,
    maxWorkers: () => settings.get().maxWorkers,
    registryAuth: (name: string) => registryCredentials(storage, name),
  }
  const machines = createMachines({ storage, loadFleets: () => ports.machines(ofFleets), clock, newId, log })
  const fleet = joinMachines(ports.fleet(ofFleets), machines, registry)
  const processHost = ports.processHost({ python })
  const catalog = createCatalog({ fleet, read: readCatalog })
  const machine = { host, fleet, processHost, catalog, pythonPackages: PYTHON_PACKAGES }

  const leases = createLeases(storage, clock)
  const waiters = createJobWaiters(storage, clock)
  const servers = createWorkflowServers({ clock, registry, leases })
  const scaling = createScalingSignal()
  const onChange = scaling.notify
  const history = createExitHistory({ storage, log })
  const status = createFleetStatuses(clock, history)
  const jobCounts = createQueueCounts(storage)
  const ofGroups = { counts: jobCounts, registry, servers, freeMemory, stopping: stopping.signal }
  const groups = createExclusiveGroups({ storage, clock, log, ...ofGroups })
  const ofBalancer = { registry, fleet, status, servers, groups, jobCounts, onChange }
  const balancer = createRequestBalancer({ storage, clock, ...ofBalancer })
  const counts = balancer.work
  const recentSpans = createRecentSpans({ storage, clock })
  const codeChanges = new Map<string, CodeChange>()
  const installs = new Map<string, PackageInstall>()
  const views: ViewDeps = {
    storage,
    clock,
    fleet,
    counts,
    leases,
    registry,
    status,
    servers,
    groups,
    recentSpans,
    codeChanges,
    installs,
    refusals: createRefusals({ fleet, clock }),
  }
  const takes = createParkedTakes({ storage, clock, counts, registry, leases, status, servers, groups })
  const lostChunks = createLostChunks(storage)
  const logMasks = createLogMasks(storage, registry)
  const ofCalls = { lostChunks, fleet, leases, takes, waiters, registry, onChange, hide: logMasks.hide }
  const calls = createWorkerCalls({ ...base, ...ofCalls })
  const health = createHealthWatch({ clock, registry, ping, log, onChange })

  const models = createModels({ ...base, settings: settings.get, fetchFile: createFetchFile(), dataFolder })
  const plans = createWorkerPlans({ storage, settings, models, logMasks, accountKey })
  const ofWorkers = { leases, registry, calls, counts, balancer, health, status, scaling, plans, history, servers }
  const supervisor = new WorkerSupervisor({ ...base, ...ofWorkers, fleet })
  const replacement = createHandReplacement({ storage, clock, fleet, registry, supervisor, log })
  const packages = createPackageInstaller({ ...base, processHost, replacement, installs, projects: ports.projects })
  const codeReload = createCodeReload({ ...base, fleet, registry, supervisor, watch: watchCode, changes: codeChanges })
  const shells = createShells({ clock, newId, log, fleet, registry })
  const usage = createUsageWatch({ clock, fleet, registry, log })
  const workers = { registry, calls, supervisor, replacement, packages, shells, usage, views }
  const stored = notifiers.logs.notify
  fleet.onOutput(createLogCollector({ ...base, registry, leases, lostChunks, mask: logMasks.mask, stored }))

  storage.onFailure((error) =>
    log.error('the disk failed: nothing is accepted until the service is restarted', { error }),
  )
  const workersOf = (endpoint: Endpoint) => countWorkers(views, endpoint)
  const metrics = new MetricsRecorder({ storage, clock, log, counts, registry, workersOf })
  const requestCounts = createRequestCounts()
  const scrape = createScrape({
    storage,
    clock,
    fleet,
    host,
    counts,
    workersOf,
    calls,
    metrics,
    requestCounts,
    traces,
    settings,
    facts,
  })
  const stats = createStats(storage, clock, metrics)
  const monitoring = { metrics, stats, requestCounts, scrape }
  const requestLog = createRequestLog({ storage, clock, log, metrics, stored: notifiers.requests.notify })
  const webhooks = new WebhookDelivery({ storage, clock, log, post, traces, settings: settings.get })
  const housekeeping = new Housekeeping({ storage, clock, log, registry, settings: settings.get })
  const pendingBulk = createPendingBulk({ ...base, models })
  const batches = createBatchQueue({ ...base, models, counts: jobCounts })
  const streams = createStreamReaders(storage, clock, waiters)
  const streamClients = createStreamClients({ newId, log })
  const jobs = { leases, waiters, streams, streamClients, webhooks, models, pendingBulk, batches }
  const doctor = createDoctor({ host, fleet, storage, supervisor, settings, log, url })

  const ofReleases = { ...machine, registry, status, supervisor, unpack: unpackInThread, readManifest }
  const releases = createReleases({ ...base, ...ofReleases })
  const ofServers = { readServer, fetchNodeTypes, sizeOfNodeTypes, probeServer, readLastModels, whyNoServer, askServer }
  const workflowPorts = { ...workflowResources(dataFolder), ...ofServers }
  const workflows = createWorkflows({ ...base, ports: workflowPorts, settings: settings.get, servers, onChange })

  const service = {
    ...{ ...base, ...access, ...machine, ...jobs, ...workers, ...monitoring },
    ...{ balancer, requestLog, releases, projects: ports.projects, workflows, doctor, machines },
  }
  const features = createOptionalFeatures(ports.features ?? OPTIONAL_FEATURES, {
    ...service,
    ...{ send, accountKey, imagePipeline: ports.imagePipeline },
  })

  let state: 'new' | 'running' | 'stopped' = 'new'
  let stopped: Promise<void> | undefined

  // A failed write must not keep the rest from stopping: the next start queues running jobs without a worker again.
  async function end(part: string, stop: () => void | Promise<void>): Promise<void> {
    try {
      await stop()
    } catch (error) {
      log.error('a part of the service did not stop in order', { part, error })
    }
  }

  let left: readonly LeftBehind[] = []

  async function stopAll(graceMs: number): Promise<void> {
    await end('balancer', balancer.close)
    await end('doctor', doctor.stop)
    const { ended } = await features.stop(end)
    await end('bulk actions', pendingBulk.stop)
    await end('batches', batches.stop)
    await end('releases', releases.stop)
    const first = { replacement, packages, 'reloads of code': codeReload, shells }
    await Promise.all(Object.entries(first).map(([part, it]) => end(part, () => it.stop())))
    await end('workers', () => supervisor.stop(graceMs))
    await end('parked takes', takes.dismissAll)
    await end('waiting requests', waiters.release)
    stopping.abort()
    const last = { housekeeping, webhooks, health, 'request log': requestLog, workflows, models, metrics }
    await Promise.all([ended, ...Object.entries(last).map(([part, it]) => end(part, () => it.stop()))])
    await end('traces', traces.stop)
    await end('reader', reader.stop)
    left = await fleet.close()
  }

  return {
    service,
    features,
    async start() {
      if (state !== 'new') return
      state = 'running'
      await Promise.all([releases.start(), storage.artifacts.dropUnfinished()])
      await models.start()
      await machines.start()
      await machines.whenReached(machinesOfWorkers(storage.workers.all()))
      await adoptWorkers({ storage, clock, fleet, leases, registry, servers, log })
      supervisor.start()
      codeReload.start()
      await features.start()
      pendingBulk.start()
      batches.start()
      webhooks.start()
      await metrics.start()
      housekeeping.start()
      workflows.start()
    },
    stop(graceMs: number): Promise<void> {
      state = 'stopped'
      stopped ??= stopAll(graceMs)
      return stopped
    },
    hurry: () => supervisor.hurry(),
    runningJobs: (): number => [...leases.all()].length,
    left: (): readonly LeftBehind[] => left,
  }
}

export const machineFleets = async (options: MachineFleetsOptions): Promise<MachineFleets> =>
  (await import('../runtimes/machine-fleets.ts')).createMachineFleets(options)

export {
  createDockerFleet as dockerFleet,
  createProcessFleet as processFleet,
  createProcessHost as processHost,
  type Fleet,
  fileError,
  findDamage,
  type ImagePipeline,
  joinFleets,
  type Log,
  leaveMachines,
  localHost,
  type NewId,
  notePlace,
  type OpenedFolder,
  openFolderStorage,
  originalOf,
  otherUserOf,
  type PreviewEnd,
  type ProjectPorts,
  pingWorker,
  postOut,
  previewLink,
  type RecoveredTable,
  recoverDatabase,
  type ServiceFacts,
  type ServiceHost,
  type StartPreview,
  type Storage,
  sendRequest,
  type TimeSource,
}
