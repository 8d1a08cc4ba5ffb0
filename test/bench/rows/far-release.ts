/**
 * A release of an app of 200 MB whose worker runs on another machine, and releases of it of which only the code changed, as
 * a preview makes them: from the call until the worker with the new code is the active one, with all bytes of the
 * connection by ssh counted.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MANIFEST_FILE, manifest } from '../../../src-main/contract/manifest.ts'
import { bounded, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import { untilSo } from '../support/containers.ts'
import { type RemoteSide, withRemoteService } from '../support/far-service.ts'
import type { Service } from '../support/service.ts'

const WHAT = 'a release of an app of 200 MB with a change of its code, on another machine by ssh'
const MB = 1e6
const [FILES, FILE_BYTES, LARGE_FILES, LARGE_BYTES] = [4000, 20_000, 12, 10 * MB]
const CHANGES = 5
const MOST_MS = 2000
const SIDES = { far: { machine: 'far' }, here: {} }

/** Measures it. */
export function remoteRelease(): Promise<readonly Row[]> {
  return withRemoteService(WHAT, { far: 0 }, measure)
}

async function measure({ service, folder, proxyOf }: RemoteSide): Promise<readonly Row[]> {
  const packages = join(folder, 'packages')
  makePackages(packages)
  for (const name of Object.keys(SIDES)) await service.call('POST', '/api/apps/shop/environments', { name })
  await untilSo(async () => 'facts' in ((await service.call('GET', '/api/machines/far')) as object))
  const { counted } = proxyOf('far')

  async function release(n: number, side: keyof typeof SIDES) {
    const code = join(folder, 'code', side, String(n))
    makeBuild(code, packages, n)
    const before = counted()
    const start = performance.now()
    const endpoint = await releaseFrom(service, side, code)
    const ms = performance.now() - start
    const after = counted()
    const { output } = (await service.call('POST', `/v2/${endpoint}/runsync`, { input: {} })) as { output: number }
    if (output !== n) throw new Error(`release ${n} answers ${output}`)
    return { ms, bytes: after.there - before.there + after.back - before.back }
  }

  const first = await release(0, 'far')
  await release(0, 'here')
  const changes = []
  const here = []
  for (let n = 1; n <= CHANGES; n++) {
    changes.push(await release(n, 'far'))
    here.push((await release(n, 'here')).ms)
  }
  const spans = changes.map(({ ms }) => ms)
  const row = bounded(WHAT, Math.max(...spans), MOST_MS, 'ms')
  const figures = [
    `median ${short(median(spans))} ms, with the start of its worker (here ${short(median(here))} ms)`,
    `${short(Math.max(...changes.map(({ bytes }) => bytes)) / 1000)} kB on the wire`,
    `the first time ${short(first.ms / 1000)} s, ${short(first.bytes / MB)} MB`,
  ]
  return [{ ...row, figure: `${row.figure} at most; ${figures.join('; ')}` }]
}

/** @returns the id of its endpoint */
async function releaseFrom(service: Service, side: keyof typeof SIDES, folder: string): Promise<string> {
  const path = `/api/apps/shop/environments/${side}/releases`
  const body = { source: { folder }, runsOn: 'containers', ...SIDES[side] }
  const { release } = (await service.call('POST', path, body)) as { release: { number: number } }
  let endpoint = ''
  await untilSo(async () => {
    const now = (await service.call('GET', `${path}/${release.number}`)) as ReleaseNow
    if (now.release.state === 'failed') throw new Error(`the release failed: ${now.release.reason}`)
    endpoint = now.endpoints[0]?.id ?? ''
    return now.release.state === 'active'
  })
  return endpoint
}

type ReleaseNow = {
  readonly release: { readonly state: string; readonly reason?: string }
  readonly endpoints: readonly { readonly id: string }[]
}

function makePackages(folder: string): void {
  mkdirSync(folder)
  for (let at = 0; at < FILES; at++) writeFileSync(join(folder, `module${at}.py`), randomBytes(FILE_BYTES))
  for (let at = 0; at < LARGE_FILES; at++) writeFileSync(join(folder, `library${at}.so`), randomBytes(LARGE_BYTES))
}

/** A build as the app builder leaves it: code of its own, and packages that are the files of all builds. */
function makeBuild(folder: string, packages: string, n: number): void {
  mkdirSync(join(folder, 'packages'), { recursive: true })
  for (const name of readdirSync(packages)) linkSync(join(packages, name), join(folder, 'packages', name))
  writeFileSync(join(folder, 'handler_work.py'), `def handler(job):\n    return ${n}\n`)
  const resource = {
    ...{ is_load_balanced: false, workersMin: 1, workersMax: 1, gpuCount: 1, instanceIds: ['cpu3c-1-2'], env: {} },
    functions: [{ name: 'work', module: 'worker', is_async: false, is_generator: false, is_class: false }],
    ...{ idleTimeout: 60, scalerType: 'QUEUE_DELAY', scalerValue: 4, executionTimeoutMs: 0, maxConcurrency: 1 },
    ...{ handlerFile: 'handler_work.py', makesRemoteCalls: false, networkVolumes: [], systemDependencies: [] },
  }
  const content = manifest.parse({
    ...{ version: '1.0', app: 'shop', python_version: '3.11', generated_at: '1980-01-01T00:00:00.000Z' },
    source_fingerprint: String(n).padStart(64, '0'),
    resources: { work: resource },
    routes: {},
    function_registry: { work: 'work' },
  })
  writeFileSync(join(folder, MANIFEST_FILE), JSON.stringify(content))
}
