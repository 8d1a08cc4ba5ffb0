/**
 * Files of workflows. Whoever uploaded one may have got it from anywhere, and it is answered from the address of the
 * management API: so it runs nothing (`sandbox`), and what is no known picture, film or sound is a download.
 */
import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { assetId } from '../../contract/workflows.ts'
import { isShown } from '../../domain/media/media-type.ts'
import { readAsset, writeAsset } from '../../services/workflows/assets.ts'
import { readBody } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

const NAMED_MAX = 1000

function assetOf(c: Context): string {
  const { success, data } = assetId.safeParse(c.req.param('asset'))
  if (!success) throw new AppError('BAD_FIELD', { field: 'asset', why: 'must be a SHA-256 in lower case hex' })
  return data
}

/** Reading, writing and finding them. */
export const ASSET_OPERATIONS = {
  async assetWrite(c, { workflows }) {
    const id = assetOf(c)
    const name = queryValue(c, 'name', APP_ROUTES.assetWrite.query.name)
    const bytes = await readBody(c, limit('assetBytes'), 'a file of workflows')
    return c.json(await writeAsset(workflows.assets, { id, name, bytes }))
  },
  async assetRead(c, { workflows }) {
    const id = assetId.safeParse(c.req.param('asset')).data
    if (id === undefined) throw new AppError('ASSET_NOT_FOUND', { asset: c.req.param('asset')?.slice(0, 100) ?? '' })
    const name = queryValue(c, 'name', APP_ROUTES.assetRead.query.name)
    const headers = { etag: `"${id}"`, 'cache-control': 'private, max-age=31536000, immutable' }
    if (c.req.header('if-none-match') === headers.etag) return new Response(null, { status: 304, headers })
    const { asset, bytes } = await readAsset(workflows.assets, id)
    const disposition = isShown(asset.mediaType) && name === undefined ? 'inline' : attachment(name ?? id)
    const range = rangeOf(c.req.header('range'), bytes.length)
    const part = range === undefined ? bytes : bytes.subarray(range.start, range.end)
    const partHeaders =
      range === undefined ? {} : { 'content-range': `bytes ${range.start}-${range.end - 1}/${bytes.length}` }
    return new Response(part, {
      status: range === undefined ? 200 : 206,
      headers: {
        ...headers,
        ...partHeaders,
        'accept-ranges': 'bytes',
        'content-type': asset.mediaType,
        'content-length': String(part.length),
        'content-disposition': disposition,
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
      },
    })
  },
  assetFind(c, { storage }) {
    const name = queryValue(c, 'name', APP_ROUTES.assetFind.query.name)
    if (name === undefined) return c.json({ assets: storage.assets.allNamed(NAMED_MAX) })
    const asset = storage.assets.named(name)
    return c.json({ assets: asset === undefined ? [] : [asset] })
  },
} as const satisfies Record<string, AppHandler>

/** The part that a player of films asks for, end exclusive; undefined: all of it, as for anything that is not one part. */
function rangeOf(
  header: string | undefined,
  length: number,
): { readonly start: number; readonly end: number } | undefined {
  const [, from, to] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (from === undefined) return undefined
  const start = Number(from)
  const end = to === '' || to === undefined ? length : Math.min(length, Number(to) + 1)
  return start < end ? { start, end } : undefined
}

// Names may hold any letter; the form of RFC 6266 has room for them all, and no quote ends it early.
function attachment(name: string): string {
  const coded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename*=UTF-8''${coded}`
}
