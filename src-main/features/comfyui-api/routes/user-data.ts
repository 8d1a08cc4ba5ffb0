import type { Context, Hono, MiddlewareHandler } from 'hono'
import { limit } from '../../../contract/limits.ts'
import type { Endpoint } from '../../../storage/storage.ts'
import type { ServiceContext } from '../../service-context.ts'
import { filesBelow, userPath } from '../rules/user-paths.ts'
import { changeSettings, readSettings, saveFile } from '../user-files.ts'
import { readBody, readJson } from './bodies.ts'

type Deps = Pick<ServiceContext, 'storage' | 'clock'> & {
  readonly endpointFor: (c: Context) => Endpoint
  readonly bounded: (most: number) => MiddlewareHandler
}

/** Adds the routes for the settings and files of ComfyUI's page, which has one user per endpoint. */
export function addUserData(app: Hono, { storage, clock, endpointFor, bounded }: Deps): void {
  const deps = { storage, clock }
  const files = storage.comfyuiUserFiles
  const bytes = limit('comfyuiUserFileBytes')
  const idOf = (c: Context) => endpointFor(c).id
  const pathOf = (c: Context) => userPath(c.req.param('path') ?? '')
  const fileView = ({ path, bytes: size, createdAt, modifiedAt }: NonNullable<ReturnType<typeof files.get>>) => ({
    ...{ path, size, modified: modifiedAt, created: createdAt },
  })

  app.get('/users', (c) => c.json({ storage: 'server', migrated: true }))
  app.get('/settings', (c) => c.json(readSettings(deps, idOf(c))))
  app.get('/settings/:name', (c) => c.json(ownValue(readSettings(deps, idOf(c)), c.req.param('name'))))
  app.post('/settings', bounded(limit('managementBodyBytes')), async (c) => {
    await changeSettings(deps, idOf(c), await readBody(c))
    return c.body(null, 200)
  })
  app.post('/settings/:name', bounded(limit('managementBodyBytes')), async (c) => {
    await changeSettings(deps, idOf(c), { [c.req.param('name')]: await readJson(c) })
    return c.body(null, 200)
  })

  app.get('/userdata', (c) => {
    const { dir = '', recurse, full_info, split } = c.req.query()
    const found = filesBelow(files.list(idOf(c)), dir, recurse === 'true')
    if (full_info === 'true') return c.json(found.map(fileView))
    if (split === 'true') return c.json(found.map(({ path }) => [path, ...path.split('/')]))
    return c.json(found.map(({ path }) => path))
  })
  app.get('/userdata/:path', (c) => {
    const path = pathOf(c)
    const content = path === undefined ? undefined : files.content(idOf(c), path)
    if (content === undefined) return c.body(null, 404)
    const headers = {
      'content-type': 'application/octet-stream',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    }
    return c.body(content, 200, headers)
  })
  app.post('/userdata/:path', bounded(bytes), async (c) => {
    const path = pathOf(c)
    if (path === undefined) return c.body(null, 403)
    const { overwrite, full_info } = c.req.query()
    const content = Buffer.from(await c.req.arrayBuffer())
    const id = idOf(c)
    if (!(await saveFile(deps, id, { path, content, replaces: overwrite !== 'false' })))
      return c.text('File already exists', 409)
    const file = files.get(id, path)
    return c.json(full_info === 'true' && file !== undefined ? fileView(file) : path)
  })
  app.post('/userdata/:path/move/:to', async (c) => {
    const [path, to] = [pathOf(c), userPath(c.req.param('to'))]
    const id = idOf(c)
    if (path === undefined || to === undefined) return c.body(null, 403)
    const { overwrite, full_info } = c.req.query()
    if (overwrite === 'false' && files.get(id, to) !== undefined) return c.text('File already exists', 409)
    if (!(await storage.write(() => files.move({ endpointId: id, from: path, to })))) return c.body(null, 404)
    const file = files.get(id, to)
    return c.json(full_info === 'true' && file !== undefined ? fileView(file) : to)
  })
  app.delete('/userdata/:path', async (c) => {
    const path = pathOf(c)
    const id = idOf(c)
    const isGone = path !== undefined && (await storage.write(() => files.remove(id, path)))
    return c.body(null, isGone ? 204 : 404)
  })
}

const ownValue = (settings: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(settings, name) ? settings[name] : null
