/**
 * Workflow files may come from anywhere, yet share the management API's origin: `sandbox` stops scripts, and all but
 * known media are downloads.
 */

import type { Context } from 'hono'
import { AppError } from '../../../contract/errors.ts'
import { assetId } from '../../../contract/workflows.ts'
import { bodyOf, type ManagementOperations } from '../../../http/operation.ts'
import { isShown } from '../../../lib/media.ts'
import type { ServiceContext } from '../../service-context.ts'
import { type AssetDeps, openAsset, writeAsset } from '../assets.ts'

const NAMED_MAX = 1000

export const ASSET_OPERATIONS = {
  async assetWrite({ path, query, body }, { workflows }) {
    return await writeAsset(workflows.assets, { id: path.asset, name: query.name, bytes: body })
  },
  async assetRead({ c, path, query }, { workflows }) {
    const id = assetId.safeParse(path.asset).data
    if (id === undefined) throw new AppError('ASSET_NOT_FOUND', { asset: path.asset.slice(0, 100) })
    return await assetResponse(c, workflows.assets, { id, name: query.name })
  },
  assetFind({ query }, { storage }) {
    const { name } = query
    if (name === undefined) return { assets: storage.assets.allNamed(NAMED_MAX) }
    const asset = storage.assets.named(name)
    return { assets: asset === undefined ? [] : [asset] }
  },
} as const satisfies Partial<ManagementOperations<Pick<ServiceContext, 'storage' | 'workflows'>>>

export async function assetResponse(
  c: Context,
  assets: AssetDeps,
  { id, name }: { readonly id: string; readonly name: string | undefined },
): Promise<Response> {
  const headers = { etag: `"${id}"`, 'cache-control': 'private, max-age=31536000, immutable' }
  if (c.req.header('if-none-match') === headers.etag) return new Response(null, { status: 304, headers })
  const { asset, file } = await openAsset(assets, id)
  const range = rangeOf(c.req.header('range'), file.bytes)
  if (range === 'outside')
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${file.bytes}` } })
  const disposition = isShown(asset.mediaType) && name === undefined ? 'inline' : attachment(name ?? id)
  const { start, end } = range ?? { start: 0, end: file.bytes }
  const partHeaders = range === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${file.bytes}` }
  return new Response(bodyOf(file.read({ start, end })), {
    status: range === undefined ? 200 : 206,
    headers: {
      ...headers,
      ...partHeaders,
      'accept-ranges': 'bytes',
      'content-type': asset.mediaType,
      'content-length': String(end - start),
      'content-disposition': disposition,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    },
  })
}

type Range = { readonly start: number; readonly end: number }

/** One range; several are ignored. Source: RFC 9110, 14.1.2. */
function rangeOf(header: string | undefined, length: number): Range | 'outside' | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined
  const start = from === '' ? Math.max(0, length - Number(to)) : Number(from)
  const end = from === '' || to === '' ? length : Math.min(length, Number(to) + 1)
  if (start >= length) return 'outside'
  return start < end ? { start, end } : undefined
}

// Names may contain any letter; the form of RFC 6266 allows them all, and no quote ends it early.
function attachment(name: string): string {
  const coded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename*=UTF-8''${coded}`
}
