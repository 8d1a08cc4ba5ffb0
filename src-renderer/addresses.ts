/** The addresses of the pages. Whatever is shown has one, so that links, back and forward work. */

/** The tabs of an endpoint's page; the first is shown without a name in the address. */
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

/** A tab of an endpoint's page. */
export type EndpointTab = (typeof ENDPOINT_TABS)[number]

/** The tabs of an environment of a deployed app; the first is shown without a name in the address. */
export const ENVIRONMENT_TABS = ['endpoints', 'releases', 'variables'] as const

/** A tab of an environment's page. */
export type EnvironmentTab = (typeof ENVIRONMENT_TABS)[number]

/** The tabs of a project; the first is shown without a name in the address. */
export const PROJECT_TABS = ['picture', 'build', 'preview', 'deploy'] as const

/** A tab of a project's page. */
export type ProjectTab = (typeof PROJECT_TABS)[number]

/** The tabs of the system's page; the first is shown without a name in the address. */
export const SYSTEM_TABS = ['checks', 'machine', 'disk', 'events'] as const

/** A tab of the system's page. */
export type SystemTab = (typeof SYSTEM_TABS)[number]

/** Their names. */
export const SYSTEM_TAB_NAMES: Readonly<Record<SystemTab, string>> = {
  checks: 'Checks',
  machine: 'Machine',
  disk: 'Disk',
  events: 'Events',
}

const part = encodeURIComponent

/**
 * What stands in the address of the settings for credentials that are to be added; no name of credentials begins so.
 */
export const NEW_REGISTRY = '-new'

/** The address of each page. */
export const ADDRESS = {
  endpoints: '/endpoints',
  endpoint: (endpointId: string, tab: EndpointTab = 'overview') =>
    `/endpoints/${part(endpointId)}${tab === 'overview' ? '' : `/${tab}`}`,
  /** The settings of an endpoint, with a section and one of its fields in sight. */
  endpointSetting: (endpointId: string, section: string, field?: string) =>
    `/endpoints/${part(endpointId)}/settings?section=${part(section)}${field === undefined ? '' : `&field=${part(field)}`}`,
  /** The log of an endpoint, searched for a text. */
  endpointLog: (endpointId: string, text: string) => `/endpoints/${part(endpointId)}/logs?q=${part(text)}`,
  /** The requests that are kept for an endpoint. */
  savedRequests: (endpointId: string) => `/endpoints/${part(endpointId)}/requests?panel=saved`,
  jobs: '/jobs',
  job: (jobId: string) => `/jobs/${part(jobId)}`,
  /** The jobs that hold a text. */
  jobsWith: (text: string) => `/jobs?q=${part(text)}`,
  /** Two jobs beside each other. */
  comparedJobs: (one: string, other: string) => `/jobs/compare?a=${part(one)}&b=${part(other)}`,
  /** The input of a job, to be changed and sent again. */
  requestFromJob: (endpointId: string, jobId: string) => `/endpoints/${part(endpointId)}/requests?from=${part(jobId)}`,
  /** The comparisons of versions by many inputs. */
  comparisons: '/jobs/comparisons',
  comparison: (comparisonId: string) => `/jobs/comparisons/${part(comparisonId)}`,
  /** The form of another one. @param inputs the jobs whose inputs are run, as query: a filter of the list, or `ids` */
  newComparison: (inputs = '') => `/jobs/comparisons?new=comparison${inputs === '' ? '' : `&${inputs}`}`,
  workers: '/workers',
  /** The workers, with the drawer of one. */
  worker: (workerId: string) => `/workers?worker=${part(workerId)}`,
  machines: '/machines',
  /** A machine: what it has, what runs there. */
  machine: (name: string) => `/machines/${part(name)}`,
  newMachine: '/machines?new=machine',
  apps: '/apps',
  /** A deployed app, or one of its environments. */
  app: (app: string, environment?: string) =>
    `/apps/deployed/${part(app)}${environment === undefined ? '' : `/${part(environment)}`}`,
  /** A tab of an environment. */
  environment: (app: string, environment: string, tab: EnvironmentTab = 'endpoints') =>
    `/apps/deployed/${part(app)}/${part(environment)}${tab === 'endpoints' ? '' : `/${tab}`}`,
  /** The form that opens a folder with an app; filled from the template first, where it is to be a new one. */
  openFolder: (from: 'folder' | 'app') => `/apps?open=${from}`,
  /** A folder with an app on this machine. */
  project: (projectId: string, tab: ProjectTab = 'picture') =>
    `/apps/projects/${part(projectId)}${tab === 'picture' ? '' : `/${tab}`}`,
  workflows: '/workflows',
  newFromTemplate: '/workflows?new=template',
  /** The editor with a workflow of the library. */
  workflow: (workflowId: string) => `/workflows/edit/${part(workflowId)}`,
  /** Its inputs as a form. */
  workflowForm: (workflowId: string) => `/workflows/edit/${part(workflowId)}/form`,
  /** The runs of graphs; of one workflow where it is named. */
  gallery: (workflowId?: string) =>
    `/workflows/gallery${workflowId === undefined ? '' : `?workflow=${part(workflowId)}`}`,
  /** A run with its settings. */
  run: (runId: string) => `/workflows/gallery/${part(runId)}`,
  /** Two runs beside each other. */
  comparedRuns: (one: string, other: string) => `/workflows/gallery/compare?a=${part(one)}&b=${part(other)}`,
  /** The graphs that are endpoints of their own. */
  publishedGraphs: '/workflows/published',
  /** A published graph: its form, its code, its versions. */
  publishedGraph: (graphId: string) => `/workflows/published/${part(graphId)}`,
  /** The sweeps whose runs are kept. */
  sweeps: '/workflows/sweeps',
  /** The runs of a sweep, on one sheet. */
  sweep: (sweepId: string) => `/workflows/sweeps/${part(sweepId)}`,
  /** The models of this machine; with the form for one that is wanted. */
  models: (wanted?: { readonly name: string; readonly directory: string | undefined }) =>
    wanted === undefined
      ? '/models'
      : `/models?new=download&name=${part(wanted.name)}&directory=${part(wanted.directory ?? '')}`,
  newModel: '/models?new=download',
  catalog: '/catalog',
  system: (tab: SystemTab = 'checks') => `/system${tab === 'checks' ? '' : `/${tab}`}`,
  settings: '/settings',
  /** The settings of the service, with one of them in sight. */
  setting: (name: string) => `/settings?setting=${part(name)}`,
  newRegistry: `/settings?registry=${NEW_REGISTRY}`,
} as const

/** Pages of the Workflows section. */
export const WORKFLOW_TABS = [
  { tab: 'library', name: 'Library', to: ADDRESS.workflows },
  { tab: 'gallery', name: 'Gallery', to: ADDRESS.gallery() },
  { tab: 'sweeps', name: 'Sweeps', to: ADDRESS.sweeps },
  { tab: 'published', name: 'Published', to: ADDRESS.publishedGraphs },
] as const

/** Kinds of things that have a page of their own; `what` may name a part of the address. */
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

/**
 * The thing that a path is of, whichever of its tabs: its address, and what it is. Undefined: a list, or another page.
 */
export function thingOf(path: string): { readonly to: string; readonly what: string } | undefined {
  for (const { address, what } of THINGS) {
    const [to, name = ''] = address.exec(path) ?? []
    if (to !== undefined) return { to, what: what.replace('$1', () => name) }
  }
  return undefined
}
