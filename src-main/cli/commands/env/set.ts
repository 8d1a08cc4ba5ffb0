import type { Command } from 'commander'
import type { VariableOptions } from '../../deploy/change-variables.ts'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock env set`: set variables of an environment; values are stored encrypted and never shown. */
export function addEnvSet(parent: Command, surroundings: Surroundings): void {
  parent
    .command('set')
    .description('set variables of an environment: stored encrypted, given to its workers, never shown')
    .argument('[variables...]', 'NAME=VALUE, or one NAME whose value is read from standard input or asked for')
    .option('--from-file <file>', 'take what a .env file says')
    .option('--env <environment>', 'environment (default: production, or the only one)')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option('--later', 'only store them; workers get them with the next release')
    .addHelpText(
      'after',
      `
A shell keeps what is typed in its history, and others of this machine may see a command line. So give secrets as NAME
alone, with the value on standard input or typed when asked.

Examples:
  $ drydock env set API_TOKEN < token.txt
  $ drydock env set --env staging API_TOKEN          # asks for it
  $ drydock env set MODEL=small LEVEL=2
  $ drydock env set --from-file .env --later`,
    )
    .action(async (given: readonly string[], options: SetOptions, command: Command) => {
      const [{ changeVariables }, { variableValues }] = await Promise.all([
        import('../../deploy/change-variables.ts'),
        import('../../deploy/variable-values.ts'),
      ])
      const { set, leftOut } = await variableValues(given, options.fromFile, surroundings)
      const session = await openSession(command, surroundings)
      if (leftOut.length > 0) session.output.note(`left out, as the service sets them itself: ${leftOut.join(', ')}`)
      await changeVariables(session, surroundings, { set }, options)
    })
}

type SetOptions = VariableOptions & { readonly fromFile?: string }
