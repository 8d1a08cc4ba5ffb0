import { basename, relative, resolve } from 'node:path'
import { Option } from 'commander'
import { APP_TEMPLATES, existingFiles, readTemplate, writeFiles } from '../../../app/app-builder/app-template.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError } from '../../../app/cli/cli-error.ts'
import { outputOf } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'

type InitOptions = { readonly sdk: keyof typeof APP_TEMPLATES; readonly force?: boolean }

export function addInit(init: CliCommand, surroundings: Surroundings): void {
  init
    .argument('[name]', 'folder of the app, created if needed (default: this folder)')
    .addOption(
      new Option('--sdk <version>', 'package that the app imports: svc (1), or an App of runpod 2.0 (2)')
        .choices(Object.keys(APP_TEMPLATES))
        .default('1'),
    )
    .option('--force', 'overwrite files that exist')
    .examples(
      'drydock init demo && cd demo && drydock deploy --preview',
      'drydock init shop --sdk 2',
      'drydock init          # in the folder of the app',
    )
    .action(async (name: string | undefined, { sdk, force = false }: InitOptions, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      const folder = resolve(surroundings.cwd, name ?? '.')
      const app = basename(folder)
      const files = await readTemplate(app, APP_TEMPLATES[sdk])
      const names = Object.keys(files)
      const existing = force ? [] : await existingFiles(folder, names)
      if (existing.length > 0) throw new CliError('FILES_EXIST', { folder, files: existing.join(', ') })
      await writeFiles(folder, files, { overwrite: force })
      if (output.json) return output.document({ app, folder, files: names })
      const shown = relative(surroundings.cwd, folder)
      output.line(`Wrote the app ${output.paint('bold', app)}:`)
      for (const file of names) output.line(`  ${shown === '' ? file : `${shown}/${file}`}`)
      output.line()
      output.hint(`Next: ${shown === '' ? '' : `cd ${shown} && `}drydock deploy --preview`)
    })
}
