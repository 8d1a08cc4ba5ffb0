import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { dataFolder } from '../../../app/cli/find-service.ts'
import { globalOptions, outputOf } from '../../../app/cli/session.ts'
import { tellingStartErrors } from '../../../app/cli/start-service.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { counted, shellQuoted } from '../../../lib/text.ts'

export function addRecover(recover: CliCommand, surroundings: Surroundings): void {
  recover
    .argument('<folder>', 'the new data folder')
    .details(`
The damaged folder stays as it is. Stop its service first. \`drydock doctor\` says whether a folder is damaged.

Examples:
  $ drydock recover ./saved --data ./data
  $ drydock serve --data ./saved`)
    .action(async (folder: string, _options: object, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      const { recoverFolder } = await import('../../../app/headless/recover-folder.ts')
      const data = dataFolder(globalOptions(command).data, surroundings)
      const recovered = await tellingStartErrors(() => recoverFolder(data, folder), 'NOT_RECOVERED')
      if (output.json) return output.document(recovered)
      const { tables } = recovered
      const shown = tables.filter(({ rows, isWhole }) => rows > 0 || !isWhole)
      output.table(
        ['TABLE', 'ROWS SAVED', ''],
        shown.map(({ table, rows, isWhole }) => [table, String(rows), isWhole ? '' : 'rows were lost']),
      )
      const damaged = tables.filter(({ isWhole }) => !isWhole).length
      output.line(
        damaged === 0
          ? `Everything was saved to ${recovered.folder}.`
          : `Rows of ${counted(damaged, 'table')} were lost; the rest was saved to ${recovered.folder}.`,
      )
      output.note(`Start it with \`drydock serve --data ${shellQuoted(recovered.folder)}\`.`)
    })
}
