import { confirmDeletion, noteBroken, YES } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { deletionText, environmentParts } from '../../endpoints/rules/deletion-text.ts'
import type { VariableOptions } from './deploy/variables.ts'
import { findBreaks } from './find-breaks.ts'
import { showEnvironment, showEnvironments } from './show-environment.ts'

export function addEnv(env: CliCommand, surroundings: Surroundings): void {
  env
    .command('list', { isDefault: true })
    .description('list the environments of an app')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .examples('drydock env list', 'drydock env list --app demo --json')
    .onSession(async ({ client, output }, options: { app?: string }) => {
      const { appOf } = await import('./deploy/app-target.ts')
      const response = await client.call('appRead', { path: { app: appOf(options.app, surroundings) } })
      output.result(response, () => showEnvironments(output, response, surroundings.now()))
    })

  env
    .command('show')
    .alias('get')
    .description('show an environment: endpoints, releases, names of variables')
    .argument('[env]', 'name of the environment (default: production, or the only one)')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .examples('drydock env show', 'drydock env show staging')
    .onSession(async ({ client, output }, env: string | undefined, options: { app?: string }) => {
      const { existingTarget } = await import('./deploy/app-target.ts')
      const path = await existingTarget(client, { ...options, ...(env === undefined ? {} : { env }) }, surroundings)
      const response = await client.call('environmentRead', { path })
      output.result(response, () => showEnvironment(output, response, surroundings.now()))
    })

  env
    .command('create')
    .description('create an environment, and its app if needed; a deploy does this too')
    .argument('<env>', 'name of the environment')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option('--on <machine>', 'machine for its workers: a name (see `drydock machine`), any, or "this machine"')
    .details('\nUse it to set variables before the first release.')
    .examples('drydock env create staging', 'drydock env set --env staging API_TOKEN < token.txt')
    .action(async (name: string, options: { app?: string; on?: string }, command: CliCommand) => {
      const { appOf, checkedEnvironment } = await import('./deploy/app-target.ts')
      const app = appOf(options.app, surroundings)
      const body = { name: checkedEnvironment(name), ...(options.on === undefined ? {} : { machine: options.on }) }
      const { client, output } = await openSession(command, surroundings)
      const response = await client.call('environmentCreate', { path: { app }, body })
      output.result(response, `environment ${app}/${name} created`)
    })

  env
    .command('update')
    .description('choose the machine for the workers of an environment, and move them there')
    .argument('[env]', 'name of the environment (default: production, or the only one)')
    .requiredOption('--on <machine>', 'name of a machine (see `drydock machine`), any, or "this machine"')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option('--later', 'only store it; workers move with the next release')
    .details(`
Endpoints that were moved by hand, with \`drydock endpoint update --on\`, stay where they are.

Examples:
  $ drydock env update --on gpu-box
  $ drydock env update staging --on any --later
  $ drydock env update --on "this machine"`)
    .action(async (env: string | undefined, options: UpdateOptions, command: CliCommand) => {
      const { moveWorkers } = await import('./deploy/move-workers.ts')
      await moveWorkers(await openSession(command, surroundings), surroundings, env, options)
    })

  env
    .command('delete')
    .description('delete an environment: its endpoints, releases and variables')
    .argument('<env>', 'name of the environment')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option(...YES)
    .examples('drydock env delete staging', 'drydock env delete staging --yes')
    .action(async (environment: string, { yes, ...options }: { app?: string; yes?: true }, command: CliCommand) => {
      const { appOf, checkedEnvironment } = await import('./deploy/app-target.ts')
      const path = { app: appOf(options.app, surroundings), environment: checkedEnvironment(environment) }
      const { client, output } = await openSession(command, surroundings)
      const detail = await client.call('environmentRead', { path })
      const what = deletionText(`environment ${path.app}/${environment}`, environmentParts(detail))
      const breaks = await findBreaks(client, detail.endpoints)
      await confirmDeletion({ yes, what, breaks, question: `Delete ${what}?` }, output, surroundings)
      const response = await client.call('environmentDelete', { path })
      output.result(response, `environment ${path.app}/${environment} deleted`)
      noteBroken(breaks, output)
    })

  env
    .command('set')
    .description('set variables of an environment: stored encrypted, given to its workers, never shown')
    .argument('[variables...]', 'NAME=VALUE, or one NAME to read its value from standard input or a prompt')
    .option('--from-file <file>', 'read variables from a .env file')
    .option('--env <environment>', 'environment (default: production, or the only one)')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option('--later', 'only store them; workers get them with the next release')
    .details(`
Command lines stay in the history of the shell, and others on this machine may see them. So pass secrets as NAME
alone, with the value on standard input or at the prompt.

Examples:
  $ drydock env set API_TOKEN < token.txt
  $ drydock env set --env staging API_TOKEN          # asks for it
  $ drydock env set MODEL=small LEVEL=2
  $ drydock env set --from-file .env --later`)
    .action(async (given: readonly string[], options: SetOptions, command: CliCommand) => {
      const { changeVariables, variableValues } = await import('./deploy/variables.ts')
      const { set, leftOut } = await variableValues(given, options.fromFile, surroundings)
      const session = await openSession(command, surroundings)
      if (leftOut.length > 0) session.output.note(`left out, because the service sets them: ${leftOut.join(', ')}`)
      await changeVariables(session, surroundings, { set }, options)
    })

  env
    .command('unset')
    .description('remove variables of an environment')
    .argument('<names...>', 'names of the variables')
    .option('--env <environment>', 'environment (default: production, or the only one)')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option('--later', 'only remove them; workers keep them until the next release')
    .examples('drydock env unset API_TOKEN', 'drydock env unset --env staging API_TOKEN MODEL --later')
    .action(async (names: readonly string[], options: VariableOptions, command: CliCommand) => {
      const { changeVariables, checkedVariable } = await import('./deploy/variables.ts')
      const remove = names.map(checkedVariable)
      await changeVariables(await openSession(command, surroundings), surroundings, { remove }, options)
    })
}

type UpdateOptions = { readonly on: string; readonly app?: string; readonly later?: true }

type SetOptions = VariableOptions & { readonly fromFile?: string }
