import type { Command } from 'commander'
import type { ReplacementOrder } from '../../contract/worker-routes.ts'
import { CliError } from '../cli-error.ts'
import { followToEnd } from '../follow-events.ts'
import { ago } from '../format.ts'
import { openSession } from '../session.ts'
import { showUsage } from '../show-usage.ts'
import type { Surroundings } from '../surroundings.ts'
import { runWorkerShell } from '../worker-shell.ts'

// Characters of a container's id as the docker command shows it.
const SHORT_ID = 12

/** `drydock workers`: list the workers, show what they use, open a shell, replace or stop one. */
export function addWorkers(program: Command, surroundings: Surroundings): void {
  const workers = program
    .command('workers')
    .description('list workers, show what they use, open a shell, replace or stop one')

  workers
    .command('list', { isDefault: true })
    .description('list workers with their state and the reason for it')
    .option('--endpoint <id>', 'only workers of this endpoint')
    .addHelpText('after', '\nExamples:\n  $ drydock workers\n  $ drydock workers list --endpoint hello --json')
    .action(async ({ endpoint }: { endpoint?: string }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('workerList', { query: { endpoint } })
      if (output.json) {
        output.document(answer)
        return
      }
      if (answer.workers.length === 0) {
        output.line('No worker is up. Workers start when jobs come.')
        return
      }
      // A column only where one of them is a container.
      const inContainers = answer.workers.some(({ container }) => container !== undefined)
      output.table(
        ['WORKER', 'ENDPOINT', 'STATE', 'STARTED', 'JOBS', 'DONE', ...(inContainers ? ['CONTAINER'] : []), 'REASON'],
        answer.workers.map((worker) => [
          worker.id,
          worker.endpointId,
          worker.state,
          ago(worker.startedAt, surroundings.now()),
          String(worker.jobs.length),
          String(worker.jobsDone),
          ...(inContainers ? [worker.container?.slice(0, SHORT_ID) ?? ''] : []),
          worker.reason ?? '',
        ]),
      )
    })

  workers
    .command('usage')
    .description('show CPU and memory of the workers, and network and graphics cards of those in containers')
    .option('--endpoint <id>', 'only workers of this endpoint')
    .option('-f, --follow', 'show it again every 2 s')
    .addHelpText('after', '\nExamples:\n  $ drydock workers usage\n  $ drydock workers usage -f --endpoint hello')
    .action(async ({ endpoint, follow }: { endpoint?: string; follow?: true }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      if (follow !== true) {
        showUsage(output, await client.call('workerUsage', { query: { endpoint } }))
        return
      }
      const { usageReading } = await import('../../contract/endpoint.ts')
      for await (const { event, data } of followToEnd(client, 'workerUsage', () => ({
        query: { endpoint, follow: 'true' },
      }))) {
        if (event === 'usage') showUsage(output, usageReading.parse(JSON.parse(data)))
      }
    })

  workers
    .command('replace')
    .description('put a new worker in the place of one, which ends its jobs and leaves; or of all of an endpoint')
    .argument('[worker]', 'id of the worker')
    .option('--endpoint <id>', 'all workers of this endpoint, one after the other')
    .addHelpText(
      'after',
      '\nExamples:\n  $ drydock workers replace w1a2b3c4d5e6f7\n  $ drydock workers replace --endpoint hello',
    )
    .action(async (workerId: string | undefined, { endpoint }: { endpoint?: string }, command: Command) => {
      if ((workerId === undefined) === (endpoint === undefined))
        throw new CliError('USAGE', { why: 'Name either a worker or --endpoint.' })
      const { client, output } = await openSession(command, surroundings)
      const answer =
        endpoint === undefined
          ? await client.call('workerReplace', { path: { workerId: workerId ?? '' } })
          : await client.call('endpointReplaceWorkers', { path: { endpointId: endpoint } })
      if (output.json) output.document(answer)
      else if ('order' in answer) output.line(replacementText(workerId ?? '', answer.order))
      else output.line(`${answer.workers.length} workers of ${endpoint} are replaced, one after the other`)
    })

  workers
    .command('shell')
    .description('open a shell in the container of a worker; it takes all keys until it exits')
    .argument('<worker>', 'id of the worker')
    .addHelpText(
      'after',
      '\nExamples:\n  $ drydock workers shell w1a2b3c4d5e6f7\n  $ echo "nvidia-smi" | drydock workers shell w1a2b3c4d5e6f7',
    )
    .action(async (workerId: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      if (output.json) throw new CliError('USAGE', { why: 'A shell is a terminal: leave --json out.' })
      surroundings.stderr.write(`\n${await runWorkerShell({ client, surroundings }, workerId)}\n`)
    })

  workers
    .command('stop')
    .description('stop a worker; its jobs may finish within the grace time')
    .argument('<worker>', 'id of the worker')
    .addHelpText('after', '\nExamples:\n  $ drydock workers stop w1a2b3c4d5e6f7')
    .action(async (workerId: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('workerStop', { path: { workerId } })
      if (output.json) output.document(answer)
      else output.line(`worker ${workerId} stops`)
    })
}

function replacementText(workerId: string, order: ReplacementOrder): string {
  return order === 'new first'
    ? `a new worker starts; ${workerId} leaves when that is ready and its own jobs have ended`
    : `there is no place for one more: ${workerId} leaves when its jobs have ended, and a new one takes its place`
}
