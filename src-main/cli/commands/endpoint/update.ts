import type { Command } from 'commander'
import { usageError } from '../../cli-error.ts'
import { addEndpointOptions, type EndpointOptions, settingsOf } from '../../endpoint-options.ts'
import { checkProgram } from '../../program-place.ts'
import { openSession } from '../../session.ts'
import { showEndpoint, showWarning } from '../../show-endpoint.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock endpoint update`: change settings of an endpoint. */
export function addEndpointUpdate(parent: Command, surroundings: Surroundings): void {
  addEndpointOptions(
    parent
      .command('update')
      .description('change settings of an endpoint; workers are replaced where the change needs it')
      .argument('<endpoint>', 'id of the endpoint')
      .option('--name <name>', 'name for people'),
  )
    .addHelpText(
      'after',
      `
--env replaces all variables of the endpoint by the given ones; so do --volume, --publish and --cap-add with theirs, and
the options of workflows with all that is set of them.

Examples:
  $ drydock endpoint update hello --workers 1,4
  $ drydock endpoint update hello --handler new_handler.py --env MODEL=large
  $ drydock endpoint update sdxl --image registry.example.com/sdxl:3 --keep-paused 60`,
    )
    .action(async (endpointId: string, options: EndpointOptions & { name?: string }, command: Command) => {
      const body = {
        ...settingsOf(options, surroundings),
        ...(options.name === undefined ? {} : { name: options.name }),
      }
      if (Object.keys(body).length === 0) throw usageError('Say what to change, like --workers 1,4.')
      const { client, output } = await openSession(command, surroundings)
      const { command: line, container, searchPath } = body
      // A container has programs of its own.
      if (line !== undefined && container === undefined) {
        const before = await client.call('endpointRead', { path: { endpointId } })
        if (before.container === undefined) checkProgram(line, searchPath ?? before.searchPath, surroundings.cwd)
      }
      const changed = await client.call('endpointUpdate', { path: { endpointId }, body })
      showEndpoint(output, changed, surroundings.now())
      showWarning(output, changed)
    })
}
