import { connect } from 'node:net'
import type { DoctorRow } from '../contract/system.ts'
import { askEngine } from '../doctor/ask-engine.ts'
import { containerRows } from '../doctor/container-rows.ts'
import { folderRow, permissionRow, spaceRow } from '../doctor/folder-rows.ts'
import { nodeRow, pythonRow } from '../doctor/program-rows.ts'
import { type RunProgram, runToEnd } from '../doctor/run-program.ts'
import { CliError } from './cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { findService, readServiceFile, type ServiceOptions } from './find-service.ts'
import type { Surroundings } from './surroundings.ts'

/** What the checks look at. */
export type DoctorContext = {
  readonly options: ServiceOptions
  readonly surroundings: Surroundings
  /** Whether to start a container that uses the GPUs, and of which image; true: of any that is at hand. */
  readonly gpuTest?: string | true | undefined
}

// The port a service takes when none is named; source: job-api of the service, fixed forms.
const DEFAULT_PORT = 8790

/** All checks, each giving its row. */
export async function runChecks(
  context: DoctorContext,
  runProgram: RunProgram = runToEnd,
): Promise<readonly DoctorRow[]> {
  const { surroundings, options, gpuTest } = context
  const folder = dataFolder(options.data, surroundings)
  const [told, ...looked] = await Promise.all([
    serviceRows(context),
    nodeRow(process.versions.node),
    pythonRow(surroundings.platform === 'win32' ? 'python' : 'python3', runProgram),
    folderRow(folder),
    permissionRow(folder, surroundings.platform).then(({ action: _button, ...row }) => row),
    spaceRow(folder),
    checkPort(context),
    checkService(context),
    containerRows({ runProgram, engine: () => askEngine(runProgram, surroundings.env), gpuTest }),
  ])
  const rows = looked.flat()
  const known = new Set(rows.map(({ check }) => check))
  return [...rows, ...told.filter(({ check }) => !known.has(check)).map(asCommand)]
}

// What only the service knows: its secrets, its images, workers that crash. Why it does not answer is a row of its own.
async function serviceRows({ options, surroundings }: DoctorContext): Promise<readonly DoctorRow[]> {
  try {
    const [{ createClient }, service] = await Promise.all([import('./client.ts'), findService(options, surroundings)])
    return (await createClient(service).call('doctorRead')).rows
  } catch (error) {
    if (error instanceof CliError) return []
    throw error
  }
}

// Buttons are of the pages; here it is said that there is one where the fix names no command.
function asCommand({ action, busy: _progress, ...row }: DoctorRow): DoctorRow {
  const isOnPage = action !== undefined && row.state !== 'ok' && action.action !== 'restart-endpoint'
  return isOnPage ? { ...row, fix: `${row.fix ?? ''} The page System does it: \`drydock open\`.`.trim() } : row
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
