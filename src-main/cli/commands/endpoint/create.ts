import type { Command } from 'commander'
import type { EndpointView } from '../../../contract/endpoint.ts'
import { serverOfEntry } from '../../../domain/workflow/server/entry-server.ts'
import { CliError, usageError } from '../../cli-error.ts'
import type { ServiceClient } from '../../client.ts'
import { addEndpointOptions, type EndpointOptions, type EndpointSettings, settingsOf } from '../../endpoint-options.ts'
import { plainWords } from '../../plain-words.ts'
import { checkProgram } from '../../program-place.ts'
import { openSession } from '../../session.ts'
import { showEndpoint, showWarning } from '../../show-endpoint.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock endpoint create`: make an endpoint from a handler file, a worker command, an image or a ComfyUI server. */
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
  $ drydock endpoint create comfy --id comfy --workflow-server http://127.0.0.1:8188
  $ drydock endpoint create web --command 'uvicorn app:app --port $PORT' --load-balanced`,
    )
    .action(async (name: string, options: EndpointOptions & { id?: string }, command: Command) => {
      const settings = settingsOf(options, surroundings)
      const server = settings.workflows?.server
      const isBridge = server !== undefined && !hasProgram(settings)
      if (!hasProgram(settings) && !isBridge) {
        throw usageError(
          'Say what the endpoint runs: --handler FILE.py or --command "python3 my_worker.py" or --image IMAGE, ' +
            'or --workflow-server URL for a ComfyUI server.',
        )
      }
      const { command: line, container, searchPath } = settings
      if (line !== undefined && container === undefined) checkProgram(line, searchPath, surroundings.cwd)
      const { client, output } = await openSession(command, surroundings)
      const program = isBridge ? await bridgeSettings(client) : {}
      const body = { ...program, ...settings, name, ...(options.id === undefined ? {} : { id: options.id }) }
      const made = await client.call('endpointCreate', { body })
      showEndpoint(output, made, surroundings.now())
      showWarning(output, made)
      if (server !== undefined) output.note(await readClasses(client, made))
    })
}

const hasProgram = ({ handler, command, container }: EndpointSettings) =>
  handler !== undefined || command !== undefined || container?.image !== undefined

/** The settings of the entry of the catalog that passes graphs to a server; the server is the caller's. */
async function bridgeSettings(client: ServiceClient): Promise<EndpointSettings> {
  const { entries } = await client.call('catalogList')
  const bridge = entries.find(({ settings }) => serverOfEntry(settings) !== undefined)
  if (bridge === undefined) throw usageError('The catalog has no bridge to ComfyUI. Install Drydock again.')
  return bridge.settings
}

// The endpoint is made all the same: its server may be started later.
async function readClasses(client: ServiceClient, { id }: EndpointView): Promise<string> {
  try {
    const { text, server } = await client.call('nodeTypesFetch', { path: { endpointId: id } })
    return `${Object.keys(JSON.parse(text)).length} classes of nodes read from ${server}`
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return plainWords(`${error.message} They are read when the server answers.`)
  }
}
