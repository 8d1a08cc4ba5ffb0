/** A hub of models on loopback, in the form of the public one: what it has of a revision, and its files. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type HubContent = {
  /** Of the one model that it has. */
  readonly repository: string
  readonly files: Readonly<Record<string, string>>
  /** Who asks without it is refused. */
  readonly token?: string
}

/** A hub that answers. */
export type ModelHub = {
  readonly url: string
  /** The commit that its branch `main` is. */
  readonly commit: string
  /** The paths that were asked for, in their order. */
  readonly asked: readonly string[]
  /** From now on, files are sent only when this is called with false. */
  readonly hold: (holds: boolean) => void
  readonly close: () => Promise<void>
}

/** Starts one; it ends with the test. */
export async function startModelHub({ repository, files, token }: HubContent): Promise<ModelHub> {
  const commit = createHash('sha1').update(JSON.stringify(files)).digest('hex')
  const asked: string[] = []
  let free = Promise.resolve()
  let release: () => void = () => undefined
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://hub').pathname)
    asked.push(path)
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return response.writeHead(401).end('{"error":"gated"}')
    const revision = /^\/api\/models\/(.+)\/revision\/(.+)$/.exec(path)
    if (revision !== null) {
      if (revision[1] !== repository || !['main', commit].includes(revision[2] ?? ''))
        return response.writeHead(404).end('{"error":"not found"}')
      const siblings = Object.entries(files).map(([rfilename, text]) => ({ rfilename, size: Buffer.byteLength(text) }))
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ sha: commit, siblings }))
    }
    const text = files[path.slice(`/${repository}/resolve/${commit}/`.length)]
    if (text === undefined) return response.writeHead(404).end()
    await free
    response.writeHead(200, { 'content-length': Buffer.byteLength(text) })
    return response.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    release()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    commit,
    asked,
    hold(holds) {
      release()
      if (!holds) return
      const { promise, resolve } = Promise.withResolvers<void>()
      free = promise
      release = resolve
    },
    close,
  }
}
