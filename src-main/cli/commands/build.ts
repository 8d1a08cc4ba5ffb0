import { basename, relative, resolve, sep } from 'node:path'
import { type Command, Option } from 'commander'
import type { BuildFailure, BuildProblem, BuildResult } from '../../contract/build.ts'
import { CliError } from '../cli-error.ts'
import { counted, duration, size } from '../format.ts'
import type { Output } from '../output.ts'
import { outputOf } from '../session.ts'
import { showBuildSteps } from '../show-build-steps.ts'
import type { Surroundings } from '../surroundings.ts'

type BuildOptions = {
  readonly keepBuild?: true
  readonly exclude?: string
  readonly output?: string
  readonly python?: string
  readonly images: 'specified' | 'observed'
}

/** `drydock build`: from the app in this folder to an artifact. */
export function addBuild(program: Command, surroundings: Surroundings): void {
  program
    .command('build')
    .description('build the app in this folder: find its endpoints, install its packages, pack the artifact')
    .option('--exclude <names>', 'packages to leave out, with commas between, as the image has them')
    .option('--output <file>', 'where the artifact goes (default: .svc/artifact.tar.gz)')
    .addOption(
      new Option(
        '--python <version>',
        "Python version of the app (default: its endpoints', else that of python3 here)",
      ),
    )
    .addOption(
      new Option('--images <profile>', 'what the images have: "observed" ones have no numpy')
        .choices(['specified', 'observed'])
        .default('specified'),
    )
    .option('--keep-build', 'keep handler files, manifest and requirements in .svc/build')
    .addHelpText(
      'after',
      `
The app is named after its folder, or by SVC_APP. Packages are installed for Linux x86_64 with uv or pip, and kept until
the requirements change.

Examples:
  $ drydock build
  $ drydock build --exclude scipy,pillow --python 3.12
  $ drydock build --output ./app.tar.gz --json`,
    )
    .action(async (options: BuildOptions, command: Command) => {
      const output = outputOf(command, surroundings)
      const result = await runBuild(options, output, surroundings)
      if (output.json) output.document(result)
      else showResult(output, result, surroundings)
    })
}

async function runBuild(options: BuildOptions, output: Output, surroundings: Surroundings): Promise<BuildResult> {
  const { cwd, env } = surroundings
  // Loaded here and not above: it brings the schemas along, which `--help` has no use for.
  const [{ createAppBuilder }, { BuildFailure }] = await Promise.all([
    import('../../app-builder/create-app-builder.ts'),
    import('../../contract/build.ts'),
  ])
  const stop = new AbortController()
  const off = surroundings.onStopSignal((signal) => {
    stop.abort(new CliError('ABANDONED', { why: `The build was stopped by ${signal}. Nothing was built.` }))
  })
  const steps = showBuildSteps(output, surroundings)
  const artifact = resolve(cwd, options.output ?? '.svc/artifact.tar.gz')
  try {
    const request = {
      project: cwd,
      app: env.SVC_APP || basename(cwd),
      output: artifact,
      outputInProject: relative(cwd, artifact).split(sep).join('/'),
      excludes: options.exclude?.split(',').flatMap((name) => name.trim() || []) ?? [],
      profile: options.images,
      pythonVersion: options.python,
      keepBuild: options.keepBuild === true,
    }
    return await createAppBuilder({ env })(request, steps.tell, stop.signal)
  } catch (error) {
    throw error instanceof BuildFailure ? failed(error, output) : error
  } finally {
    steps.end()
    off()
  }
}

/** Prints all problems, and makes the error that ends the command. */
function failed({ problems }: BuildFailure, output: Output): CliError {
  const count = problems.length === 1 ? 'there is 1 problem' : `there are ${problems.length} problems`
  const error = new CliError('BUILD_FAILED', { count })
  if (!output.json) {
    for (const problem of problems) output.note(placed(problem))
    return error
  }
  const body = { error: error.message, code: 'BUILD_FAILED', problems }
  return new CliError('BUILD_FAILED', { count }, { body })
}

/** A problem as editors and terminals know how to jump to: `file:line: message`. */
function placed({ file, line, message }: BuildProblem, kind = ''): string {
  const place = file === undefined ? '' : line === undefined ? `${file}: ` : `${file}:${line}: `
  return `${place}${kind}${message}`
}

function showResult(output: Output, result: BuildResult, { cwd }: Surroundings): void {
  for (const warning of result.warnings) output.note(placed(warning, 'warning: '))
  const what = [counted(result.endpoints.length, 'endpoint'), counted(result.packages.length, 'package')]
  output.line()
  output.line(`Built ${output.paint('bold', result.app)} in ${duration(result.tookMs)}: ${what.join(', ')}.`)
  output.fields([
    ['artifact', `${relative(cwd, result.artifact) || result.artifact}, ${size(result.bytes)}`],
    ['manifest', relative(cwd, result.manifest)],
    ['python', result.pythonVersion],
    ['left out', result.excluded.join(', ') || undefined],
  ])
}
