import type { Command } from 'commander'
import type { ReleaseView } from '../../contract/app.ts'
import { CliError } from '../cli-error.ts'
import type { PlaceOptions } from '../deploy/app-place.ts'
import { wholeNumber } from '../job-request.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock rollback`: put an earlier release of an environment back. */
export function addRollback(program: Command, surroundings: Surroundings): void {
  program
    .command('rollback')
    .description('put the code of an earlier release back; that is a release too, with the next number')
    .argument(
      '[number]',
      'number of the release (default: the last one, with other code than the active one where there is such)',
      wholeNumber,
    )
    .option('--env <environment>', 'environment (default: production, or the only one)')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .addHelpText(
      'after',
      `
The workers get the variables of now, not those of back then. Endpoints that the earlier release did not have are kept.

Examples:
  $ drydock rollback
  $ drydock rollback 3 --env production`,
    )
    .action(async (number: number | undefined, options: PlaceOptions, command: Command) => {
      const [{ existingPlace }, { runRelease, showRelease }, { showPlan }] = await Promise.all([
        import('../deploy/app-place.ts'),
        import('../deploy/run-release.ts'),
        import('../deploy/show-plan.ts'),
      ])
      const session = await openSession(command, surroundings)
      const { client, output } = session
      const place = await existingPlace(client, options, surroundings)
      const { active, releases } = await client.call('environmentRead', { path: place })
      const release = number ?? lastOther(releases, active)?.number
      if (release === undefined) throw new CliError('NO_EARLIER_RELEASE', { ...place })
      if (!output.json) {
        // Asked for first: of a release that is not there nothing may be announced.
        const plan = await client.call('releasePlan', { path: { ...place, number: String(release) } })
        const from = active === undefined ? '' : ` from release ${active.number}`
        output.line(
          `${output.paint('bold', `${place.app}/${place.environment}`)} goes back${from} to release ${release}.`,
        )
        showPlan(output, plan, client.url)
      }
      const progress = await runRelease(session, surroundings, place, { source: { release } })
      if (output.json) output.document(progress)
      else showRelease(session, progress)
    })
}

// A change of variables is a release too, and going back to the same code would change nothing. Where no earlier release
// has other code, the last of them is meant: then the plan and the result say that nothing changes.
function lastOther(releases: readonly ReleaseView[], active: ReleaseView | undefined): ReleaseView | undefined {
  const earlier = releases.filter(({ state }) => state === 'superseded')
  const hasOtherCode = ({ artifact, fingerprint }: ReleaseView) =>
    !(artifact === active?.artifact && fingerprint === active?.fingerprint)
  return earlier.find(hasOtherCode) ?? earlier[0]
}
