import type { Command } from 'commander'
import { followToEnd } from '../follow-events.ts'
import { ago } from '../format.ts'
import { openSession } from '../session.ts'
import { showUsage } from '../show-usage.ts'
import type { Surroundings } from '../surroundings.ts'

// Characters of a container's id as the docker command shows it.
const SHORT_ID = 12

/** `drydock workers`: list the workers, show what they use, or stop one. */
export function addWorkers(program: Command, surroundings: Surroundings): void {
  const workers = program.command('workers').description('list workers, show what they use, or stop one')

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
    .description('show CPU, memory, network and graphics cards of the workers in containers')
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
