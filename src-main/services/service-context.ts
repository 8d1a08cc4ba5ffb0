import type { Releases } from './apps/releases.ts'
import type { Bell } from './bell.ts'
import type { RequestBalancer } from './load-balanced/balance-requests.ts'
import type { RequestLog } from './load-balanced/log-requests.ts'
import type { LoadTests } from './load-tests/load-tests.ts'
import type { Catalog } from './management/catalog.ts'
import type { Doctor } from './management/doctor.ts'
import type { Figures } from './management/figures.ts'
import type { Keys } from './management/keys.ts'
import type { MetricsRecorder } from './management/metrics.ts'
import type { Sessions } from './management/sessions.ts'
import type { Settings } from './management/settings.ts'
import type { ViewDeps } from './management/views.ts'
import type { Models } from './models/models.ts'
import type { Host } from './ports/machine.ts'
import type { ProcessMachine } from './ports/process-machine.ts'
import type { Clock, Fleet, Log, NewId, Storage } from './ports.ts'
import type { Projects } from './projects/projects.ts'
import type { Leases } from './queue/leases.ts'
import type { StreamReaders } from './queue/read-stream.ts'
import type { StreamClients } from './queue/stream-clients.ts'
import type { JobWaiters } from './queue/wait-for-job.ts'
import type { WebhookDelivery } from './webhooks/deliver.ts'
import type { HandReplacement } from './workers/replace-worker.ts'
import type { Shells } from './workers/shells.ts'
import type { WorkerSupervisor } from './workers/supervise.ts'
import type { UsageWatch } from './workers/watch-usage.ts'
import type { WorkerCalls } from './workers/worker-calls.ts'
import type { WorkerRegistry } from './workers/worker-registry.ts'
import type { Workflows } from './workflows/workflows.ts'

/** The running service as the HTTP layer sees it. Made by core.ts. */
export type ServiceContext = {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly settings: Settings
  readonly keys: Keys
  readonly sessions: Sessions
  readonly leases: Leases
  readonly waiters: JobWaiters
  readonly streams: StreamReaders
  readonly streamClients: StreamClients
  readonly registry: WorkerRegistry
  readonly calls: WorkerCalls
  readonly supervisor: WorkerSupervisor
  readonly replacement: HandReplacement
  readonly shells: Shells
  readonly webhooks: WebhookDelivery
  readonly metrics: MetricsRecorder
  readonly figures: Figures
  readonly catalog: Catalog
  readonly usage: UsageWatch
  readonly balancer: RequestBalancer
  readonly requestLog: RequestLog
  readonly releases: Releases
  readonly loadTests: LoadTests
  readonly projects: Projects
  readonly workflows: Workflows
  readonly models: Models
  readonly doctor: Doctor
  readonly host: Host
  readonly fleet: Pick<Fleet, 'refusal' | 'stop' | 'machine'>
  readonly processMachine: ProcessMachine
  readonly views: ViewDeps
  /** Facts that are known when the service listens. */
  readonly info: () => ServiceFacts
  /** Ring when events, log lines or requests were stored. */
  readonly bells: { readonly events: Bell; readonly logs: Bell; readonly requests: Bell }
  /** Aborts when the service stops: open event streams end. */
  readonly stopping: AbortSignal
  /** Makes a new account key, ends all sessions, and writes the key to the key file. */
  readonly rotateAccountKey: () => Promise<void>
}

/** Where the service is. */
export type ServiceFacts = {
  readonly version: string
  readonly pid: number
  /** Address for users, without a slash at the end. */
  readonly url: string
  /** Host headers under which it answers, lower case. */
  readonly hosts: ReadonlySet<string>
  readonly data: string
  readonly keyFile: string
  /** How the command line was called that started it, like `npx drydock`. */
  readonly command: string
  readonly startedAt: number
}
