/**
 * HTTP servers of Python packages that run programs/no_op.py. Each package of peers.txt has a virtual environment of
 * its own, made on the first run and kept with those of the tests.
 */
import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type PublicPython, prepareEnvironment } from '../../sdk/support-python.ts'
import type { Target } from './beside-floor.ts'
import { freePort } from './free-port.ts'
import { endGroup, owned, PROGRAMS } from './programs.ts'

const PACKAGES = readFileSync(join(import.meta.dirname, '..', 'peers.txt'), 'utf8').split('\n')
const LOOK_EVERY_MS = 5

type Address = { readonly port: string; readonly folder: string }

const SERVERS = {
  bentoml: {
    path: '/run',
    args: ({ port }: Address) => [
      '-m',
      'bentoml',
      'serve',
      'bentoml_service:NoOp',
      '--host',
      '127.0.0.1',
      '--port',
      port,
    ],
  },
  cog: { path: '/predictions', args: () => ['-m', 'cog.server.http', '--host', '127.0.0.1'] },
  litserve: { path: '/predict', args: ({ port }: Address) => ['litserve_server.py', port] },
  ray: { path: '/', args: ({ port, folder }: Address) => ['ray_serve.py', port, join(folder, 'ray')] },
  runpod: { path: '/runsync', args: ({ port }: Address) => ['sdk_server.py', '--rp_serve_api', '--rp_api_port', port] },
}

const environment = ({ port, folder }: Address) => ({
  PORT: port,
  PYTHONDONTWRITEBYTECODE: '1',
  COG_PREDICT_TYPE_STUB: `${join(PROGRAMS, 'cog_runner.py')}:Runner`,
  COG_MAX_CONCURRENCY: '32',
  BENTOML_HOME: join(folder, 'bentoml'),
  BENTOML_DO_NOT_TRACK: 'True',
  RAY_USAGE_STATS_ENABLED: '0',
})

/** A server that answers. `startedAt`: the moment its process was started, ms of performance.now. */
export type PythonServer = {
  readonly target: Target
  readonly pid: number
  readonly startedAt: number
  readonly stop: () => Promise<void>
}

/** The interpreter that has a package of peers.txt, or why there is none. */
export function peerPython(name: string): Promise<PublicPython> {
  const packages = PACKAGES.filter((line) => line.split(/\W/, 1)[0] === name)
  return prepareEnvironment(packages, `import ${name}`)
}

/** Starts a server and waits for its first answer to this body. @throws with its log */
export async function startPythonServer(
  name: keyof typeof SERVERS,
  folder: string,
  body: string,
): Promise<PythonServer | { readonly why: string }> {
  const { ready, python, reason } = await peerPython(name)
  if (!ready) return { why: reason }
  const port = await freePort()
  const address = { port: String(port), folder }
  const { path, args } = SERVERS[name]
  const log = join(folder, `${name}.log`)
  const output = openSync(log, 'a')
  // Some start `python` again.
  const PATH = `${dirname(python)}${delimiter}${process.env.PATH}`
  const startedAt = performance.now()
  const child = owned(
    spawn(python, args(address), {
      cwd: PROGRAMS,
      env: { ...process.env, ...environment(address), PATH },
      stdio: ['ignore', output, output],
      detached: true, // LitServe leaves its own processes behind
    }),
  )
  while (!(await answers(`http://127.0.0.1:${port}${path}`, body))) {
    if (child.exitCode !== null) throw new Error(`${name} ended before it answered:\n${readFileSync(log, 'utf8')}`)
    await pause(LOOK_EVERY_MS)
  }
  return { target: { port, path, headers: [] }, pid: child.pid ?? 0, startedAt, stop: () => endGroup(child) }
}

async function answers(url: string, body: string): Promise<boolean> {
  const sent = fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answer = await sent.catch(() => undefined)
  await answer?.text()
  return answer?.status === 200
}
