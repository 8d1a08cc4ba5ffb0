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
  workers: '/workers',
  apps: '/apps',
  workflows: '/workflows',
  catalog: '/catalog',
  system: '/system',
  settings: '/settings',
} as const
