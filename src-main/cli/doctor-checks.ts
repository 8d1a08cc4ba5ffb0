import { access, constants, statfs } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { CliError } from './cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { containerRows } from './doctor/container-rows.ts'
import type { DoctorRow } from './doctor/doctor-row.ts'
import { type RunProgram, runToEnd } from './doctor/run-program.ts'
import { findService, readServiceFile, type ServiceOptions } from './find-service.ts'
import { size } from './format.ts'
import type { Surroundings } from './surroundings.ts'

/** What the checks look at. */
export type DoctorContext = {
  readonly options: ServiceOptions
  readonly surroundings: Surroundings
  /** Whether to start a container that uses the GPUs, and of which image; true: of any that is at hand. */
  readonly gpuTest?: string | true | undefined
}

// The release lines that are needed; source: architecture, Decisions.
const NODE_MAJOR = 24
const PYTHON_MINOR = 10
// Free space below which a warning and a failure are shown, in bytes; source: ours, 50 results of the largest size.
const LOW_SPACE_BYTES = 1024 ** 3
const NO_SPACE_BYTES = 64 * 1024 ** 2
// The port a service takes when none is named; source: job-api of the service, fixed forms.
const DEFAULT_PORT = 8790

/** All checks, each giving its row. */
export async function runChecks(
  context: DoctorContext,
  runProgram: RunProgram = runToEnd,
): Promise<readonly DoctorRow[]> {
  const rows = await Promise.all([
    checkNode(process.versions.node),
    checkPython(context, runProgram),
    checkDataFolder(context),
    checkSpace(context),
    checkPort(context),
    checkService(context),
    containerRows({ runProgram, env: context.surroundings.env, gpuTest: context.gpuTest }),
  ])
  return rows.flat()
}

/** Whether this Node is of the release line that is needed. @param version like 24.1.0 */
export function checkNode(version: string): DoctorRow {
  if (Number.parseInt(version, 10) >= NODE_MAJOR) return { check: 'Node', state: 'ok', found: version }
  return {
    check: 'Node',
    state: 'failed',
    found: version,
    fix: `Start with \`npm start\`, which brings Node ${NODE_MAJOR}.`,
  }
}

async function checkPython({ surroundings }: DoctorContext, runProgram: RunProgram): Promise<DoctorRow> {
  const check = 'Python'
  const name = surroundings.platform === 'win32' ? 'python' : 'python3'
  const told = await runProgram(name, ['-c', 'import sys; print(*sys.version_info[:3], sys.executable)'])
  const [, major, minor, patch, path] = /^(\d+) (\d+) (\d+) (.*)$/m.exec(told.stdout) ?? []
  const fix = `Install Python 3.${PYTHON_MINOR} or later and put ${name} on the PATH.`
  if (major === undefined) return { check, state: 'failed', found: `${name} is not there`, fix }
  const found = `${major}.${minor}.${patch} at ${path}`
  return Number(major) === 3 && Number(minor) >= PYTHON_MINOR
    ? { check, state: 'ok', found }
    : { check, state: 'failed', found, fix }
}

async function checkDataFolder({ options, surroundings }: DoctorContext): Promise<DoctorRow> {
  const check = 'data folder'
  const folder = dataFolder(options.data, surroundings)
  const existing = await nearestExisting(folder)
  const found = existing === folder ? folder : `${folder} (not made yet)`
  if (await canWrite(existing)) return { check, state: 'ok', found }
  return {
    check,
    state: 'failed',
    found: `${existing} is not writable`,
    fix: 'Make it writable, or name another folder with --data.',
  }
}

async function checkSpace({ options, surroundings }: DoctorContext): Promise<DoctorRow> {
  const check = 'free space'
  const { bavail, bsize } = await statfs(await nearestExisting(dataFolder(options.data, surroundings)))
  const free = bavail * bsize
  const fix = 'Free some space, or name a folder on another disk with --data.'
  if (free >= LOW_SPACE_BYTES) return { check, state: 'ok', found: size(free) }
  return { check, state: free >= NO_SPACE_BYTES ? 'warning' : 'failed', found: size(free), fix }
}

async function checkPort({ options, surroundings }: DoctorContext): Promise<DoctorRow> {
  const check = 'port'
  const service = await readServiceFile(dataFolder(options.data, surroundings))
  const port = Number(service === undefined ? DEFAULT_PORT : new URL(service.url).port)
  if (!(await isListening(port))) {
    if (service === undefined) return { check, state: 'ok', found: `${port} is free` }
    return {
      check,
      state: 'failed',
      found: `${port} does not answer`,
      fix: `End process ${service.pid} and start the service again.`,
    }
  }
  if (service !== undefined) return { check, state: 'ok', found: `${port} is held by the service (pid ${service.pid})` }
  const fix = 'The service takes the next free port; --port names another one.'
  return { check, state: 'warning', found: `${port} is held by another program`, fix }
}

async function checkService({ options, surroundings }: DoctorContext): Promise<DoctorRow> {
  const check = 'service'
  let namedBy = ''
  try {
    const [{ createClient }, service] = await Promise.all([import('./client.ts'), findService(options, surroundings)])
    namedBy = ` (named by ${service.by})`
    const info = await createClient(service).call('info')
    return { check, state: 'ok', found: `${service.url} answers, version ${info.version}, key accepted${namedBy}` }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    if (error.code === 'NOT_RUNNING')
      return { check, state: 'warning', found: 'none is running', fix: 'Start one with `drydock start`.' }
    if (error.body.code === 'FORBIDDEN_KEY') {
      return {
        check,
        state: 'warning',
        found: `answers, but the key is of one endpoint${namedBy}`,
        fix: 'Use the account key for management.',
      }
    }
    return {
      check,
      state: 'failed',
      found: `${error.message}${namedBy}`,
      fix: SERVICE_FIXES[error.body.code] ?? 'Look into the log of the service.',
    }
  }
}

const SERVICE_FIXES: Readonly<Record<string, string>> = {
  NOT_REACHABLE: 'Start it with `drydock start`, or name another one with --url, SVC_BASE_URL or `drydock login`.',
  KEY_MISSING: 'Give the account key with --key or in SVC_API_KEY.',
  UNAUTHORIZED: 'Use the key in the file account.key of its data folder.',
  NOT_DRYDOCK: 'Check --url, SVC_BASE_URL and `drydock login`.',
  USAGE: 'Check --url and --data.',
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await access(path)
    return path
  } catch {
    // Not there: its parent decides. The root always is.
    return dirname(path) === path ? path : nearestExisting(dirname(path))
  }
}

async function canWrite(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
