import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter } from 'node:path'
import { Option } from 'commander'
import type { CliCommand } from '../../app/cli/cli-command.ts'
import { CliError, usageError } from '../../app/cli/cli-error.ts'
import { openSession, outputOf } from '../../app/cli/session.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import { findCertificates } from '../../http/server/certificates.ts'
import { resourceProgram } from '../../shipped-files/resources.ts'
import { takesWorkflows } from '../workflows/rules/runs/takes-workflows.ts'
import { platformVariables, SHELLS, type Shell, shellLine } from './rules/variables.ts'

export function addPlatform(platform: CliCommand, surroundings: Surroundings): void {
  platform.details(`
The variables hold the account key: do not write them into files that others read.

COMFY_BASE_URL and COMFY_LOCAL_URL point ComfyUI's clients to an endpoint that takes workflows: the one given
with --endpoint, or the only one. No keys are set for these clients, because they also send them to other services.

Examples:
  $ eval "$(drydock platform env)"
  $ drydock platform run -- rp flash deploy`)

  platform
    .command('env')
    .description("print the variables that point the platform's tools to this service, for a shell")
    .addOption(new Option('--shell <shell>', 'shell to print them for').choices(SHELLS).default('sh'))
    .addOption(comfyOption())
    .examples('eval "$(drydock platform env)"', 'drydock platform env --shell fish | source')
    .action(async ({ shell, endpoint }: Asked & { shell: Shell }, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      const variables = await variablesOf(command, surroundings, endpoint)
      if (output.json) output.document(Object.fromEntries(variables.map(({ name, value }) => [name, value])))
      else for (const variable of variables) output.line(shellLine(shell, variable))
    })

  platform
    .command('run')
    .description('run a program with these variables')
    .argument('<program...>', 'the program and its arguments, after --')
    .addOption(comfyOption())
    .details('\nIts exit code is that of the program.')
    .examples('drydock platform run -- rp flash deploy')
    .action(async ([program, ...args]: string[], { endpoint }: Asked, command: CliCommand) => {
      if (program === undefined) throw usageError('Name a program: drydock platform run -- rp flash deploy')
      const named = (await variablesOf(command, surroundings, endpoint)).map(
        ({ name, value }) => [name, value] as const,
      )
      const variables = Object.fromEntries(named)
      surroundings.exitNow(await runProgram(program, args, { ...surroundings.env, ...variables }, surroundings))
    })
}

type Asked = { readonly endpoint?: string }

const comfyOption = () => new Option('--endpoint <id>', "endpoint for ComfyUI's clients")

async function variablesOf(command: CliCommand, surroundings: Surroundings, endpointId: string | undefined) {
  const {
    client,
    service: { url, key },
  } = await openSession(command, surroundings)
  const { data } = await client.call('info')
  const { endpoints } = await client.call('endpointList')
  const forWorkflows = endpoints.filter(takesWorkflows)
  const named = forWorkflows.find(({ id }) => id === endpointId)
  if (endpointId !== undefined && named === undefined)
    throw usageError(`There is no endpoint ${endpointId} that takes workflows.`)
  const comfy = named ?? (forWorkflows.length === 1 ? forWorkflows[0] : undefined)
  const bundle = existsSync(data) ? (await findCertificates(data)).bundle : undefined
  const ours = resourceProgram('python/svc_start')
  const before = (surroundings.env.PYTHONPATH ?? '').split(delimiter)
  const pythonPath = [ours, ...before.filter((folder) => folder !== '' && folder !== ours)].join(delimiter)
  return platformVariables(url, key, { bundle, pythonPath, comfy })
}

async function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { cwd, onStopSignal }: Pick<Surroundings, 'cwd' | 'onStopSignal'>,
): Promise<number> {
  // Registered before the program starts: an earlier signal would end only this process.
  const off = onStopSignal((signal) => child.kill(signal))
  const child = spawn(program, args, { cwd, env, stdio: 'inherit' })
  const ended = Promise.withResolvers<number>()
  child.once('error', (error) => ended.reject(new CliError('PROGRAM_FAILED', { program, why: error.message })))
  child.once('close', (code, signal) => ended.resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  return await ended.promise.finally(off)
}
