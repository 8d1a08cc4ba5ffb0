import packageJson from '../../../package.json' with { type: 'json' }
import type { CliCommand } from '../../app/cli/cli-command.ts'
import { findService } from '../../app/cli/find-service.ts'
import { globalOptions } from '../../app/cli/session.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import type { Effect } from '../../contract/agents.ts'

type McpOptions = { readonly allowWrites?: true; readonly allowDangerous?: true }

export function addMcp(mcp: CliCommand, surroundings: Surroundings): void {
  mcp
    .option('--allow-writes', 'also offer tools that send jobs, run and edit workflows, plan and preview apps')
    .option('--allow-dangerous', 'also offer tools that change settings, inject faults, deploy and delete')
    .details(`
The agent starts this command itself. Without options it can only read. The role of its key limits it further:
\`drydock key add agent --role read\` creates a key. A running service also answers at /mcp (Streamable HTTP).

Examples:
  $ drydock mcp
  $ drydock mcp --allow-writes --url http://127.0.0.1:8790 --key KEY`)
    .action(async ({ allowWrites, allowDangerous }: McpOptions, command: CliCommand) => {
      const [{ createServiceClient }, { serveOverStdio }] = await Promise.all([
        import('../../app/client/service-client.ts'),
        import('../../app/mcp/over-stdio.ts'),
      ])
      const options = globalOptions(command)
      let key: string | undefined
      // For each call, because the service may start after the agent, and may move.
      const client = async () => {
        const service = await findService(options, surroundings)
        key = service.key
        return createServiceClient(service)
      }
      const allows: Effect = allowDangerous === true ? 'dangerous' : allowWrites === true ? 'writes' : 'reads'
      // If nothing answers yet, the service itself later refuses what the key may not do.
      const role = await client()
        .then((service) => service.call('ownKeyRead'))
        .then(
          (own) => own.role,
          () => undefined,
        )
      await serveOverStdio(
        {
          ...{ version: packageJson.version, client, access: { role, allows }, now: surroundings.now },
          key: () => key,
          steady: () => performance.now(),
          pause: (ms, signal) => surroundings.pause(ms, signal),
        },
        { input: surroundings.stdin, write: (text) => surroundings.stdout.write(text) },
      )
    })
}
