import { join } from 'node:path'
import { runProgram } from '../../lib/node/run-program.ts'
import type { EnvironmentInstall } from '../port.ts'
import { isFile } from './machine-folders.ts'

// Source: ours. A download that makes progress may take any time.
const CREATE_LIMIT_MS = 120_000
const NO_PROGRESS_MS = 300_000
const CHECK_LIMIT_MS = 20_000
const SHOWN_LINES = 20

type Env = Readonly<Record<string, string | undefined>>

/**
 * See `ProcessHost.install`.
 * @throws Error with the last lines of the failure; the signal's reason
 */
export async function installIntoEnvironment(
  env: Env,
  { environment, python, searchPath, packages, onLine, signal }: EnvironmentInstall,
): Promise<void> {
  const interpreter = join(environment, 'bin', 'python')
  const found = await runProgram({ command: 'uv', args: ['--version'], env, limitMs: CHECK_LIMIT_MS, signal })
  const hasUv = found.kind === 'ended' && found.exitCode === 0
  // The endpoint's Python is on its own search path, uv on the service's.
  const path = [searchPath, env.PATH].filter((part) => part !== undefined && part !== '').join(':')
  const run = (command: readonly string[], limitMs: number) =>
    runWell({ ...env, PATH: path, NO_COLOR: '1', UV_PYTHON_DOWNLOADS: 'never' }, command, { limitMs, onLine, signal })
  if (!(await isFile(interpreter))) {
    // Packages that the workers found before remain importable.
    const wish = ['--system-site-packages', environment]
    await run(hasUv ? ['uv', 'venv', '--python', python, ...wish] : [python, '-m', 'venv', ...wish], CREATE_LIMIT_MS)
  }
  const quiet = ['--no-input', '--disable-pip-version-check', '--progress-bar', 'off']
  const installer = hasUv
    ? ['uv', 'pip', 'install', '--python', interpreter]
    : [interpreter, '-m', 'pip', 'install', ...quiet]
  await run([...installer, '--', ...packages], NO_PROGRESS_MS)
}

async function runWell(
  env: Env,
  [command = '', ...args]: readonly string[],
  watch: {
    readonly limitMs: number
    readonly onLine: (line: string) => void
    readonly signal: AbortSignal | undefined
  },
): Promise<void> {
  const end = await runProgram({ command, args, env, limits: 'no progress', ...watch })
  if (end.kind === 'ended' && end.exitCode === 0) return
  if (end.kind === 'missing') throw new Error(`Cannot install packages: ${command} was not found.`)
  if (end.kind === 'late') throw new Error(`${command} made no progress for ${watch.limitMs / 1000} s.`)
  const said = end.stderr.trim() || end.stdout.trim() || `${command} ended with exit code ${end.exitCode}.`
  throw new Error(said.split(/\r?\n/).slice(-SHOWN_LINES).join('\n'))
}
