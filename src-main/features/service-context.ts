import type { Clock, Log, NewId } from '../lib/clock.ts'
import type { InThread } from '../lib/in-thread.ts'
import type { Notifier } from '../lib/wait.ts'
import type { Fleet, ProcessHost, ServiceHost } from '../runtimes/port.ts'
import type { Storage } from '../storage/storage.ts'
import type { Releases } from './apps/releases.ts'
import type { BatchQueue } from './batches/batch-queue.ts'
import type { ComfyuiReaders } from './comfyui-api/ports.ts'
import type { Catalog } from './endpoints/catalog.ts'
import type { PackageInstaller } from './endpoints/install-packages.ts'
import type { ViewDeps } from './endpoints/views.ts'
import type { WebhookDelivery } from './jobs/deliver-webhooks.ts'
import type { PendingBulkActions } from './jobs/pending-bulk.ts'
import type { JobReaders } from './jobs/ports/readers.ts'
import type { Leases } from './jobs/queue/leases.ts'
import type { StreamReaders } from './jobs/queue/read-stream.ts'
import type { StreamClients } from './jobs/queue/stream-clients.ts'
import type { JobWaiters } from './jobs/queue/wait-for-job.ts'
import type { Access } from './keys/access.ts'
import type { RequestBalancer } from './load-balancing/balance-requests.ts'
import type { RequestLog } from './load-balancing/log-requests.ts'
import type { RequestSender } from './load-tests/ports.ts'
import type { Machines } from './machines/machines.ts'
import type { Models } from './models/models.ts'
import type { ModelReaders } from './models/ports.ts'
import type { RequestCounts } from './monitoring/count-requests.ts'
import type { EndpointLog } from './monitoring/logs/endpoint-log.ts'
import type { MetricsRecorder } from './monitoring/metrics.ts'
import type { Scrape } from './monitoring/scrape.ts'
import type { Stats } from './monitoring/stats.ts'
import type { Traces } from './monitoring/traces.ts'
import type { UsageWatch } from './monitoring/watch-usage.ts'
import type { PackageReaders } from './platform-api/ports.ts'
import type { ProjectPorts } from './projects/ports.ts'
import type { Settings } from './settings/settings.ts'
import type { Doctor } from './system/doctor.ts'
import type { ImagePipeline } from './worker-images/ports/image-pipeline.ts'
import type { WorkerRegistry } from './workers/registry/worker-registry.ts'
import type { HandReplacement } from './workers/replace-by-hand.ts'
import type { Shells } from './workers/shells.ts'
import type { WorkerSupervisor } from './workers/supervise.ts'
import type { WorkerCalls } from './workers/worker-calls.ts'
import type { WorkflowReaders } from './workflows/ports/readers.ts'
import type { Workflows } from './workflows/workflows.ts'

export type ServiceBase = {
  readonly readInThread: InThread<JobReaders & WorkflowReaders & ComfyuiReaders & ModelReaders & PackageReaders>
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly settings: Settings
  readonly traces: Traces
  readonly endpointLog: EndpointLog
  readonly info: () => ServiceFacts
  readonly notifiers: { readonly logs: Notifier; readonly requests: Notifier }
  readonly stopping: AbortSignal
}

export type GuardServices = ServiceBase & Access

export type NamedEndpointServices = GuardServices & { readonly releases: Pick<Releases, 'whenLive'> }

export type BalancerServices = NamedEndpointServices &
  Pick<ServiceContext, 'balancer' | 'fleet' | 'registry' | 'requestCounts' | 'requestLog'>

export type ServiceContext = ServiceBase &
  Access & {
    readonly leases: Leases
    readonly waiters: JobWaiters
    readonly streams: StreamReaders
    readonly streamClients: StreamClients
    readonly webhooks: WebhookDelivery
    readonly pendingBulk: PendingBulkActions
    readonly batches: BatchQueue
    readonly models: Models
    readonly registry: WorkerRegistry
    readonly calls: WorkerCalls
    readonly supervisor: WorkerSupervisor
    readonly replacement: HandReplacement
    readonly packages: PackageInstaller
    readonly shells: Shells
    readonly machines: Machines
    readonly usage: UsageWatch
    readonly views: ViewDeps
    readonly balancer: RequestBalancer
    readonly requestLog: RequestLog
    readonly host: ServiceHost
    readonly fleet: Pick<Fleet, 'refusal' | 'stop' | 'containerHost'>
    readonly processHost: ProcessHost
    readonly catalog: Catalog
    readonly pythonPackages: string
    readonly doctor: Doctor
    readonly metrics: MetricsRecorder
    readonly stats: Stats
    readonly requestCounts: RequestCounts
    readonly scrape: Scrape
    readonly releases: Releases
    readonly projects: Pick<ProjectPorts, 'folders'>
    readonly workflows: Workflows
  }

export type FeatureCore = ServiceContext & {
  readonly send: RequestSender
  readonly accountKey: () => string
  readonly projects: ProjectPorts
  readonly imagePipeline: ImagePipeline
}

export type ServiceFacts = {
  readonly version: string
  readonly pid: number
  readonly url: string
  readonly hosts: ReadonlySet<string>
  readonly data: string
  readonly keyFile: string
  /** Invokes the CLI from any folder, like `node /clone/src-main/app/cli/drydock.mjs`. */
  readonly command: string
  readonly startedAt: number
}
