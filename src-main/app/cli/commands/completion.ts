import type { CliCommand } from '../cli-command.ts'
import { COMPLETED_SHELLS, completionScript } from '../completion-scripts.ts'
import type { Surroundings } from '../surroundings.ts'

export function addCompletion(completion: CliCommand, { stdout }: Surroundings): void {
  const examples = COMPLETED_SHELLS.map(({ install }) => `  $ ${install}\n`).join('')
  completion.details(`\nExamples:\n${examples}`)
  for (const shell of COMPLETED_SHELLS)
    completion
      .command(shell.name)
      .description(`print the script for ${shell.name}`)
      .examples(shell.install)
      .action(() => void stdout.write(completionScript(shell.name, completion.parent ?? completion)))
}
