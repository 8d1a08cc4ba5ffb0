/**
 * The web pages: one HTML file for all page addresses, and the files that it loads. They hold nothing of the user's, so
 * they need no key; a page of another origin cannot read or frame them. What the pages show comes from the API, which
 * asks for the session.
 */
import type { Context, Hono } from 'hono'
import { PAGE_SECTIONS } from '../contract/pages.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { requireOwnAddress } from './guards.ts'
import { webPage } from './web-page.ts'

/** A file of the built pages. */
export type PageFile = { readonly body: Uint8Array<ArrayBuffer>; readonly type: string }

/** Where built pages are read. Undefined: there is no such file, or the pages are not built. */
export type PageFiles = {
  readonly index: () => Promise<PageFile | undefined>
  /** A file of the folder `assets`, whose name changes with its content. */
  readonly asset: (name: string) => Promise<PageFile | undefined>
}

// `unsafe-inline` for styles alone: menus, dialogs and the editor place style elements while they are open. A style runs
// nothing, and what it could load comes from this service or not at all.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
// The name of an asset changes with its content. The HTML names the assets, so it is asked for each time.
const FOR_EVER = 'public, max-age=31536000, immutable'
const EACH_TIME = 'no-cache'

const PATHS = ['/', ...PAGE_SECTIONS.map((section) => `/${section}/*`)]

/** Adds the pages to the app. Where they are not built, each address answers with the plain page. */
export function addPages(app: Hono, service: ServiceContext, files: PageFiles): void {
  for (const path of PATHS) {
    app.get(path, async (c) => {
      requireOwnAddress(c, service)
      const index = await files.index()
      return index === undefined ? webPage(c, service.info()) : fileAnswer(c, index, EACH_TIME)
    })
  }
  app.get('/assets/:name', async (c, next) => {
    requireOwnAddress(c, service)
    const file = await files.asset(c.req.param('name'))
    return file === undefined ? next() : fileAnswer(c, file, FOR_EVER)
  })
}

function fileAnswer(c: Context, { body, type }: PageFile, caching: string): Response {
  return c.body(body, 200, { ...HEADERS, 'content-type': type, 'cache-control': caching })
}
