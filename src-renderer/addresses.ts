export const ENDPOINT_TABS = [
  'overview',
  'requests',
  'jobs',
  'workers',
  'logs',
  'settings',
  'what-if',
  'queue',
] as const

export type EndpointTab = (typeof ENDPOINT_TABS)[number]

export const ENVIRONMENT_TABS = ['endpoints', 'releases', 'variables'] as const

export type EnvironmentTab = (typeof ENVIRONMENT_TABS)[number]

export const PROJECT_TABS = ['picture', 'build', 'preview', 'deploy'] as const

export type ProjectTab = (typeof PROJECT_TABS)[number]

export const SYSTEM_TABS = ['checks', 'production', 'machine', 'disk', 'events'] as const

export type SystemTab = (typeof SYSTEM_TABS)[number]

export const SYSTEM_TAB_NAMES: Readonly<Record<SystemTab, string>> = {
  checks: 'Checks',
  production: 'Differences from production',
  machine: 'Machine',
  disk: 'Disk',
  events: 'Events',
}

const part = encodeURIComponent

/** For credentials to be added; no name of credentials begins like this. */
export const NEW_REGISTRY = '-new'

export const ADDRESS = {
  endpoints: '/endpoints',
  endpoint: (endpointId: string, tab: EndpointTab = 'overview') =>
    `/endpoints/${part(endpointId)}${tab === 'overview' ? '' : `/${tab}`}`,
  endpointSetting: (endpointId: string, section: string, field?: string) =>
    `/endpoints/${part(endpointId)}/settings?section=${part(section)}${field === undefined ? '' : `&field=${part(field)}`}`,
  endpointLog: (endpointId: string, text: string) => `/endpoints/${part(endpointId)}/logs?q=${part(text)}`,
  batch: (endpointId: string, batchId: string) =>
    `/endpoints/${part(endpointId)}/requests?view=batches&batch=${part(batchId)}`,
  savedRequests: (endpointId: string) => `/endpoints/${part(endpointId)}/requests?panel=saved`,
  jobs: '/jobs',
  job: (jobId: string) => `/jobs/${part(jobId)}`,
  jobsOfBatch: (batchId: string) => `/jobs?batch=${part(batchId)}`,
  jobsWith: (text: string) => `/jobs?q=${part(text)}`,
  comparedJobs: (one: string, other: string) => `/jobs/compare?a=${part(one)}&b=${part(other)}`,
  requestFromJob: (endpointId: string, jobId: string) => `/endpoints/${part(endpointId)}/requests?from=${part(jobId)}`,
  comparisons: '/jobs/comparisons',
  comparison: (comparisonId: string) => `/jobs/comparisons/${part(comparisonId)}`,
  /** @param inputs query for the jobs to run: a list filter, or `ids` */
  newComparison: (inputs = '') => `/jobs/comparisons?new=comparison${inputs === '' ? '' : `&${inputs}`}`,
  workers: '/workers',
  worker: (workerId: string) => `/workers?worker=${part(workerId)}`,
  pods: '/workers/pods',
  pod: (podId: string) => `/workers/pods?pod=${part(podId)}`,
  machines: '/machines',
  machine: (name: string) => `/machines/${part(name)}`,
  newMachine: '/machines?new=machine',
  apps: '/apps',
  app: (app: string, environment?: string) =>
    `/apps/deployed/${part(app)}${environment === undefined ? '' : `/${part(environment)}`}`,
  environment: (app: string, environment: string, tab: EnvironmentTab = 'endpoints') =>
    `/apps/deployed/${part(app)}/${part(environment)}${tab === 'endpoints' ? '' : `/${tab}`}`,
  openFolder: (from: 'folder' | 'app') => `/apps?open=${from}`,
  project: (projectId: string, tab: ProjectTab = 'picture') =>
    `/apps/projects/${part(projectId)}${tab === 'picture' ? '' : `/${tab}`}`,
  workflows: '/workflows',
  newFromTemplate: '/workflows?new=template',
  workflow: (workflowId: string) => `/workflows/edit/${part(workflowId)}`,
  workflowForm: (workflowId: string) => `/workflows/edit/${part(workflowId)}/form`,
  gallery: (workflowId?: string) =>
    `/workflows/gallery${workflowId === undefined ? '' : `?workflow=${part(workflowId)}`}`,
  run: (runId: string) => `/workflows/gallery/${part(runId)}`,
  comparedRuns: (one: string, other: string) => `/workflows/gallery/compare?a=${part(one)}&b=${part(other)}`,
  publishedGraphs: '/workflows/published',
  publishedGraph: (graphId: string) => `/workflows/published/${part(graphId)}`,
  sweeps: '/workflows/sweeps',
  sweep: (sweepId: string) => `/workflows/sweeps/${part(sweepId)}`,
  models: (wanted?: { readonly name: string; readonly directory: string | undefined }) =>
    wanted === undefined
      ? '/models'
      : `/models?new=download&name=${part(wanted.name)}&directory=${part(wanted.directory ?? '')}`,
  newModel: '/models?new=download',
  catalog: '/catalog',
  system: (tab: SystemTab = 'checks') => `/system${tab === 'checks' ? '' : `/${tab}`}`,
  settings: '/settings',
  setting: (name: string) => `/settings?setting=${part(name)}`,
  newRegistry: `/settings?registry=${NEW_REGISTRY}`,
} as const

export const WORKFLOW_TABS = [
  { tab: 'library', name: 'Library', to: ADDRESS.workflows },
  { tab: 'gallery', name: 'Gallery', to: ADDRESS.gallery() },
  { tab: 'sweeps', name: 'Sweeps', to: ADDRESS.sweeps },
  { tab: 'published', name: 'Published', to: ADDRESS.publishedGraphs },
] as const

const THINGS: readonly { readonly address: RegExp; readonly what: string }[] = [
  { address: /^\/endpoints\/[^/]+/, what: 'Endpoint' },
  { address: /^\/jobs\/(?!(compare|comparisons)$)[^/]+$/, what: 'Job' },
  { address: /^\/jobs\/comparisons\/[^/]+/, what: 'Comparison' },
  { address: /^\/machines\/[^/]+/, what: 'Machine' },
  { address: /^\/apps\/projects\/[^/]+/, what: 'App' },
  { address: /^\/apps\/deployed\/[^/]+\/([^/]+)/, what: 'App in $1' },
  { address: /^\/workflows\/edit\/[^/]+$/, what: 'Workflow' },
  { address: /^\/workflows\/gallery\/(?!compare$)[^/]+$/, what: 'Run' },
  { address: /^\/workflows\/published\/[^/]+/, what: 'Published graph' },
  { address: /^\/workflows\/sweeps\/[^/]+/, what: 'Sweep' },
]

export function thingOf(path: string): { readonly to: string; readonly what: string } | undefined {
  for (const { address, what } of THINGS) {
    const [to, name = ''] = address.exec(path) ?? []
    if (to !== undefined) return { to, what: what.replace('$1', () => name) }
  }
  return undefined
}
