import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Help, Option } from 'commander'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError } from '../../../app/cli/cli-error.ts'
import { dataFolder, findService, readServiceFile, type ServiceOptions } from '../../../app/cli/find-service.ts'
import type { Colour, Output } from '../../../app/cli/output.ts'
import { globalOptions, outputOf } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import { DIFFERENCE_ROWS, DIFFERENCES, type Difference, PROBE_HINT } from '../../../contract/differences.ts'
import type { MachineView } from '../../../contract/machines.ts'
import type { DoctorRow } from '../../../contract/system.ts'
import { DEFAULT_PORT, LOOPBACK, portOfService } from '../../../lib/own-addresses.ts'
import { counted } from '../../../lib/text.ts'
import { askEngine } from '../adapters/ask-engine.ts'
import { containerRows } from '../adapters/container-rows.ts'
import { fileSystemRow } from '../adapters/file-system.ts'
import { folderRow, permissionRow, recoverCommand, spaceRow, watchRows } from '../adapters/folder-rows.ts'
import { nodeRow, pythonRow, type RunProgram, runToEnd } from '../adapters/programs.ts'

export function addDoctor(doctor: CliCommand, surroundings: Surroundings): void {
  doctor
    .option('--gpu-test [image]', 'check that a container of this local image sees the GPUs')
    .addOption(
      new Option('--production', 'run no checks; list where Drydock differs from the platform').conflicts('gpuTest'),
    )
    .details('\nThe exit code is 0 unless a row failed.')
    .examples(
      'drydock doctor',
      'drydock doctor --data ./data --json',
      'drydock doctor --gpu-test ubuntu',
      'drydock doctor --production',
    )
    .action(async ({ gpuTest, production }: { gpuTest?: string | true; production?: true }, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      if (production) {
        output.result({ differences: DIFFERENCE_ROWS }, () => showDifferences(output, command.createHelp()))
        return
      }
      const rows = await runChecks({ options: globalOptions(command), surroundings, gpuTest })
      const failed = rows.filter(({ state }) => state === 'failed').length
      output.result({ ok: failed === 0, checks: rows }, () => showRows(output, rows))
      if (failed > 0) throw new CliError('CHECKS_FAILED', { count: counted(failed, 'check') })
    })
}

// The narrowest usual terminal.
const WIDTH = 80
const DIFFERENCE_WIDTH = WIDTH - 'on the platform'.length - 2

function showDifferences(output: Output, help: Help): void {
  const wrapped = (text: string | undefined) => text && help.boxWrap(text, DIFFERENCE_WIDTH)
  for (const [topic, rows] of Object.entries<readonly Difference[]>(DIFFERENCES)) {
    output.line(output.paint('bold', topic.toUpperCase()))
    for (const { what, here, there, evidence, setting } of rows) {
      output.line(`\n${output.paint('bold', what)}`)
      output.fields([
        ['here', wrapped(here)],
        ['on the platform', wrapped(there)],
        ['setting', wrapped(setting)],
        ['evidence', evidence],
      ])
    }
    output.line()
  }
  output.line(help.boxWrap(output.asCalled(PROBE_HINT), WIDTH))
}

const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red' } as const satisfies Record<DoctorRow['state'], Colour>

function showRows(output: Output, rows: readonly DoctorRow[]): void {
  // A fix is below its finding, because lines with both would be too wide for terminals.
  output.table(
    ['CHECK', 'STATE', 'FOUND'],
    rows.flatMap(({ check, state, found, fix }) => [
      [check, output.paint(COLOURS[state], state), found],
      ...(fix === undefined ? [] : [['', '', `-> ${output.asCalled(fix)}`]]),
    ]),
  )
}

type DoctorContext = {
  readonly options: ServiceOptions
  readonly surroundings: Surroundings
  /** Image of the container that tests the GPUs; true: any local one. */
  readonly gpuTest?: string | true | undefined
  readonly machinesLimitMs?: number | undefined
}

export async function runChecks(
  context: DoctorContext,
  runProgram: RunProgram = runToEnd,
): Promise<readonly DoctorRow[]> {
  const { surroundings, options } = context
  const folder = dataFolder(options.data, surroundings)
  const ofService = serviceRows(context)
  const [told, machines, ...checked] = await Promise.all([
    ofService,
    machineRows(context),
    nodeRow(process.versions.node),
    pythonRow(surroundings.platform === 'win32' ? 'python' : 'python3', runProgram),
    folderRow(folder),
    fileSystemRow(folder),
    permissionRow(folder, surroundings.platform).then(({ action: _button, ...row }) => row),
    spaceRow(folder),
    databaseRows(folder),
    watchRows(folder),
    checkPort(context),
    checkService(context),
    ownContainerRows(context, runProgram, ofService),
  ])
  const rows = checked.flat()
  const known = new Set(rows.map(({ check }) => check))
  return [...rows, ...told.filter(({ check }) => !known.has(check)).map(asCommand), ...machines]
}

// Skipped for a running service, which stops by itself if its database is damaged.
async function databaseRows(folder: string): Promise<readonly DoctorRow[]> {
  const file = join(folder, 'drydock.db')
  if (!existsSync(file) || (await readServiceFile(folder)) !== undefined) return []
  const { findDamage } = await import('../../../app/core.ts')
  let fault: string | undefined
  try {
    fault = findDamage(file)
  } catch (error) {
    const found = `cannot be read: ${(error as Error).message}`
    return [
      { check: 'database', state: 'warning', found, fix: `Check the permissions of ${file}, and run doctor again.` },
    ]
  }
  if (fault === undefined) return [{ check: 'database', state: 'ok', found: 'not damaged' }]
  const fix = `Restore a copy of the data folder, or save what can be read with \`${recoverCommand(folder)}\`.`
  return [{ check: 'database', state: 'failed', found: `damaged: ${fault}`, fix }]
}

// Without a docker command the service knows more, because it may find an engine.
async function ownContainerRows(
  { surroundings, gpuTest }: DoctorContext,
  runProgram: RunProgram,
  ofService: Promise<readonly DoctorRow[]>,
): Promise<readonly DoctorRow[]> {
  const engine = await askEngine(runProgram, surroundings.env)
  const serviceKnows = async () => (await ofService).some(({ check }) => check === 'Docker')
  if (engine.state === 'no command' && gpuTest === undefined && (await serviceKnows())) return []
  return containerRows({ runProgram, engine: async () => engine, gpuTest })
}

async function connected({ options, surroundings }: DoctorContext) {
  const [{ createClient }, service] = await Promise.all([
    import('../../../app/cli/client.ts'),
    findService(options, surroundings),
  ])
  return { service, client: createClient(service) }
}

/** Asks the service. Another row says why it does not answer. */
async function rowsFrom(
  context: DoctorContext,
  read: (client: ServiceClient) => Promise<readonly DoctorRow[]>,
): Promise<readonly DoctorRow[]> {
  try {
    return await read((await connected(context)).client)
  } catch (error) {
    if (error instanceof CliError) return []
    throw error
  }
}

// Facts that only the service knows: secrets, images, crashing workers.
const serviceRows = (context: DoctorContext) =>
  rowsFrom(context, async (client) => (await client.call('doctorRead')).rows)

function asCommand({ action, busy: _progress, ...row }: DoctorRow): DoctorRow {
  const isOnPage = action !== undefined && row.state !== 'ok' && action.action !== 'restart-endpoint'
  return isOnPage ? { ...row, fix: `${row.fix ?? ''} Or do it on the System page: \`drydock open\`.`.trim() } : row
}

// Total ms for machine tests, and polling interval. Source: ours; a swarm test asks each node, and a terminal user
// waits no longer.
const MACHINES_LIMIT_MS = 20_000
const ASK_MS = 300

/** Does not wait for an unreachable machine, which takes one line. */
const machineRows = (context: DoctorContext) =>
  rowsFrom(context, async (client) => {
    const { machines } = await client.call('machineList')
    const giveUp = AbortSignal.timeout(context.machinesLimitMs ?? MACHINES_LIMIT_MS)
    return (await Promise.all(machines.map((machine) => rowsOfMachine(client, machine, giveUp)))).flat()
  })

async function rowsOfMachine(
  client: ServiceClient,
  { name, state, reason }: MachineView,
  giveUp: AbortSignal,
): Promise<readonly DoctorRow[]> {
  const fix = `See \`drydock machine test ${name}\`; jobs of its endpoints wait until then.`
  if (state !== 'connected') {
    const what = state === 'connecting' ? 'connecting' : 'it cannot be reached'
    const found = reason === undefined ? what : `${what}: ${reason}`
    return [{ check: `machine ${name}`, state: 'warning', found, fix }]
  }
  const path = { machine: name }
  let { test } = await client.call('machineTest', { path })
  while (test.isRunning && !giveUp.aborted) {
    await new Promise((done) => setTimeout(done, ASK_MS))
    test = (await client.call('machineGet', { path })).test
  }
  const rows = test.steps.map(({ check, ...row }) => ({ check: `${name}: ${check}`, ...row }))
  if (!test.isRunning) return rows
  const found = 'its test did not finish in time'
  return [...rows, { check: `machine ${name}`, state: 'warning', found, fix: `See \`drydock machine test ${name}\`.` }]
}

async function checkPort({ options, surroundings }: DoctorContext): Promise<DoctorRow> {
  const check = 'port'
  const service = await readServiceFile(dataFolder(options.data, surroundings))
  const port = service === undefined ? DEFAULT_PORT : portOfService(service.url)
  if (!(await isListening(port))) {
    if (service === undefined) return { check, state: 'ok', found: `${port} is free` }
    return {
      check,
      state: 'failed',
      found: `${port} does not answer`,
      fix: `End process ${service.pid} and start the service again.`,
    }
  }
  if (service !== undefined) return { check, state: 'ok', found: `${port} is used by the service (pid ${service.pid})` }
  const fix = 'The service uses the next free port, or the one given with --port.'
  return { check, state: 'warning', found: `${port} is used by another program`, fix }
}

async function checkService(context: DoctorContext): Promise<DoctorRow> {
  const check = 'service'
  let namedBy = ''
  try {
    const { service, client } = await connected(context)
    namedBy = ` (named by ${service.by})`
    const info = await client.call('info')
    return { check, state: 'ok', found: `${service.url} answers, version ${info.version}, key accepted${namedBy}` }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    if (error.code === 'NOT_RUNNING')
      return { check, state: 'warning', found: 'none is running', fix: 'Start one with `drydock start`.' }
    if (error.body.code === 'FORBIDDEN_KEY') {
      return {
        check,
        state: 'warning',
        found: `answers, but the key belongs to an endpoint${namedBy}`,
        fix: 'Use the account key for management.',
      }
    }
    return {
      check,
      state: 'failed',
      found: `${error.message}${namedBy}`,
      fix: SERVICE_FIXES[error.body.code] ?? 'Check the log of the service.',
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
    const socket = connect({ host: LOOPBACK, port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
