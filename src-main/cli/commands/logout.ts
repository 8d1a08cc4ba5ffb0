import type { Command } from 'commander'
import { readLogin, removeLogin } from '../login-file.ts'
import { outputOf } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock logout`: forget the service and the key of `drydock login`. */
export function addLogout(program: Command, surroundings: Surroundings): void {
  program
    .command('logout')
    .description('forget the service and the key of `drydock login`')
    .addHelpText('after', '\nThe key itself stays good.\n\nExamples:\n  $ drydock logout')
    .action(async (_options: object, command: Command) => {
      const output = outputOf(command, surroundings)
      const login = await readLogin(surroundings)
      await removeLogin(surroundings)
      if (output.json) output.document({ url: login?.url ?? null })
      else output.line(login === undefined ? 'You were not logged in.' : `Logged out of ${login.url}.`)
    })
}
