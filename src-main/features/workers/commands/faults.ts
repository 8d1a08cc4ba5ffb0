import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { faultsText } from '../rules/faults.ts'
import { addFaultOptions, type FaultOptions, faultsOf } from './fault-options.ts'

export function addFaultCommands(faults: CliCommand): void {
  addFaultOptions(faults.argument('<endpoint>', 'id of the endpoint'))
    .details(`
Options that are not given stay as they are. All settings survive restarts and deploys.

Examples:
  $ drydock faults hello
  $ drydock faults hello --delay 2s --fail 20
  $ drydock faults hello --kill 10 --out-of-memory 5
  $ drydock faults hello --fail 0 --throttle
  $ drydock faults hello --off`)
    .onSession(async ({ client, output }, endpointId: string, options: FaultOptions) => {
      const path = { endpointId }
      const faults = faultsOf(options)
      const endpoint =
        Object.keys(faults).length === 0
          ? await client.call('endpointRead', { path })
          : await client.call('endpointUpdate', { path, body: { faults } })
      if (output.json) return output.document({ endpointId, faults: endpoint.faults ?? {} })
      const on = faultsText(endpoint.faults)
      output.hint(
        on === ''
          ? `Fault injection on ${endpointId} is off.`
          : `${output.paint('yellow', 'Fault injection')} on ${endpointId} is on: ${on}. Off: drydock faults ${endpointId} --off`,
      )
    })
}
