/**
 * A package index with the Python packages that scripts import, in the form that pip reads (PEP 503), so that
 * `pip install --index-url ADDRESS/simple/ svc` is all that a script needs. Like the pages it holds nothing of the user's,
 * and pip can bring no key that would not be in an address: it takes none, and refuses foreign hosts and pages.
 */
import type { Context, Hono } from 'hono'
import type { PythonWheel } from '../services/ports/build.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { requireOwnAddress } from './guards.ts'

/** Where the index begins. */
const PYTHON_INDEX_PATH = '/simple/'

/** Adds the index. @param wheel reads the wheel; it is asked for each time, and may keep what it has read */
export function addPythonIndex(app: Hono, service: ServiceContext, wheel: () => Promise<PythonWheel>): void {
  app.get(PYTHON_INDEX_PATH, async (c) => {
    requireOwnAddress(c, service)
    const { name } = await wheel()
    return listing(c, 'Simple index', [`<a href="${name}/">${name}</a>`])
  })
  app.get(`${PYTHON_INDEX_PATH}:project/`, async (c, next) => {
    requireOwnAddress(c, service)
    const { name, fileName, sha256, requiresPython } = await wheel()
    if (c.req.param('project') !== name) return next()
    const attribute = requiresPython.replaceAll('>', '&gt;').replaceAll('<', '&lt;')
    const link = `<a href="${fileName}#sha256=${sha256}" data-requires-python="${attribute}">${fileName}</a>`
    return listing(c, `Links for ${name}`, [link])
  })
  app.get(`${PYTHON_INDEX_PATH}:project/:file`, async (c, next) => {
    requireOwnAddress(c, service)
    const { name, fileName, body } = await wheel()
    if (c.req.param('project') !== name || c.req.param('file') !== fileName) return next()
    return c.body(body, 200, { ...HEADERS, 'content-type': 'application/zip' })
  })
}

const HEADERS = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
const POLICY = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" }

function listing(c: Context, title: string, links: readonly string[]): Response {
  const head = '<meta charset="utf-8"><meta name="pypi:repository-version" content="1.0">'
  const html = `<!DOCTYPE html><html><head>${head}<title>${title}</title></head><body>${links.join('<br>')}</body></html>`
  return c.body(html, 200, { ...HEADERS, ...POLICY, 'content-type': 'text/html; charset=utf-8' })
}
