/**
 * Fetches model files, whole or in part, checking every redirect's address. Credentials go only to their own host, and
 * never over an unencrypted connection if the first was encrypted.
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { networkReason } from '../../../lib/network-error.ts'
import { checkedRequest, RefusedAddress, redirectOf } from '../../../lib/node/checked-request.ts'
import { isPrivateAddress } from '../../../lib/node/private-address.ts'
import type { Fetched, FetchFile, FetchRequest } from '../ports.ts'

const MAX_REDIRECTS = 5
// A host silent for this long is asked again; ms.
const SILENT_MS = 60_000
const ALLOW = 'allow it with `drydock settings set modelsFromPrivateAddresses true`'
const SHA256 = /^[0-9a-f]{64}$/

export const createFetchFile =
  (isPrivate: (address: string) => boolean = isPrivateAddress): FetchFile =>
  async (wanted) => {
    try {
      return await follow(wanted, isPrivate)
    } catch (error) {
      if (error instanceof RefusedAddress) return { kind: 'fault', why: error.message, isFinal: true }
      return { kind: 'fault', why: networkReason(error), isFinal: false }
    }
  }

async function follow(wanted: FetchRequest, isPrivate: (address: string) => boolean): Promise<Fetched> {
  let target = new URL(wanted.url)
  let sha256: string | undefined
  const isEncrypted = target.protocol === 'https:'
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    // Foreign URLs may contain a user and password, which Node would send.
    target.username = ''
    target.password = ''
    const mayKnow = target.protocol === 'https:' || !isEncrypted
    const authorization = mayKnow ? wanted.authorization(target.host) : undefined
    const { response, request } = await ask(target, wanted, { authorization, isPrivate })
    // A file's URL reports its checksum before redirecting to the bytes.
    sha256 ??= reportedSha256(response)
    const location = redirectOf(response)
    if (location === undefined)
      return read(response, { wanted, sha256, request, hasKey: authorization !== undefined, host: target.host })
    request.destroy()
    if (!URL.canParse(location, target.href)) return final(`${target.host} redirects to an invalid address`)
    target = new URL(location, target)
  }
  return final(`${target.host} redirected more than ${MAX_REDIRECTS} times`)
}

const final = (why: string): Fetched => ({ kind: 'fault', why, isFinal: true })

function ask(
  target: URL,
  { from, validator, allowPrivate, signal }: FetchRequest,
  {
    authorization,
    isPrivate,
  }: { readonly authorization: string | undefined; readonly isPrivate: (address: string) => boolean },
): Promise<{ readonly response: IncomingMessage; readonly request: ClientRequest }> {
  const isRest = from > 0 && validator !== undefined
  const headers = {
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'drydock-models',
    ...(isRest ? { range: `bytes=${from}-`, 'if-range': validator } : {}),
    ...(authorization === undefined ? {} : { authorization }),
  }
  return new Promise((resolve, reject) => {
    checkedRequest(
      target,
      { method: 'GET', headers, signal },
      {
        refusal: (host, address) => (allowPrivate || !isPrivate(address) ? undefined : refusalOf(host, address)),
        onResponse: (response, request) => resolve({ response, request }),
      },
    ).then((request) => {
      request.setTimeout(SILENT_MS, () =>
        request.destroy(new Error(`${target.host} sent nothing for ${SILENT_MS / 1000} s`)),
      )
      request.on('error', reject)
      request.end()
    }, reject)
  })
}

const refusalOf = (host: string, address: string) =>
  `${host} is a private address (${address}), which downloads do not reach; ${ALLOW}`

type Asked = {
  readonly wanted: FetchRequest
  readonly sha256: string | undefined
  readonly request: ClientRequest
  readonly hasKey: boolean
  readonly host: string
}

function read(response: IncomingMessage, { wanted, sha256, request, hasKey, host }: Asked): Fetched {
  const { statusCode: status = 0, headers } = response
  const refuse = (refused: Fetched): Fetched => {
    request.destroy()
    return refused
  }
  if (status === 416) return refuse({ kind: 'beyond' })
  if (status !== 200 && status !== 206) return refuse(refusedStatus(status, host, hasKey))
  if (/^text\/html\b/i.test(headers['content-type'] ?? ''))
    return refuse(
      final(
        `${host} sent a web page, not a file: open the address in a browser and copy the address of the file itself`,
      ),
    )
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return refuse(final(`${host} sends the file in another form (${headers['content-encoding']})`))
  const range = status === 206 ? /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') : undefined
  if (range === null || (range !== undefined && Number(range[1]) !== wanted.from))
    return refuse(final(`${host} sent a different part of the file than requested`))
  const total = range === undefined ? headers['content-length'] : range[2]
  return {
    kind: 'file',
    from: range === undefined ? 0 : wanted.from,
    totalBytes: total !== undefined && /^\d{1,15}$/.test(total) ? Number(total) : undefined,
    // A weak ETag does not guarantee identical bytes.
    validator: headers.etag?.startsWith('"') ? headers.etag : headers['last-modified'],
    sha256,
    body: response,
  }
}

function refusedStatus(status: number, host: string, hasKey: boolean): Fetched {
  if (status === 401 || status === 403) {
    const advice = hasKey
      ? 'with the credentials stored for it. You may have to accept its licence in a browser first'
      : `without credentials. Store some with \`drydock models credentials add ${host}\``
    return final(`${host} refuses it (HTTP ${status}) ${advice}`)
  }
  if (status === 404 || status === 410) return final(`${host} has no such file (HTTP ${status})`)
  const isFinal = status >= 400 && status < 500 && ![408, 425, 429].includes(status)
  return { kind: 'fault', why: `${host} answered with HTTP ${status}`, isFinal }
}

function reportedSha256({ headers }: IncomingMessage): string | undefined {
  const reported = [headers['x-linked-etag'], headers['x-checksum-sha256']]
    .flat()
    .map((one) => one?.replaceAll('"', '').toLowerCase())
  return reported.find((one) => one !== undefined && SHA256.test(one))
}
