/**
 * The first parts of the addresses of the web pages. The service answers all below them with the pages; the pages route
 * by the rest. No address of the APIs begins with one of them.
 */
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
  // The platform's tools make this address themselves: /flash/login.
  'flash',
] as const

/** Name of the `meta` element that gives a browser the page key of its session when it signs in. */
export const PAGE_KEY_META = 'drydock-page-key'

/** Name of the `meta` element with the path of the page that such a browser shows next. */
export const PAGE_META = 'drydock-page'

/** The first part of the address of a web page. */
export type PageSection = (typeof PAGE_SECTIONS)[number]
