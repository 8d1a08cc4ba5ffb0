import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { AppError, errorBody } from '../contract/errors.ts'
import { CliError, EXIT_CODE_HELP, EXIT_CODES, type ExitCode } from './cli-error.ts'
import { addApp } from './commands/app.ts'
import { addBatch } from './commands/batch.ts'
import { addBuild } from './commands/build.ts'
import { addCancel, addPurge, addRetry } from './commands/cancel-retry-purge.ts'
import { addBisect, addCompare } from './commands/compare.ts'
import { addDemo } from './commands/demo.ts'
import { addDeploy, addRollback, addUndeploy } from './commands/deploy.ts'
import { addDoctor } from './commands/doctor.ts'
import { addEndpoint } from './commands/endpoint.ts'
import { addEnv } from './commands/env.ts'
import { addExport } from './commands/export.ts'
import { addFaultCommands } from './commands/faults.ts'
import { addHealth } from './commands/health.ts'
import { addInit } from './commands/init.ts'
import { addJob } from './commands/job.ts'
import { addJobs } from './commands/jobs.ts'
import { addKey } from './commands/key.ts'
import { addLoadTest } from './commands/load-test.ts'
import { addLogin, addLogout } from './commands/login.ts'
import { addLogs } from './commands/logs.ts'
import { addMachine } from './commands/machine.ts'
import { addMcp } from './commands/mcp.ts'
import { addModels } from './commands/models/models.ts'
import { addOpen } from './commands/open.ts'
import { addPlatform } from './commands/platform.ts'
import { addRecover } from './commands/recover.ts'
import { addRegistry } from './commands/registry.ts'
import { addRequests } from './commands/requests.ts'
import { addRun, addRunsync } from './commands/run.ts'
import { addSchedule } from './commands/schedule.ts'
import { addServe } from './commands/serve.ts'
import { addSettings } from './commands/settings.ts'
import { addStart } from './commands/start.ts'
import { addStatus } from './commands/status.ts'
import { addStream } from './commands/stream.ts'
import { addTarget } from './commands/target.ts'
import { addTest } from './commands/test.ts'
import { addWhatIf } from './commands/what-if.ts'
import { addWorkers } from './commands/workers.ts'
import { addWorkflow } from './commands/workflow/workflow.ts'
import { asCalled, escaped, plainText } from './output.ts'
import type { Surroundings } from './surroundings.ts'

// In the order of `drydock --help`: from the first start to the last look.
const COMMANDS = [
  ...[addStart, addServe, addDemo, addDoctor, addRecover, addOpen],
  ...[addInit, addBuild, addTest, addDeploy, addRollback, addUndeploy, addApp, addEnv],
  ...[addEndpoint, addRun, addRunsync, addStatus, addStream, addCancel, addRetry, addPurge],
  ...[addWorkflow, addModels],
  ...[
    addHealth,
    addLogs,
    addWorkers,
    addJob,
    addJobs,
    addRequests,
    addLoadTest,
    addSchedule,
    addBatch,
    addWhatIf,
    addCompare,
    addBisect,
    addRegistry,
    addSettings,
    addFaultCommands,
  ],
  ...[addExport],
  ...[addLogin, addLogout, addKey, addMachine, addTarget, addPlatform],
  ...[addMcp],
]

/**
 * Runs one command.
 * @param argv the arguments after the program's name
 * @returns the exit code; what went wrong has been printed to stderr
 */
export async function runCli(argv: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const program = buildProgram(surroundings)
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return EXIT_CODES.ok
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.ok
    const failure = asCliError(error)
    // The parser may have stopped before it came to the option.
    const json = program.opts<{ json?: true }>().json === true || argv.includes('--json')
    surroundings.stderr.write(
      json
        ? `${escaped(JSON.stringify(failure.body))}\n`
        : `drydock: ${asCalled(oneLine(failure.message), surroundings)}\n`,
    )
    return failure.exitCode
  }
}

function buildProgram(surroundings: Surroundings): Command {
  const program = new Command('drydock')
    .description('Serverless GPU endpoints on your own machine: a durable queue, the v2 job API, and workers.')
    .version(packageJson.version)
    .option('--data <dir>', "data folder of the service (SVC_DATA; default: the user's own)")
    .option('--url <url>', 'address of the service (SVC_BASE_URL)')
    .option('--key <key>', 'account or endpoint key (SVC_API_KEY)')
    .option('--json', 'JSON output: one document, errors as JSON on stderr')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void surroundings.stdout.write(text),
      writeErr: (text) => void surroundings.stderr.write(text),
      // Printed once, in `runCli`.
      outputError: () => {},
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText(
      'after',
      `
Examples:
  $ drydock start                                  start the service and its sample endpoint
  $ drydock endpoint create hello --handler hello.py
  $ drydock runsync hello '{"name": "Ada"}'
  $ drydock init demo && cd demo && drydock deploy

${EXIT_CODE_HELP}`,
    )
    .exitOverride()
  for (const add of COMMANDS) add(program, surroundings)
  nameHelpOnError(program, 'drydock')
  return program
}

/** Makes a wrong use of a command say where its help is. */
function nameHelpOnError(command: Command, path: string): void {
  command.exitOverride((error) => {
    if (error.exitCode === 0) throw error
    const why = error.code === 'commander.help' ? 'A command is missing.' : error.message.replace(/^error: /, '')
    throw new CliError('USAGE', { why: `${why.replace(/\.?$/, '.')} See \`${path} --help\`.` }, { cause: error })
  })
  for (const child of command.commands) nameHelpOnError(child, `${path} ${child.name()}`)
}

/** The one place where a failure of any kind becomes a line and an exit code. */
function asCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  if (error instanceof AppError)
    return new CliError('SERVICE_REFUSED', { why: error.message }, { body: errorBody(error), cause: error })
  const why = error instanceof Error ? error.message : String(error)
  return new CliError('UNEXPECTED', { why: why.replace(/\.$/, '') }, { cause: error })
}

function oneLine(text: string): string {
  return plainText(text)
    .trim()
    .replace(/\s*\n\s*/g, ' ')
}
