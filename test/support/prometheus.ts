/**
 * Debian's Prometheus for tests: unpacks its package next to the other caches of tests, and installs nothing.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { freePort } from '../../src-main/http/server/listen.ts'
import { until } from './served-service.ts'

/** The programs of the package. */
export type PrometheusPrograms = { readonly prometheus: string; readonly promtool: string }

const execute = promisify(execFile)
const DOWNLOAD_LIMIT_MS = 5 * 60_000
const PORTS_TRIED = 5

/** Finds the programs, or downloads and unpacks Debian's package. */
export async function findPrometheus(): Promise<PrometheusPrograms | { readonly why: string }> {
  const folder = join(process.env.XDG_CACHE_HOME ?? writableCache(), 'drydock-test-prometheus')
  const programs = programsIn(join(folder, 'usr', 'bin'))
  if (isThere(programs.promtool)) return programs
  if (isThere('/usr/bin/promtool')) return programsIn('/usr/bin')
  const into = mkdtempSync(join(tmpdir(), 'drydock-prometheus-'))
  try {
    await execute('apt-get', ['download', 'prometheus'], { cwd: into, timeout: DOWNLOAD_LIMIT_MS })
    const [file = ''] = readdirSync(into).filter((name) => name.endsWith('.deb'))
    const unpacked = `${folder}.${process.pid}`
    mkdirSync(unpacked, { recursive: true })
    await execute('dpkg-deb', ['-x', join(into, file), unpacked])
    // Another test file may have been quicker.
    if (isThere(programs.promtool)) rmSync(unpacked, { recursive: true })
    else renameSync(unpacked, folder)
    return programs
  } catch (error) {
    return {
      why: `no Prometheus: its Debian package is not available here (${(error as Error).message.split('\n')[0]})`,
    }
  } finally {
    rmSync(into, { recursive: true, force: true })
  }
}

function writableCache(): string {
  try {
    accessSync('/var/cache', constants.W_OK)
    return '/var/cache'
  } catch {
    return tmpdir()
  }
}

const programsIn = (folder: string): PrometheusPrograms => ({
  prometheus: join(folder, 'prometheus'),
  promtool: join(folder, 'promtool'),
})

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The complaints of `promtool check metrics` about a page, one per line; empty if it accepts the page. */
export async function lintMetrics({ promtool }: PrometheusPrograms, page: string): Promise<readonly string[]> {
  const child = spawn(promtool, ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  child.stdin.end(page)
  const [code] = await once(child, 'close')
  return code === 0 && said === '' ? [] : said.split('\n').filter((line) => line !== '')
}

/** A Prometheus that scrapes a service every second. */
export type RunningPrometheus = {
  /** The values of an expression, by the labels that are asked for; with none there is one. */
  readonly query: (
    expression: string,
  ) => Promise<readonly { readonly metric: Record<string, string>; readonly value: number }[]>
  /** The state of the target: up, down, and the last error. */
  readonly target: () => Promise<{ readonly health: string; readonly lastError: string }>
}

type Answered = {
  readonly activeTargets: readonly { readonly health: string; readonly lastError: string; readonly scrapeUrl: string }[]
  readonly result: readonly { readonly metric: Record<string, string>; readonly value: readonly [number, string] }[]
}

/** Starts it on the page of a service; it ends with the test. */
export async function startPrometheus(
  { prometheus }: PrometheusPrograms,
  scraped: { readonly url: string; readonly key: string },
): Promise<RunningPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-prometheus-'))
  writeFileSync(
    join(folder, 'prometheus.yml'),
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: [
        {
          job_name: 'drydock',
          authorization: { credentials: scraped.key },
          static_configs: [{ targets: [new URL(scraped.url).host] }],
        },
      ],
    }),
  )
  const read = async (path: string) => {
    const response = await fetch(`${url}${path}`)
    return ((await response.json()) as { data: Answered }).data
  }
  const target = async () => {
    const [one] = (await read('/api/v1/targets')).activeTargets
    // Another program may have taken the port, and answer.
    if (one?.scrapeUrl !== `${scraped.url}/metrics`) throw new Error('it has no target yet')
    return one
  }
  // Prometheus cannot choose a port itself, and exits if another program took the free one.
  let url = ''
  let child: ChildProcess | undefined
  onTestFinished(() => end(child, folder))
  let tries = 0
  do {
    if (tries++ === PORTS_TRIED) throw new Error(`Prometheus ended on ${PORTS_TRIED} free ports`)
    const port = await freePort(() => false)
    url = `http://127.0.0.1:${port}`
    const started = spawn(
      prometheus,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { stdio: 'ignore' },
    )
    child = started
    await until(async () => {
      if (started.exitCode !== null) return
      if ((await target()).health === 'unknown') throw new Error('it has not scraped yet')
    })
  } while (child.exitCode !== null)
  return {
    target,
    async query(expression) {
      const { result } = await read(`/api/v1/query?query=${encodeURIComponent(expression)}`)
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
    },
  }
}

async function end(child: ChildProcess | undefined, folder: string): Promise<void> {
  if (child?.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
