import type { Command } from 'commander'
import { addFaultOptions, type FaultOptions, faultsInWords, faultsOf } from '../fault-options.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock faults`: show or set the fault switches of an endpoint. */
export function addFaults(program: Command, surroundings: Surroundings): void {
  addFaultOptions(
    program
      .command('faults')
      .description('show or set the fault switches of an endpoint: how do its clients fare on a bad day?')
      .argument('<endpoint>', 'id of the endpoint'),
  )
    .addHelpText(
      'after',
      `
Switches that are not given stay as they are. They outlive restarts and deploys.

Examples:
  $ drydock faults hello
  $ drydock faults hello --delay 2s --fail 20
  $ drydock faults hello --kill 10 --out-of-memory 5
  $ drydock faults hello --fail 0 --throttle
  $ drydock faults hello --off`,
    )
    .action(async (endpointId: string, options: FaultOptions, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const path = { endpointId }
      const faults = faultsOf(options)
      const endpoint =
        Object.keys(faults).length === 0
          ? await client.call('endpointRead', { path })
          : await client.call('endpointUpdate', { path, body: { faults } })
      if (output.json) {
        output.document({ endpointId, faults: endpoint.faults ?? {} })
        return
      }
      const on = faultsInWords(endpoint.faults)
      output.hint(
        on === undefined
          ? `All fault switches of ${endpointId} are off.`
          : `${output.paint('yellow', 'Fault switches')} of ${endpointId} are on: ${on}. Off: drydock faults ${endpointId} --off`,
      )
    })
}
