import type { Command } from 'commander'
import { openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { faultsText } from '../rules/faults.ts'
import { addFaultOptions, type FaultOptions, faultsOf } from './fault-options.ts'

export function addFaultCommands(faults: Command, surroundings: Surroundings): void {
  addFaultOptions(faults.argument('<endpoint>', 'id of the endpoint'))
    .addHelpText(
      'after',
      `
Options that are not given stay as they are. All settings survive restarts and deploys.

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
      const on = faultsText(endpoint.faults)
      output.hint(
        on === ''
          ? `Fault injection on ${endpointId} is off.`
          : `${output.paint('yellow', 'Fault injection')} on ${endpointId} is on: ${on}. Off: drydock faults ${endpointId} --off`,
      )
    })
}
