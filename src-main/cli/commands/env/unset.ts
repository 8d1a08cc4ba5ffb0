import type { Command } from 'commander'
import type { VariableOptions } from '../../deploy/change-variables.ts'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock env unset`: remove variables of an environment. */
export function addEnvUnset(parent: Command, surroundings: Surroundings): void {
  parent
    .command('unset')
    .description('remove variables of an environment')
    .argument('<names...>', 'names of the variables')
    .option('--env <environment>', 'environment (default: production, or the only one)')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option('--later', 'only remove them; workers notice with the next release')
    .addHelpText(
      'after',
      '\nExamples:\n  $ drydock env unset API_TOKEN\n  $ drydock env unset --env staging API_TOKEN MODEL --later',
    )
    .action(async (names: readonly string[], options: VariableOptions, command: Command) => {
      const [{ changeVariables }, { checkedVariable }] = await Promise.all([
        import('../../deploy/change-variables.ts'),
        import('../../deploy/variable-values.ts'),
      ])
      const remove = names.map(checkedVariable)
      await changeVariables(await openSession(command, surroundings), surroundings, { remove }, options)
    })
}
