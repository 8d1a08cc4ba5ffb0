import { existsSync } from 'node:fs'
import { basename, relative, resolve, sep } from 'node:path'
import { type Command, Option } from 'commander'
import { CliError } from '../../../app/cli/cli-error.ts'
import { duration, type Output } from '../../../app/cli/output.ts'
import { createStatusLine } from '../../../app/cli/progress-line.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { BuildEvent, BuildFailure, BuildProblem, BuildResult } from '../../../contract/build.ts'
import type { ScanDocument } from '../../../contract/scan.ts'

export type BuildOptions = {
  readonly keepBuild?: true
  readonly exclude?: string
  readonly output?: string
  readonly python?: string
  readonly images: 'specified' | 'observed'
  readonly allowLinksTo?: readonly string[]
}

export function addBuildOptions<Built extends Command>(command: Built): Built {
  return command
    .option('--exclude <names>', 'packages to leave out because the image has them, separated by commas')
    .option('-o, --output <file>', 'path of the artifact (default: .svc/artifact.tar.gz)')
    .addOption(
      new Option('--python <version>', 'Python version of the app (default: that of its endpoints, else of python3)'),
    )
    .addOption(
      new Option(
        '--images <profile>',
        'which packages to assume in the images: the specified ones, or the observed ones (without numpy)',
      )
        .choices(['specified', 'observed'])
        .default('specified'),
    )
    .option(
      '--allow-links-to <folder>',
      'also pack files of this folder that symbolic links in the app point to; may be repeated',
      (folder: string, before: readonly string[] = []) => [...before, folder],
    )
    .option('--keep-build', 'keep handler files, manifest and requirements in .svc/build')
}

export function builtApp({ cwd, env }: Pick<Surroundings, 'cwd' | 'env'>): string {
  return env.SVC_APP || basename(cwd)
}

export function whatToBuild(
  { exclude, images, python, allowLinksTo }: Pick<BuildOptions, 'exclude' | 'images' | 'python' | 'allowLinksTo'>,
  surroundings: Pick<Surroundings, 'cwd' | 'env'>,
) {
  return {
    project: surroundings.cwd,
    app: builtApp(surroundings),
    excludes: exclude?.split(',').flatMap((name) => name.trim() || []) ?? [],
    profile: images,
    pythonVersion: python,
    allowLinksTo: allowLinksTo?.map((folder) => resolve(surroundings.cwd, folder)),
  }
}

/** @throws CliError BUILD_FAILED after printing all problems, ABANDONED when a signal stopped it; as `check` */
export async function runBuild(
  options: BuildOptions,
  output: Output,
  surroundings: Surroundings,
  check?: (scan: ScanDocument) => Promise<void>,
): Promise<BuildResult> {
  const { cwd, env } = surroundings
  // Loaded here, because it loads the schemas, which `--help` does not need.
  const [{ createAppBuilder }, { BuildFailure }] = await Promise.all([
    import('../../../app/app-builder/create-app-builder.ts'),
    import('../../../contract/build.ts'),
  ])
  const stop = new AbortController()
  const off = surroundings.onStopSignal((signal) => {
    stop.abort(new CliError('ABANDONED', { why: `The build was stopped by ${signal}. Nothing was built.` }))
  })
  const steps = showBuildSteps(output, surroundings)
  const artifact = resolve(cwd, options.output ?? '.svc/artifact.tar.gz')
  try {
    const request = {
      ...whatToBuild(options, surroundings),
      output: artifact,
      outputInProject: relative(cwd, artifact).split(sep).join('/'),
      keepBuild: options.keepBuild === true,
      check,
    }
    return await createAppBuilder({ env })(request, steps.report, stop.signal)
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error
    const isEmpty = error.problems.some(({ code }) => code === 'nothing-decorated')
    if (isEmpty && existsSync(resolve(cwd, 'Dockerfile')))
      output.note('The folder has a Dockerfile: `drydock deploy .` builds and deploys its image.')
    throw failed(error, output)
  } finally {
    steps.end()
    off()
  }
}

function failed({ problems }: BuildFailure, output: Output): CliError {
  const count = problems.length === 1 ? 'there is 1 problem' : `there are ${problems.length} problems`
  const error = new CliError('BUILD_FAILED', { count })
  if (!output.json) {
    for (const problem of problems) output.note(problemLine(problem))
    return error
  }
  const body = { error: error.message, code: 'BUILD_FAILED', problems }
  return new CliError('BUILD_FAILED', { count }, { body })
}

export function showBuildWarnings(output: Output, { warnings }: BuildResult): void {
  for (const warning of warnings) output.note(problemLine(warning, 'warning: '))
}

/** A problem in the form that editors and terminals can open: `file:line: message`. */
export function problemLine({ file, line, message }: BuildProblem, kind = ''): string {
  const position = file === undefined ? '' : line === undefined ? `${file}: ` : `${file}:${line}: `
  return `${position}${kind}${message}`
}

const STEP_WIDTH = 14
const TIME_WIDTH = 9

type StepEvent = BuildEvent | (DistributiveOmit<BuildEvent, 'step'> & { readonly step: 'upload' | 'send' })

type DistributiveOmit<Union, Name extends PropertyKey> = Union extends unknown ? Omit<Union, Name> : never

const LONG_STEP: StepEvent['step'] = 'install'

/**
 * Prints one line per step with its time. A terminal also shows current activity and its seconds; elsewhere stderr says
 * that packages are being installed.
 */
export function showBuildSteps(
  output: Output,
  surroundings: Pick<Surroundings, 'stdout' | 'stderr' | 'env' | 'now'>,
): { readonly report: (event: StepEvent) => void; readonly end: () => void } {
  const draw = createStatusLine(output, surroundings)
  let since = 0
  let shown: Exclude<StepEvent, { kind: 'ended' }> | undefined
  let ticking: NodeJS.Timeout | undefined

  function redraw(): void {
    if (shown === undefined) return
    const seconds = Math.floor((surroundings.now() - since) / 1000)
    const text = shown.kind === 'started' ? '...' : shown.text.trim()
    if (seconds === 0 && shown.kind === 'started') draw(`  ${shown.step} ...`)
    else draw(`  ${shown.step.padEnd(STEP_WIDTH)}${seconds === 0 ? '' : `${seconds} s  `}${text}`)
  }

  function end(): void {
    clearInterval(ticking)
    shown = undefined
    draw('')
  }

  return {
    end,
    report(event) {
      if (output.json) return
      if (event.kind === 'started') {
        since = surroundings.now()
        shown = event
        redraw()
        clearInterval(ticking)
        ticking = setInterval(redraw, 1000)
        if (output.piped && event.step === LONG_STEP) output.note(`${event.step} ...`)
      } else if (event.kind === 'progress') {
        shown = event
        redraw()
      } else {
        end()
        const mark = output.paint('green', '✓')
        const time = output.paint('gray', duration(event.tookMs).padStart(TIME_WIDTH))
        output.line(`${mark} ${event.step.padEnd(STEP_WIDTH)}${time}  ${event.summary}`)
      }
    },
  }
}
