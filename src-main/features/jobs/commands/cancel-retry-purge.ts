import { confirmDeletion, YES } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError } from '../../../app/cli/cli-error.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import { counted } from '../../../lib/text.ts'
import { type CancelOptions, confirmCancel } from './confirm-cancel.ts'
import { type JobAddress, jobAddress, readExpired } from './follow-job.ts'
import { showHandle } from './show-job.ts'

export function addCancel(cancel: CliCommand, surroundings: Surroundings): void {
  cancel
    .argument('<endpoint-or-job>', 'id of the endpoint, or only the id of the job')
    .argument('[job]', 'id of the job')
    .option(...YES)
    .details(`
If a handler does not stop in time, its worker is stopped and the other jobs of that worker start again. In a terminal,
the command warns and asks first.

Examples:
  $ drydock cancel hello 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock cancel 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1`)
    .onSession(async (session, first: string, second: string | undefined, { yes }: CancelOptions) => {
      const { client, output } = session
      const path = await jobAddress(client, first, second)
      const { endpointId, jobId } = path
      await confirmCancel({ yes, jobId }, session, surroundings)
      const handle = await client.call('cancel', { path }).catch((error: unknown) => refuseExpired(client, path, error))
      showHandle(output, endpointId, handle)
    })
}

export function addRetry(retry: CliCommand): void {
  retry
    .argument('<endpoint-or-job>', 'id of the endpoint, or only the id of the job')
    .argument('[job]', 'id of the job')
    .option(
      '--new',
      'run the same input as a new job instead; works for any ended job, even if the API no longer returns it',
    )
    .details(`
Examples:
  $ drydock retry hello 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock retry 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock retry 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1 --new`)
    .onSession(async ({ client, output }, first: string, second: string | undefined, options: { new?: true }) => {
      const path = await jobAddress(client, first, second)
      const handle =
        options.new === true
          ? await client.call('jobRerun', { path })
          : await client.call('retry', { path }).catch((error: unknown) => refuseExpired(client, path, error))
      showHandle(output, path.endpointId, handle)
    })
}

async function refuseExpired(client: ServiceClient, path: JobAddress, error: unknown): Promise<never> {
  const { id, status } = await readExpired(client, path, error)
  const why = `Job ${id} is ${status} and expired for the API, which answers 404 for it as in production. Run it again as a new job: drydock retry ${id} --new`
  throw new CliError('SERVICE_REFUSED', { why }, { cause: error })
}

export function addPurge(purge: CliCommand, surroundings: Surroundings): void {
  purge
    .argument('<endpoint>', 'id of the endpoint')
    .option(...YES)
    .examples('drydock purge hello', 'drydock purge hello --yes --json')
    .onSession(async ({ client, output }, endpointId: string, { yes }: CancelOptions) => {
      const path = { endpointId }
      const waiting = (count: number) => `${counted(count, 'waiting job')} of ${endpointId}`
      if (!yes) {
        // The one read that the key of an endpoint allows too.
        const what = waiting((await client.call('health', { path })).jobs.inQueue)
        await confirmDeletion({ what, question: `Cancel ${what}?`, verb: 'cancel' }, output, surroundings)
      }
      const response = await client.call('purgeQueue', { path })
      output.result(response, `${waiting(response.removed)} cancelled`)
    })
}
