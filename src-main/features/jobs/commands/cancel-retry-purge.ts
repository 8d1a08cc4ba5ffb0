import type { Command } from 'commander'
import { YES } from '../../../app/cli/ask.ts'
import { CliError } from '../../../app/cli/cli-error.ts'
import { openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { counted } from '../../../lib/text.ts'
import { confirmCancel } from './confirm-cancel.ts'
import { jobAddress, readExpired } from './follow-job.ts'
import { showHandle } from './show-job.ts'

export function addCancel(cancel: Command, surroundings: Surroundings): void {
  cancel
    .argument('<endpoint-or-job>', 'id of the endpoint, or only the id of the job')
    .argument('[job]', 'id of the job')
    .option(...YES)
    .addHelpText(
      'after',
      `
If a handler does not stop in time, its worker is stopped and the other jobs of that worker start again. In a terminal,
the command warns and asks first.

Examples:
  $ drydock cancel hello 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock cancel 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1`,
    )
    .action(async (first: string, second: string | undefined, { yes }: { readonly yes?: true }, command: Command) => {
      const session = await openSession(command, surroundings)
      const { client, output } = session
      const path = await jobAddress(client, first, second)
      const { endpointId, jobId } = path
      await confirmCancel({ yes, jobs: { ids: [jobId] }, question: 'Cancel the job?' }, session, surroundings)
      showHandle(output, endpointId, await client.call('cancel', { path }))
    })
}

export function addRetry(retry: Command, surroundings: Surroundings): void {
  retry
    .argument('<endpoint-or-job>', 'id of the endpoint, or only the id of the job')
    .argument('[job]', 'id of the job')
    .option(
      '--new',
      'run the same input as a new job instead; works for every ended job, also one that has expired for the API',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ drydock retry hello 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock retry 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock retry 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1 --new`,
    )
    .action(async (first: string, second: string | undefined, options: { readonly new?: true }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const path = await jobAddress(client, first, second)
      const handle =
        options.new === true
          ? await client.call('jobRerun', { path })
          : await client.call('retry', { path }).catch(async (error: unknown) => {
              const { status } = await readExpired(client, path, error)
              const why = `Job ${path.jobId} is ${status} and expired for the API, which answers 404 for it as in production. Run it again as a new job: drydock retry ${path.jobId} --new`
              throw new CliError('SERVICE_REFUSED', { why }, { cause: error })
            })
      showHandle(output, path.endpointId, handle)
    })
}

export function addPurge(purge: Command, surroundings: Surroundings): void {
  purge
    .argument('<endpoint>', 'id of the endpoint')
    .addHelpText('after', '\nExamples:\n  $ drydock purge hello\n  $ drydock purge hello --json')
    .action(async (endpointId: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const response = await client.call('purgeQueue', { path: { endpointId } })
      output.result(response, `${counted(response.removed, 'waiting job')} of ${endpointId} cancelled`)
    })
}
