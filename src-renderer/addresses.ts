/** The addresses of the pages. Whatever is shown has one, so that links, back and forward work. */

/** The tabs of an endpoint's page; the first is shown without a name in the address. */
export const ENDPOINT_TABS = ['overview', 'requests', 'jobs', 'workers', 'logs', 'settings'] as const

/** A tab of an endpoint's page. */
export type EndpointTab = (typeof ENDPOINT_TABS)[number]

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
  /** A folder with an app on this machine. */
  project: (projectId: string) => `/apps/projects/${part(projectId)}`,
  workflows: '/workflows',
  catalog: '/catalog',
  system: '/system',
  settings: '/settings',
} as const
