/**
 * A small image registry on loopback, from which a real engine pulls: one image of one layer, and those that were pushed,
 * behind a password or a token if the test wants one. Source: the OCI distribution specification and docker's token authentication. The engine
 * speaks plain HTTP to 127.0.0.0/8, so it must run on this machine.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

/** Credentials for a pull. */
export type RegistryAccess =
  | { readonly kind: 'open' }
  | { readonly kind: 'basic' | 'token'; readonly username: string; readonly password: string }

/** The registry of a test. */
export type FakeRegistry = {
  /** `127.0.0.1:PORT`. */
  readonly host: string
  /** The image that it has. */
  readonly image: string
  /** Requests, as `METHOD /path`. */
  readonly seen: readonly string[]
  /** Layers stop in the middle from now on, until `release`. */
  readonly hold: () => void
  readonly release: () => void
  /** Layers that are held go on from now on, so slowly that nobody comes to their end. */
  readonly trickle: () => void
  /** Settles when a layer stands still in the middle. */
  readonly held: () => Promise<void>
  /** Settles when whoever read a held layer has left before its end. */
  readonly left: () => Promise<void>
  /** The image has another layer from now on. */
  readonly change: () => void
}

type Blob = { readonly type: string; readonly digest: string; readonly bytes: Buffer }

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json'
const CONFIG = 'application/vnd.docker.container.image.v1+json'
const LAYER = 'application/vnd.docker.image.rootfs.diff.tar.gzip'
const TOKEN = 'a-token-of-the-registry'
const TRICKLE_MS = 10
const TRICKLE_BYTES = 1024

/** Starts a registry that ends with the test. @param layerBytes size of the one layer, of bytes that do not compress */
export async function startRegistry({
  access = { kind: 'open' },
  layerBytes = 100_000,
}: {
  readonly access?: RegistryAccess
  readonly layerBytes?: number
} = {}): Promise<FakeRegistry> {
  const name = `drydock-test/${randomUUID()}`
  const seen: string[] = []
  let parts = makeImage(layerBytes)
  const pushed = new Map<string, Blob>()
  const uploads = new Map<string, Buffer>()
  let holding: { readonly release: PromiseWithResolvers<'all' | 'byte by byte'> } | undefined
  const held = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()

  const server = createServer(async (request, response) => {
    seen.push(`${request.method} ${request.url}`)
    if (request.url?.startsWith('/token')) return giveToken(request, response)
    if (!isAllowed(request)) return refuse(response)
    if (request.url === '/v2/') return void response.end('{}')
    if (request.method !== 'GET' && request.method !== 'HEAD') return await receive(request, response)
    const blob = find(request.url ?? '')
    if (blob === undefined) return sendError(response, 404, 'MANIFEST_UNKNOWN', 'manifest unknown')
    response.writeHead(200, {
      'content-type': blob.type,
      'content-length': blob.bytes.length,
      'docker-content-digest': blob.digest,
    })
    if (request.method === 'HEAD') return void response.end()
    if (blob.type !== LAYER || holding === undefined) return void response.end(blob.bytes)
    const middle = blob.bytes.length / 2
    response.write(blob.bytes.subarray(0, middle))
    response.on('close', () => {
      if (!response.writableFinished) left.resolve()
    })
    held.resolve()
    if ((await holding.release.promise) === 'all') return void response.end(blob.bytes.subarray(middle))
    let sent = middle
    const trickling = setInterval(() => {
      if (response.destroyed) return clearInterval(trickling)
      response.write(blob.bytes.subarray(sent, sent + TRICKLE_BYTES))
      sent += TRICKLE_BYTES
    }, TRICKLE_MS)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    holding?.release.resolve('all')
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the registry has no port')
  const host = `127.0.0.1:${address.port}`

  function find(url: string): Blob | undefined {
    const [, what, reference] = new RegExp(`^/v2/${name}/(manifests|blobs)/(.+)$`).exec(url) ?? []
    if (what === undefined) return pushed.get(url)
    if (what === 'manifests' && reference === 'latest') return parts.manifest
    return Object.values(parts).find(({ digest }) => digest === reference)
  }

  /** An upload of a blob in one or more pieces, or a manifest. */
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', `http://${host}`)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const reference = /\/manifests\/(.+)$/.exec(pathname)?.[1]
    if (reference !== undefined) {
      const blob = blobOf(request.headers['content-type'] ?? MANIFEST, bytes)
      pushed.set(pathname, blob)
      pushed.set(pathname.replace(/[^/]+$/, blob.digest), blob)
      return void response.writeHead(201, { 'docker-content-digest': blob.digest, location: pathname }).end()
    }
    const upload = request.method === 'POST' ? `${pathname.replace(/\/$/, '')}/${randomUUID()}` : pathname
    const whole = Buffer.concat([uploads.get(upload) ?? Buffer.alloc(0), bytes])
    uploads.set(upload, whole)
    const digest = searchParams.get('digest')
    if (digest === null) {
      const range = `0-${Math.max(0, whole.length - 1)}`
      return void response.writeHead(202, { location: upload, range, 'docker-upload-uuid': upload }).end()
    }
    uploads.delete(upload)
    pushed.set(pathname.replace(/uploads\/.*$/, digest), blobOf('application/octet-stream', whole))
    response.writeHead(201, { 'docker-content-digest': digest, location: pathname }).end()
  }

  function isAllowed({ headers: { authorization = '' } }: IncomingMessage): boolean {
    if (access.kind === 'open') return true
    return authorization === (access.kind === 'token' ? `Bearer ${TOKEN}` : basicOf(access))
  }

  function refuse(response: ServerResponse): void {
    const realm = access.kind === 'token' ? `Bearer realm="http://${host}/token",service="test"` : 'Basic realm="test"'
    response.setHeader('www-authenticate', realm)
    sendError(response, 401, 'UNAUTHORIZED', 'authentication required')
  }

  function giveToken({ headers }: IncomingMessage, response: ServerResponse): void {
    if (access.kind !== 'token' || headers.authorization !== basicOf(access)) {
      sendError(response, 401, 'UNAUTHORIZED', 'incorrect username or password')
      return
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ token: TOKEN, expires_in: 300 }))
  }

  return {
    host,
    image: `${host}/${name}:latest`,
    seen,
    hold: () => {
      holding = { release: Promise.withResolvers() }
    },
    release: () => {
      holding?.release.resolve('all')
      holding = undefined
    },
    trickle: () => holding?.release.resolve('byte by byte'),
    held: () => held.promise,
    left: () => left.promise,
    change: () => {
      parts = makeImage(layerBytes)
    },
  }
}

const basicOf = ({ username, password }: { readonly username: string; readonly password: string }) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ errors: [{ code, message }] }))
}

function makeImage(layerBytes: number): Readonly<Record<'manifest' | 'config' | 'layer', Blob>> {
  const tar = tarOf('content', randomBytes(layerBytes))
  const layer = blobOf(LAYER, gzipSync(tar, { level: 1 }))
  const config = blobOf(
    CONFIG,
    json({ architecture: 'amd64', os: 'linux', config: {}, rootfs: { type: 'layers', diff_ids: [digestOf(tar)] } }),
  )
  const part = ({ type, digest, bytes }: Blob) => ({ mediaType: type, digest, size: bytes.length })
  const manifest = blobOf(
    MANIFEST,
    json({ schemaVersion: 2, mediaType: MANIFEST, config: part(config), layers: [part(layer)] }),
  )
  return { manifest, config, layer }
}

/** A tar archive with one file. Source: POSIX ustar. */
function tarOf(name: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(512)
  const put = (text: string, at: number) => header.write(text, at, 'latin1')
  put(name, 0)
  put('0000644\0' + '0000000\0' + '0000000\0', 100)
  put(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124)
  put('00000000000\0', 136)
  put('        0', 148) // the checksum counts as spaces; then the type: a file
  put('ustar\0' + '00', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512)
  return Buffer.concat([header, bytes, padding, Buffer.alloc(1024)])
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const blobOf = (type: string, bytes: Buffer): Blob => ({ type, digest: digestOf(bytes), bytes })
