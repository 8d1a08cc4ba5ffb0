import { basename } from 'node:path'
import type { Command } from 'commander'
import { ago } from '../../format.ts'
import { openSession } from '../../session.ts'
import { endpointStateText, waitText } from '../../show-endpoint.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock endpoint list`: all endpoints, one a line. */
export function addEndpointList(parent: Command, surroundings: Surroundings): void {
  parent
    .command('list')
    .description('list endpoints')
    .addHelpText('after', '\nExamples:\n  $ drydock endpoint list\n  $ drydock endpoint list --json')
    .action(async (_options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('endpointList')
      if (output.json) {
        output.document(answer)
        return
      }
      if (answer.endpoints.length === 0) {
        output.hint('There is no endpoint. Create one: drydock endpoint create hello --handler handler.py')
        return
      }
      output.table(
        ['ENDPOINT', 'NAME', 'APP', 'STATE', 'WORKERS', 'RUNS', 'CHANGED', 'WAITS FOR'],
        answer.endpoints.map((endpoint) => [
          endpoint.id,
          endpoint.name,
          endpoint.app === undefined ? '' : `${endpoint.app.name}/${endpoint.app.environment}`,
          `${endpointStateText(output, endpoint)}${endpoint.faults === undefined ? '' : ', faults on'}`,
          `${endpoint.workersMin},${endpoint.workersMax}`,
          endpoint.handler === undefined
            ? (endpoint.command ?? endpoint.container?.image ?? '')
            : basename(endpoint.handler),
          ago(endpoint.updatedAt, surroundings.now()),
          waitText(endpoint, surroundings.now()),
        ]),
      )
    })
}
