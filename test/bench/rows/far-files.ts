/**
 * An app of 200 MB on another machine: sent for the first time, and again after a change of one file of code, with what
 * goes over the wire, counted before the socket of the engine there.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemTime } from '../../../src-main/http/server/system-ports.ts'
import { createEngine } from '../../../src-main/runtimes/docker/engine.ts'
import { createRemoteFiles } from '../../../src-main/runtimes/remote/remote-files.ts'
import { dockerEngine } from '../../support/docker-engine.ts'
import { openProxy } from '../../support/open-proxy.ts'
import { bounded, notMeasured, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import { IMAGE, PYTHON_PATH } from '../support/containers.ts'
import { withFolder } from '../support/folders.ts'

const WHAT = 'a code-only change of an app of 200 MB goes to another machine'
const MB = 1e6
// As many files as torch has in addition to its large libraries.
const [FILES, FILE_BYTES, LARGE_FILES, LARGE_BYTES] = [4000, 20_000, 12, 10 * MB]
const CHANGES = 10
const MOST_MS = 2000

/** Sends it, and then changes of it. */
export async function remoteFilesSent(): Promise<readonly Row[]> {
  const engine = await dockerEngine()
  if ('why' in engine) return [notMeasured(WHAT, engine.why)]
  return withFolder((folder) => measure(folder, engine.dockerHost))
}

async function measure(folder: string, dockerHost: string): Promise<readonly Row[]> {
  const app = join(folder, 'app')
  makeApp(app)
  const proxy = await openProxy(dockerHost)
  const clock = { now: systemTime.wall, steady: systemTime.monotonic, after: systemTime.after }
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const serviceId = `bench${randomBytes(5).toString('hex')}`
  const place = {
    addresses: () => [{ host: `tcp://127.0.0.1:${proxy.port}`, source: 'the bench' }],
    whyNoEngine: (tried: readonly string[]) => tried.join('; '),
    isOnLinux: true,
  }
  const engine = createEngine({ clock, log, place, label: `svc.service=${serviceId}` })
  const options = { engine, machine: 'box', serviceId, pythonPath: PYTHON_PATH, image: async () => IMAGE, clock, log }
  const files = createRemoteFiles(options)
  const watch = { report: () => undefined, signal: new AbortController().signal }

  async function send() {
    const before = proxy.counted()
    const start = performance.now()
    await files.send({ path: app, kind: 'packed', owner: 'bench' }, watch)
    const ms = performance.now() - start
    const after = proxy.counted()
    return { ms, bytes: after.there - before.there + after.back - before.back }
  }

  try {
    const first = await send()
    const changes = []
    for (let change = 0; change < CHANGES; change++) {
      writeFileSync(join(app, 'handler.py'), `def handler(job):\n    return ${change}\n`)
      changes.push(await send())
    }
    const spans = changes.map(({ ms }) => ms)
    const row = bounded(WHAT, Math.max(...spans), MOST_MS, 'ms')
    const figures = [
      `median ${short(median(spans))} ms`,
      `${short(Math.max(...changes.map(({ bytes }) => bytes)) / 1000)} kB on the wire`,
      `the first time ${short(first.ms / 1000)} s, ${short(first.bytes / MB)} MB`,
    ]
    return [{ ...row, figure: `${row.figure} at most; ${figures.join('; ')}` }]
  } finally {
    await files.close()
    const { docker } = await engine.connect()
    await docker.getVolume(`drydock-${serviceId}-files`).remove({ force: true })
    engine.close()
    await proxy.close()
  }
}

function makeApp(app: string): void {
  for (let at = 0; at < FILES; at++) {
    const folder = join(app, `package${at % 40}`, `part${at % 200}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `module${at}.py`), randomBytes(FILE_BYTES))
  }
  for (let at = 0; at < LARGE_FILES; at++) writeFileSync(join(app, `library${at}.so`), randomBytes(LARGE_BYTES))
}
