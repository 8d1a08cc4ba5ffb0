/** Pages contain no user data and need no key; the API requires a session. */
import { hash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { PAGE_KEY_META, PAGE_META, PAGE_SECTIONS } from '../contract/pages.ts'
import type { ServiceBase, ServiceFacts } from '../features/service-context.ts'
import { requireOwnAddress } from './guards.ts'

export type PageFile = { readonly body: Uint8Array<ArrayBuffer>; readonly type: string }

export type PageFiles = {
  readonly index: () => Promise<PageFile | undefined>
  readonly asset: (name: string) => Promise<PageFile | undefined>
}

// `unsafe-inline` only for styles, which menus, dialogs and the editor inject.
const policy = (scripts: readonly string[]) =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
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

const headersFor = (scripts: readonly string[] = []) => ({
  'content-security-policy': policy(scripts),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
})
// An asset's name changes with its content. The HTML names the assets, so it is never cached.
const FOR_EVER = 'public, max-age=31536000, immutable'
const EACH_TIME = 'no-cache'

const PATHS = ['/', ...PAGE_SECTIONS.map((section) => `/${section}/*`)]

/** If the pages are not built, each address returns the plain page. */
export function addPages(app: Hono, service: ServiceBase, files: PageFiles): void {
  for (const path of PATHS) {
    app.get(path, async (c) => {
      requireOwnAddress(c, service)
      return pageResponse(c, service, files)
    })
  }
  app.get('/assets/:name', async (c, next) => {
    requireOwnAddress(c, service)
    const file = await files.asset(c.req.param('name'))
    return file === undefined ? next() : fileResponse(c, file, FOR_EVER)
  })
}

/** The pages with status 404, which say that this address leads nowhere. @throws AppError FORBIDDEN_HOST */
export async function unknownPage(c: Context, service: ServiceBase, files: PageFiles): Promise<Response> {
  requireOwnAddress(c, service)
  const { body, headers } = await pageResponse(c, service, files)
  return new Response(body, { status: 404, headers })
}

async function pageResponse(c: Context, service: ServiceBase, files: PageFiles): Promise<Response> {
  const index = await files.index()
  if (index === undefined) return webPage(c, service.info())
  return fileResponse(c, index, EACH_TIME, inlineScripts(new TextDecoder().decode(index.body)))
}

function inlineScripts(html: string): readonly string[] {
  return [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  )
}

export async function signedInPage(
  c: Context,
  service: ServiceBase,
  files: PageFiles,
  { pageKey, page }: { readonly pageKey: string; readonly page: string },
): Promise<Response> {
  const response = await pageResponse(c, service, files)
  const { headers } = response
  headers.set('cache-control', 'no-store')
  const meta = (name: string, content: string) => `<meta name="${name}" content="${escapeHtml(content)}" />`
  // At the end of the document, because its scripts run once all of it is parsed.
  return new Response(`${await response.text()}${meta(PAGE_KEY_META, pageKey)}${meta(PAGE_META, page)}`, { headers })
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

function fileResponse(c: Context, { body, type }: PageFile, caching: string, scripts?: readonly string[]): Response {
  return c.body(body, 200, { ...headersFor(scripts), 'content-type': type, 'cache-control': caching })
}

// It shows no user data, so it needs no key, and has no script that could be tricked.
const ROOT_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

function webPage(c: Context, { url, version }: ServiceFacts): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Drydock</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 Inter, system-ui, sans-serif; }
  body { max-width: 44rem; margin: 4rem auto; padding: 0 1.5rem; }
  h1 { font-size: 20px; font-weight: 600; }
  code { font: 13px/1.5 "JetBrains Mono", ui-monospace, monospace; }
  dt { margin-top: 1rem; } dd { margin: 0; }
</style>
<h1>Drydock ${version} is running</h1>
<p>Job API: <code>${url}/v2/&lt;endpoint&gt;</code></p>
<dl>
  <dt>See what is there</dt><dd><code>drydock endpoint list</code></dd>
  <dt>Serve a handler</dt><dd><code>drydock endpoint create hello --handler handler.py</code></dd>
  <dt>Send a job</dt><dd><code>drydock runsync hello '{"name":"world"}'</code></dd>
  <dt>Why it waits</dt><dd><code>drydock status JOB</code>, <code>drydock logs hello -f</code></dd>
</dl>
<p>All routes: <code>GET /openapi.json</code> with a key.</p>
</html>
`
  return c.html(html, 200, {
    'content-security-policy': ROOT_PAGE_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
}
