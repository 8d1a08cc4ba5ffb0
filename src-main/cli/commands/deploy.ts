import { type Command, Option } from 'commander'
import { addBuildOptions } from '../build-app.ts'
import { usageError } from '../cli-error.ts'
import type { DeployOptions } from '../deploy/deploy-app.ts'
import { wholeNumber } from '../job-request.ts'
import type { PreviewOptions } from '../preview/run-preview.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock deploy`: from the app in this folder to endpoints that answer. */
export function addDeploy(program: Command, surroundings: Surroundings): void {
  addBuildOptions(
    program
      .command('deploy')
      .description('build the app in this folder and put it onto its endpoints, without a moment in which none answers')
      .option('--env <environment>', 'environment (default: production, or the only one)'),
  )
    .option('--plan', 'print what would change, and stop there')
    .option('-y, --yes', 'delete endpoints that the app no longer has, without asking')
    .addOption(new Option('--keep', 'leave endpoints that the app no longer has').conflicts('yes'))
    .addOption(
      new Option(
        '--runs-on <place>',
        'what workers run on (default: containers, or processes without an engine)',
      ).choices(['containers', 'processes']),
    )
    .addOption(
      new Option('--preview', 'run the app on a service of its own that follows every save, until Ctrl+C').conflicts([
        'env',
        'plan',
        'yes',
        'keep',
        'output',
        'keepBuild',
      ]),
    )
    .option('--port <port>', 'of a preview: exactly this port (default: 8790, or the next free one)', wholeNumber)
    .option('--quiet', 'of a preview: leave out what workers write')
    .option('--end-with-input', 'of a preview: end when standard input does, for programs that start one')
    .addHelpText(
      'after',
      `
The app is named after its folder, or by SVC_APP; app and environment are made if they are missing. The new release takes
over when all its endpoints are ready. When one fails, or after Ctrl+C, the release before stays as it is.

Examples:
  $ drydock deploy
  $ drydock deploy --preview                         # while you work on it; variables come from .env
  $ drydock deploy --plan
  $ drydock deploy --env staging --yes --json
  $ drydock deploy --url http://127.0.0.1:9000       # the service at the other end of a tunnel; see drydock login`,
    )
    .action(async (options: DeployOptions & PreviewOptions & { readonly preview?: true }, command: Command) => {
      // Loaded here and not above: it brings the schemas along, which `--help` has no use for.
      if (options.preview === true) {
        const { runPreview } = await import('../preview/run-preview.ts')
        await runPreview(options, command, surroundings)
        return
      }
      if (options.port !== undefined || options.quiet === true || options.endWithInput === true)
        throw usageError('--port, --quiet and --end-with-input go with --preview.')
      const { deployApp } = await import('../deploy/deploy-app.ts')
      await deployApp(options, await openSession(command, surroundings), surroundings)
    })
}
