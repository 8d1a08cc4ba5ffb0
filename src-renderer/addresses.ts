/** The addresses of the pages. Whatever is shown has one, so that links, back and forward work. */

/** The tabs of an endpoint's page; the first is shown without a name in the address. */
export const ENDPOINT_TABS = ['overview', 'requests', 'jobs', 'workers', 'logs', 'settings'] as const

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

const part = encodeURIComponent

/** The address of each page. */
export const ADDRESS = {
  endpoints: '/endpoints',
  endpoint: (endpointId: string, tab: EndpointTab = 'overview') =>
    `/endpoints/${part(endpointId)}${tab === 'overview' ? '' : `/${tab}`}`,
  jobs: '/jobs',
  job: (jobId: string) => `/jobs/${part(jobId)}`,
  /** Two jobs beside each other. */
  comparedJobs: (one: string, other: string) => `/jobs/compare?a=${part(one)}&b=${part(other)}`,
  /** The input of a job, to be changed and sent again. */
  requestFromJob: (endpointId: string, jobId: string) => `/endpoints/${part(endpointId)}/requests?from=${part(jobId)}`,
  workers: '/workers',
  /** The workers, with the drawer of one. */
  worker: (workerId: string) => `/workers?worker=${part(workerId)}`,
  apps: '/apps',
  /** A deployed app, or one of its environments. */
  app: (app: string, environment?: string) =>
    `/apps/deployed/${part(app)}${environment === undefined ? '' : `/${part(environment)}`}`,
  /** A tab of an environment. */
  environment: (app: string, environment: string, tab: EnvironmentTab = 'endpoints') =>
    `/apps/deployed/${part(app)}/${part(environment)}${tab === 'endpoints' ? '' : `/${tab}`}`,
  /** A folder with an app on this machine. */
  project: (projectId: string, tab: ProjectTab = 'picture') =>
    `/apps/projects/${part(projectId)}${tab === 'picture' ? '' : `/${tab}`}`,
  workflows: '/workflows',
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
  catalog: '/catalog',
  system: (tab: SystemTab = 'checks') => `/system${tab === 'checks' ? '' : `/${tab}`}`,
  settings: '/settings',
} as const
