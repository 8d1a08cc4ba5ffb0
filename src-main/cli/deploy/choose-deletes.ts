import type { DeployPlan } from '../../contract/app.ts'
import { canAsk } from '../ask.ts'
import { CliError } from '../cli-error.ts'
import type { Output } from '../output.ts'
import type { Surroundings } from '../surroundings.ts'

/** What the caller said about endpoints that the app no longer has. */
export type DeleteOptions = { readonly yes?: true; readonly keep?: true }

/**
 * Which endpoints the deploy may delete, as the app no longer has them.
 * @throws CliError DELETES_UNCONFIRMED where nobody can be asked, ABANDONED after a no
 */
export async function chooseDeletes(
  plan: DeployPlan,
  { yes, keep }: DeleteOptions,
  { output, surroundings }: { readonly output: Output; readonly surroundings: Surroundings },
): Promise<readonly string[]> {
  const gone = plan.steps.filter(({ action }) => action === 'delete').map(({ resource }) => resource)
  if (keep === true || gone.length === 0) return []
  if (yes === true) return gone
  const endpoints = `${gone.length === 1 ? 'endpoint' : 'endpoints'} ${gone.join(', ')}`
  if (!canAsk(output, surroundings)) {
    const { message } = new CliError('DELETES_UNCONFIRMED', { endpoints })
    throw new CliError('DELETES_UNCONFIRMED', { endpoints }, { body: { error: message, code: CODE, plan } })
  }
  const question = `The app no longer has ${endpoints}. Delete ${gone.length === 1 ? 'it' : 'them'} with all jobs, results and logs?`
  if (!(await surroundings.ask.yes(question))) {
    const why = `Nothing was uploaded or changed. \`drydock deploy --keep\` deploys and leaves ${endpoints}.`
    throw new CliError('ABANDONED', { why })
  }
  return gone
}

const CODE = 'DELETES_UNCONFIRMED'
