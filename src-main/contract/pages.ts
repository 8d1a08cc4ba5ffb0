/** First path segments of the web pages, which no API address uses; the service serves pages below them. */
export const PAGE_SECTIONS = [
  'endpoints',
  'jobs',
  'workers',
  'machines',
  'apps',
  'workflows',
  'models',
  'catalog',
  'system',
  'settings',
  // The platform's tools build this address: /flash/login.
  'flash',
] as const

/** Name of the `meta` element with the page key of a browser's session after sign-in. */
export const PAGE_KEY_META = 'drydock-page-key'

/** Name of the `meta` element with the path of the page to show next. */
export const PAGE_META = 'drydock-page'

export type PageSection = (typeof PAGE_SECTIONS)[number]
