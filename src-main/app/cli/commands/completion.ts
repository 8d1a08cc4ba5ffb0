import type { Command } from 'commander'
import { COMPLETED_SHELLS, completionScript } from '../completion-scripts.ts'
import type { Surroundings } from '../surroundings.ts'

export function addCompletion(completion: Command, { stdout }: Surroundings): void {
  const examples = COMPLETED_SHELLS.map(({ install }) => `  $ ${install}\n`).join('')
  completion.addHelpText('after', `\nExamples:\n${examples}`)
  for (const shell of COMPLETED_SHELLS)
    completion
      .command(shell.name)
      .description(`print the script for ${shell.name}`)
      .addHelpText('after', `\nExamples:\n  $ ${shell.install}`)
      .action(() => void stdout.write(completionScript(shell.name, completion.parent ?? completion)))
}
