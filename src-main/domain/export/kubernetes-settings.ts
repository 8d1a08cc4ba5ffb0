/**
 * What becomes of every setting of an endpoint in Kubernetes, THE table. A setting that is new has to be given a row
 * here, so that none is ever dropped in silence. Source: docs/spec/kubernetes-export.md, 2.
 */
import type { ContainerSettings } from '../../contract/container.ts'
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { SECOND_MS } from '../../contract/units.ts'
import { healthPathOf } from '../load-balanced/listening-variables.ts'
import { durationText, faultsText } from '../text.ts'
import { takesWorkflows } from '../workflow-runs/takes-workflows.ts'
import { gpuNote } from './kubernetes-gpu.ts'
import { type Exported, takesJobs, wholeSeconds } from './kubernetes-manifest.ts'
import { growthSeconds } from './kubernetes-scaler.ts'

/**
 * `written`: the manifests say the same. `refused`: no endpoint that is exported has it. Else what is different there,
 * for a person; undefined where that makes no difference for this endpoint.
 */
type Row<Settings> = 'written' | 'refused' | ((settings: Settings, endpoint: Exported) => string | undefined)

type Rows<Settings> = { readonly [Name in keyof Required<Settings>]: Row<Settings> }

const STAYS = 'stays with the service, which has the queue'

const ENDPOINT_ROWS: Rows<EndpointConfig> = {
  name: 'written',
  handler: 'refused',
  command: 'written',
  cwd: ({ cwd }) => cwd && 'for processes; a container starts in the folder that its image says',
  searchPath: ({ searchPath }) => searchPath && 'for processes',
  virtualEnv: ({ virtualEnv }) => virtualEnv && 'for processes',
  workersMin: 'written',
  workersMax: ({ workersMax }, endpoint) => {
    if (!takesJobs(endpoint))
      return `requests go to the Service, where nobody counts them, so the number of pods is fixed at ${fixedPods(endpoint)}`
    return workersMax > 1
      ? 'of several pods one at work may be ended; after its grace time the job is queued again'
      : undefined
  },
  idleTimeoutMs: ({ idleTimeoutMs }, endpoint) =>
    takesJobs(endpoint) ? rounded(idleTimeoutMs) : 'no pod is ended for having no requests, see workersMax',
  concurrency: 'written',
  executionTimeoutMs: ({ executionTimeoutMs }, endpoint) =>
    takesJobs(endpoint)
      ? `${durationText(executionTimeoutMs)}, ${STAYS}; it asks a worker to stop, and cannot end the pod of one that does not`
      : 'no time-out of requests is written',
  initializingTimeoutMs: ({ initializingTimeoutMs }, endpoint) =>
    takesJobs(endpoint)
      ? `${durationText(initializingTimeoutMs)} are not kept: nothing can ask a worker of a queue whether it is ready`
      : undefined,
  freezeIdle: ({ freezeIdle }) => (freezeIdle === undefined ? undefined : 'pods are not frozen'),
  stopGraceMs: ({ stopGraceMs }) => rounded(stopGraceMs),
  redispatches: ({ redispatches }, endpoint) => (takesJobs(endpoint) ? `${redispatches}, ${STAYS}` : undefined),
  scaler: ({ scaler }, endpoint) => {
    if (!takesJobs(endpoint)) return `${scaler.type} ${scaler.value} adds no pods, see workersMax`
    const seconds = growthSeconds(endpoint)
    return seconds === undefined || seconds === scaler.value ? undefined : `one pod is added each ${seconds} s`
  },
  env: 'written',
  callsOthers: 'written',
  model: ({ model }) => model && `${model} is not put there: give its pods a volume with the model`,
  loadBalanced: ({ loadBalanced, env }) =>
    loadBalanced && `GET ${healthPathOf(env)}: Kubernetes takes 204, which says "starting" here, for ready`,
  container: 'written', // its own rows are below
  cors: ({ cors }, endpoint) =>
    cors &&
    (takesJobs(endpoint) ? `${cors.join(', ')}, ${STAYS}` : 'the Service checks no origins and adds no headers'),
  streamForm: ({ streamForm }, endpoint) =>
    streamForm && (takesJobs(endpoint) ? `${streamForm}, ${STAYS}` : 'for jobs, and its pods take none'),
  emptyInput: ({ emptyInput }, endpoint) =>
    emptyInput && (takesJobs(endpoint) ? `${emptyInput}, ${STAYS}` : 'for jobs, and its pods take none'),
  ttlWhileRunning: ({ ttlWhileRunning }, endpoint) =>
    ttlWhileRunning && (takesJobs(endpoint) ? `${ttlWhileRunning}, ${STAYS}` : 'for jobs, and its pods take none'),
  noWorkerIs503: ({ noWorkerIs503 }, endpoint) =>
    noWorkerIs503 && !takesJobs(endpoint) ? 'the Service refuses the connection without a pod' : undefined,
  cancelOnDisconnect: ({ cancelOnDisconnect }, endpoint) =>
    cancelOnDisconnect === false && takesJobs(endpoint) ? STAYS : undefined,
  workflows: ({ workflows }, endpoint) =>
    takesWorkflows(endpoint) && workflows?.modelFolders !== false
      ? 'modelFolders: containers get the model folders of this machine, and pods do not; give it a volume with the models'
      : undefined,
  graph: 'refused',
  app: ({ app }) =>
    app && `a deploy of ${app.name}/${app.environment} does not change these manifests; export again after it`,
  platform: ({ platform }) => platform && 'kept for clients of the platform; means nothing there',
  faults: ({ faults }, endpoint) =>
    faults &&
    `${faultsText(faults)}; ${takesJobs(endpoint) ? 'only what happens to jobs, in the queue' : 'none are injected there'}`,
}

const CONTAINER_ROWS: Rows<ContainerSettings> = {
  machine: ({ machine }) => machine && 'Kubernetes chooses the node',
  image: 'written',
  python: 'refused',
  packages: 'refused',
  systemPackages: 'refused',
  entrypoint: 'written',
  args: 'written',
  pull: 'written',
  registryAuth: 'written',
  volumes: 'written',
  ports: ({ ports }) =>
    ports.length === 0
      ? undefined
      : `declared, not published (${ports.join(', ')}); \`kubectl port-forward\` leads to one`,
  shmBytes: 'written',
  cpu: ({ cpu }) => cpu && `CPUs and memory of ${cpu} are limits; its family means nothing there`,
  memoryBytes: 'written',
  diskBytes: ({ diskBytes }) =>
    diskBytes === undefined
      ? undefined
      : 'a pod that goes beyond it is evicted, where a write fails here; its logs count too',
  gpu: ({ gpu }) => gpu && `for ${gpu}, ${gpuNote(gpu)}`,
  gpuCount: 'written',
  gpuShared: ({ gpu, gpuShared }) =>
    gpu !== undefined && gpuShared
      ? 'pods share a card only where the cluster says so (time-slicing or MPS of the NVIDIA device plugin)'
      : undefined,
  profile: 'written',
  capabilities: 'written',
  egress: ({ egress }, endpoint) =>
    egress || !takesJobs(endpoint)
      ? undefined
      : 'NOT closed, as its workers must reach the service: add a NetworkPolicy that lets them reach it alone',
  placement: ({ placement }) =>
    placement && `constraints of a swarm mean nothing there (${placement.join(', ')}): add a nodeSelector`,
  keepPausedMs: ({ keepPausedMs }) =>
    keepPausedMs === undefined ? undefined : `pods are not paused (${durationText(keepPausedMs)})`,
  prepared: ({ prepared }) => (prepared === 1 ? undefined : `no pods are made in advance (${prepared})`),
}

/** What is different in Kubernetes, a sentence a setting, with its name in front. */
export function settingNotes(endpoint: Exported, container: ContainerSettings): readonly string[] {
  return [
    ...notesOf(ENDPOINT_ROWS, endpoint, endpoint),
    ...notesOf(CONTAINER_ROWS, container, endpoint).map((note) => `container.${note}`),
  ]
}

/** How many pods a load-balanced endpoint has: nothing in the cluster would start one for a request. */
export const fixedPods = ({ workersMin, workersMax }: Pick<Exported, 'workersMin' | 'workersMax'>): number =>
  Math.min(workersMax, Math.max(1, workersMin))

function notesOf<Settings extends object>(
  rows: Rows<Settings>,
  settings: Settings,
  endpoint: Exported,
): readonly string[] {
  return Object.entries<Row<Settings>>(rows).flatMap(([name, row]) => {
    const note = typeof row === 'string' ? undefined : row(settings, endpoint)
    return note ? [`${name}: ${note}`] : []
  })
}

// Only seconds can be written.
const rounded = (ms: number) => (ms % SECOND_MS === 0 ? undefined : `${ms} ms becomes ${wholeSeconds(ms)} s`)
