import { relative } from 'node:path'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { duration, type Output, size } from '../../../app/cli/output.ts'
import { outputOf } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { BuildResult } from '../../../contract/build.ts'
import { counted } from '../../../lib/text.ts'
import { addBuildOptions, type BuildOptions, runBuild, showBuildWarnings } from './build-app.ts'

export function addBuild(build: CliCommand, surroundings: Surroundings): void {
  addBuildOptions(build)
    .details(`
The app takes the name of its folder, or SVC_APP. Packages are installed for Linux x86_64 with uv or pip, and cached until
the requirements change.

Examples:
  $ drydock build
  $ drydock build --exclude scipy,pillow --python 3.12
  $ drydock build --output ./app.tar.gz --json`)
    .action(async (options: BuildOptions, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      const result = await runBuild(options, output, surroundings)
      output.result(result, () => showResult(output, result, surroundings))
    })
}

function showResult(output: Output, result: BuildResult, { cwd }: Surroundings): void {
  showBuildWarnings(output, result)
  const { endpoints, tasks, packages } = result
  const what = [
    counted(endpoints.length, 'endpoint'),
    ...(tasks.length === 0 ? [] : [counted(tasks.length, 'task')]),
    counted(packages.length, 'package'),
  ]
  output.line()
  output.line(`Built ${output.paint('bold', result.app)} in ${duration(result.tookMs)}: ${what.join(', ')}.`)
  output.fields([
    ['artifact', `${relative(cwd, result.artifact) || result.artifact}, ${size(result.bytes)}`],
    ['manifest', relative(cwd, result.manifest)],
    ['python', result.pythonVersion],
    ['left out', result.excluded.join(', ') || undefined],
  ])
}
