import type { Command } from 'commander'
import { usageError } from '../../cli-error.ts'
import { addEndpointOptions, type EndpointOptions, settingsOf } from '../../endpoint-options.ts'
import { checkProgram } from '../../program-place.ts'
import { openSession } from '../../session.ts'
import { showEndpoint, showWarning } from '../../show-endpoint.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock endpoint create`: make an endpoint from a handler file, a worker command or an image. */
export function addEndpointCreate(parent: Command, surroundings: Surroundings): void {
  addEndpointOptions(
    parent
      .command('create')
      .description('create an endpoint and print it with its key, which is shown this once')
      .argument('<name>', 'name for people')
      .option('--id <id>', 'id in addresses: a-z, 0-9 and inner hyphens; made by the service without it'),
  )
    .addHelpText(
      'after',
      `
Examples:
  $ drydock endpoint create hello --handler handler.py
  $ drydock endpoint create hello --id hello --handler handler.py --workers 0,3 --idle-timeout 30 --env MODEL=small
  $ drydock endpoint create mine --command "python3 my_worker.py" --concurrency 4 --json
  $ drydock endpoint create hello --handler handler.py --container --memory 2g
  $ drydock endpoint create sdxl --image registry.example.com/sdxl:2 --gpu ADA_24 --volume ./models:/models:ro
  $ drydock endpoint create web --command 'uvicorn app:app --port $PORT' --load-balanced`,
    )
    .action(async (name: string, options: EndpointOptions & { id?: string }, command: Command) => {
      const settings = settingsOf(options, surroundings)
      if (settings.handler === undefined && settings.command === undefined && settings.container?.image === undefined) {
        throw usageError(
          'Say what the endpoint runs: --handler FILE.py or --command "python3 my_worker.py" or --image IMAGE.',
        )
      }
      const { command: line, container, searchPath } = settings
      if (line !== undefined && container === undefined) checkProgram(line, searchPath, surroundings.cwd)
      const { client, output } = await openSession(command, surroundings)
      const body = { ...settings, name, ...(options.id === undefined ? {} : { id: options.id }) }
      const made = await client.call('endpointCreate', { body })
      showEndpoint(output, made, surroundings.now())
      showWarning(output, made)
    })
}
