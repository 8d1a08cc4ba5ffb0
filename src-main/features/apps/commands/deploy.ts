import { Option } from 'commander'
import { confirmChange, confirmDeletion, noteBroken, YES } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, usageError } from '../../../app/cli/cli-error.ts'
import { wholeNumber } from '../../../app/cli/option-values.ts'
import { openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { restoredText, WITH_ENDPOINTS } from '../../endpoints/rules/deletion-text.ts'
import { addImageBuildOptions } from '../../worker-images/commands/build-repository.ts'
import { earlierCode, numberText } from '../rules/earlier-code.ts'
import { addBuildOptions } from './build-app.ts'
import type { TargetOptions } from './deploy/app-target.ts'
import type { DeployOptions } from './deploy/deploy-app.ts'
import type { RepositoryOptions } from './deploy/deploy-repository.ts'
import { findBreaks } from './find-breaks.ts'
import type { PreviewOptions } from './preview/run-preview.ts'

type AllOptions = DeployOptions &
  RepositoryOptions &
  PreviewOptions & { readonly preview?: true; readonly target?: string; readonly withKey?: true }

export function addDeploy(deploy: CliCommand, surroundings: Surroundings): void {
  addBuildOptions(
    deploy
      .argument('[source]', 'worker repository with a Dockerfile: a folder, or an address of a git repository')
      .option('--env <environment>', 'environment (default: production, or the only one)'),
  )
    .option('--plan', 'show what would change, without deploying')
    .option('-y, --yes', 'delete endpoints that the app no longer has, without asking')
    .addOption(new Option('--keep', 'keep endpoints that the app no longer has').conflicts('yes'))
    .addOption(
      new Option(
        '--runs-on <place>',
        'how workers run (default: in containers, or as processes without a Docker engine)',
      ).choices(['containers', 'processes']),
    )
    .option(
      '--on <machine>',
      'machine to run the workers on, for this and later deploys: a name (see `drydock machine`), any, or "this machine"',
    )
    .addOption(
      new Option('--target <name>', 'deploy to another service: one of `drydock target list`').conflicts([
        'runsOn',
        'on',
        'preview',
      ]),
    )
    .option('--with-key', 'with --target: allow its account key in the environment of workers')
    .addOption(
      new Option('--preview', 'run the app on a service of its own that reloads on every save, until Ctrl+C').conflicts(
        ['env', 'plan', 'yes', 'keep', 'output', 'keepBuild'],
      ),
    )
    .option(
      '--port <port>',
      'with --preview: use exactly this port; 0 picks a free one (default: 8790, else the next free one)',
      wholeNumber,
    )
    .option('--quiet', 'with --preview: hide the output of workers')
    .option('--end-with-input', 'with --preview: end when standard input closes, for programs that start one')
  addImageBuildOptions(deploy, '--stage <stage>')
    .option('--preset <name>', 'preset of .runpod/hub.json of the worker repository')
    .option(
      '--variable <name=value>',
      'answer to a question of hub.json; may be repeated. Secrets: see `drydock env set`',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--gpu <gpu>', 'GPU of the worker repository (default: that of hub.json)')
    .details(`
With a worker repository, its image is built and becomes an app with one endpoint, whose form is .runpod/hub.json.
The app takes the name of its folder, or SVC_APP; app and environment are created if needed. The new release takes
over when all its endpoints are ready. If one fails, or after Ctrl+C, the previous release stays active.

Examples:
  $ drydock deploy
  $ drydock deploy --preview                         # while you work on it; variables come from .env
  $ drydock deploy --plan
  $ drydock deploy --env staging --yes --json
  $ drydock deploy --url http://127.0.0.1:9000       # the service at the other end of a tunnel; see drydock login
  $ drydock deploy --on gpu-box                      # its workers run there: see drydock machine; previews too
  $ drydock deploy --target box                      # built here, sent to another service; see drydock target
  $ drydock deploy ./worker --preset Fast            # a worker repository with a Dockerfile`)
    .action(async (source: string | undefined, options: AllOptions, command: CliCommand) => {
      if (source !== undefined) {
        if (options.preview === true || options.target !== undefined)
          throw usageError('A worker repository cannot be deployed with --preview or --target.')
        const { deployRepository } = await import('./deploy/deploy-repository.ts')
        await deployRepository(source, options, await openSession(command, surroundings), surroundings)
        return
      }
      if (options.preview === true) {
        const { runPreview } = await import('./preview/run-preview.ts')
        await runPreview(options, command, surroundings)
        return
      }
      const { port, quiet, endWithInput } = options
      if (port !== undefined || quiet === true || endWithInput === true)
        throw usageError('--port, --quiet and --end-with-input go with --preview.')
      if (options.target !== undefined) {
        const { deployToTarget } = await import('./deploy/deploy-to-target.ts')
        await deployToTarget(
          { ...options, target: options.target },
          await openSession(command, surroundings),
          surroundings,
        )
        return
      }
      if (options.withKey === true) throw usageError('--with-key goes with --target.')
      const { deployApp } = await import('./deploy/deploy-app.ts')
      await deployApp(options, await openSession(command, surroundings), surroundings)
    })
}

type RollbackOptions = TargetOptions & { readonly target?: string; readonly yes?: true }

export function addRollback(rollback: CliCommand, surroundings: Surroundings): void {
  rollback
    .argument('[number]', 'number of the release (default: the latest one with older code)', wholeNumber)
    .option('--env <environment>', 'environment (default: production, or the only one)')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option('--target <name>', 'roll back on another service, to an earlier deploy made from here')
    .option(...YES)
    .details(`
Workers get the current variables, not the earlier ones. Endpoints that the earlier release did not have stay.
A second rollback goes further back; \`drydock rollback NUMBER\` goes to any release, including newer ones. In a
terminal it shows the changes and asks for confirmation; in scripts it does not ask.

Examples:
  $ drydock rollback
  $ drydock rollback 3 --env production --yes
  $ drydock rollback --target box`)
    .action(async (number: number | undefined, options: RollbackOptions, command: CliCommand) => {
      if (options.target !== undefined) {
        const { rollbackOnTarget } = await import('./deploy/deploy-to-target.ts')
        const session = await openSession(command, surroundings)
        await rollbackOnTarget(number, { ...options, target: options.target }, session, surroundings)
        return
      }
      const [{ existingTarget }, { runRelease, showRelease }, { showPlan }] = await Promise.all([
        import('./deploy/app-target.ts'),
        import('./deploy/run-release.ts'),
        import('./deploy/show-release.ts'),
      ])
      const session = await openSession(command, surroundings)
      const { client, output } = session
      const target = await existingTarget(client, options, surroundings)
      const { active, releases } = await client.call('environmentRead', { path: target })
      const superseded = releases.filter(({ state }) => state === 'superseded')
      const release = number ?? earlierCode(active, superseded)?.number
      const from = active === undefined ? '' : ` from release ${numberText(active)}`
      if (release === undefined) throw new CliError('NO_EARLIER_RELEASE', { ...target, from })
      if (!output.json) {
        // Loaded first: nothing may be announced about a missing release.
        const plan = await client.call('releasePlan', { path: { ...target, number: String(release) } })
        output.line(
          `${output.paint('bold', `${target.app}/${target.environment}`)} rolls back${from} to release ${release}.`,
        )
        showPlan(output, plan, client.url)
      }
      await confirmChange({ yes: options.yes, question: `Roll back to release ${release}?` }, output, surroundings)
      const progress = await runRelease(session, surroundings, target, { source: { release } })
      output.result(progress, () => showRelease(session, progress))
    })
}

type UndeployOptions = TargetOptions & { readonly target?: string; readonly yes?: true }

export function addUndeploy(undeploy: CliCommand, surroundings: Surroundings): void {
  undeploy
    .option('--env <environment>', 'environment (default: production, or the only one)')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option('--target <name>', 'delete the environment on another service, and the app if it has no other environment')
    .option(...YES)
    .details(`
\`drydock rollback\` recreates the endpoints. A target keeps nothing: deploy there again.

Examples:
  $ drydock undeploy
  $ drydock undeploy --env staging --yes
  $ drydock undeploy --target box`)
    .action(async ({ yes, target: other, ...options }: UndeployOptions, command: CliCommand) => {
      if (other !== undefined) {
        const { undeployFromTarget } = await import('./deploy/deploy-to-target.ts')
        const session = await openSession(command, surroundings)
        const confirmed = yes === undefined ? {} : { yes }
        await undeployFromTarget({ ...options, ...confirmed, target: other }, session, surroundings)
        return
      }
      const { existingTarget } = await import('./deploy/app-target.ts')
      const { client, output } = await openSession(command, surroundings)
      const target = await existingTarget(client, options, surroundings)
      const { endpoints } = await client.call('environmentRead', { path: target })
      const names = endpoints.map(({ resource }) => resource).join(', ')
      const of = `${target.app}/${target.environment}`
      const breaks = await findBreaks(client, endpoints)
      if (endpoints.length > 0) {
        const what = `${endpoints.length === 1 ? 'endpoint' : 'endpoints'} ${names} of ${of} with all ${WITH_ENDPOINTS}`
        const question = `Delete ${what}? Releases and variables are kept: a rollback ${restoredText(endpoints)}.`
        await confirmDeletion({ yes, what, breaks, question }, output, surroundings)
      }
      const response = await client.call('environmentUndeploy', { path: target })
      if (output.json) output.document(response)
      else if (response.deleted.length === 0) output.line(`${of} has no endpoints.`)
      else output.line(`deleted ${response.deleted.join(', ')} of ${of}`)
      noteBroken(breaks, output)
    })
}
