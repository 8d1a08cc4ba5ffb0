import { basename } from 'node:path'
import { confirmDeletion, noteBroken, YES } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, usageError } from '../../../app/cli/cli-error.ts'
import { following } from '../../../app/cli/interrupt.ts'
import type { Output } from '../../../app/cli/output.ts'
import { expectEndpoint, openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import type { EndpointView } from '../../../contract/endpoint.ts'
import { THIS_MACHINE } from '../../../contract/machines.ts'
import { SERVER_CHANGES } from '../../../contract/workflows.ts'
import { ago, keepEnds } from '../../../lib/text.ts'
import { pathInApp } from '../../apps/rules/app-environment.ts'
import { splitHint } from '../../workers/rules/missing-module.ts'
import { type ServerChange, serverOfEntry } from '../../workflows/rules/server-address.ts'
import { lacksText, serverStatusText } from '../../workflows/rules/server-status.ts'
import { WITH_ENDPOINTS } from '../rules/deletion-text.ts'
import { dependentsText } from '../rules/dependents.ts'
import { addEndpointOptions, type EndpointOptions, type EndpointSettings, settingsOf } from './endpoint-options.ts'
import { checkProgram } from './program-search.ts'
import { endpointStateText, noteText, showEndpoint, showWarning } from './show-endpoint.ts'
import type { HubOptions } from './worker-repository.ts'

export function addEndpoint(endpoint: CliCommand, surroundings: Surroundings): void {
  addEndpointOptions(
    endpoint
      .command('create')
      .description('create an endpoint and print its key, which is shown only once')
      .argument('<name>', 'display name')
      .option('--id <id>', 'id in addresses: a-z, 0-9 and inner hyphens (default: made from the name)')
      .option('--hub <folder>', "take variables, GPU and disk from .runpod/hub.json of the worker's repository")
      .option('--preset <name>', 'preset of hub.json'),
  )
    .details(`
Examples:
  $ drydock endpoint create hello --handler handler.py
  $ drydock endpoint create hello --id hello --handler handler.py --workers 0,3 --idle-timeout 30 --env MODEL=small
  $ drydock endpoint create mine --command "python3 my_worker.py" --concurrency 4 --json
  $ drydock endpoint create hello --handler handler.py --container --memory 2g
  $ drydock endpoint create sdxl --image registry.example.com/sdxl:2 --gpu ADA_24 --volume ./models:/models:ro
  $ drydock endpoint create sdxl --image registry.example.com/sdxl:2 --hub ./worker-sdxl --preset Fast --env STEPS=4
  $ drydock endpoint create comfy --id comfy --workflow-server http://127.0.0.1:8188
  $ drydock endpoint create farm --workflow-server http://gpu1:8188 --workflow-server http://gpu2:8188
  $ drydock endpoint create web --command 'uvicorn app:app --port $PORT' --load-balanced`)
    .action(async (name: string, options: EndpointOptions & HubOptions & { id?: string }, command: CliCommand) => {
      const { withHub } = await import('./worker-repository.ts')
      const settings = await withHub(settingsOf(options, surroundings), options, surroundings.cwd)
      const server = settings.workflows?.server
      const isBridge = server !== undefined && !hasProgram(settings)
      if (!hasProgram(settings) && !isBridge) {
        throw usageError(
          'Choose what the endpoint runs: --handler FILE.py or --command "python3 my_worker.py" or --image IMAGE, ' +
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

  endpoint
    .command('list')
    .description('list endpoints')
    .examples('drydock endpoint list', 'drydock endpoint list --json')
    .onSession(async ({ client, output }) => {
      const response = await client.call('endpointList')
      const onMachines = response.endpoints.some(({ container }) => container?.machine !== undefined)
      output.list(
        response,
        'There are no endpoints yet. Create one: drydock endpoint create hello --handler handler.py',
        [
          ...['ENDPOINT', 'NAME', 'APP', 'STATE', 'WORKERS'],
          ...(onMachines ? ['MACHINE'] : []),
          ...['RUNS', 'CHANGED'],
        ],
        response.endpoints.map((endpoint) => [
          endpoint.id,
          endpoint.name,
          endpoint.app === undefined ? '' : pathInApp(endpoint.app),
          `${endpointStateText(output, endpoint)}${endpoint.faults === undefined ? '' : ', faults on'}`,
          `${endpoint.workersMin},${endpoint.workersMax}`,
          ...(onMachines ? [endpoint.container?.machine ?? THIS_MACHINE] : []),
          endpoint.handler === undefined
            ? (endpoint.command ?? endpoint.container?.image ?? '')
            : basename(endpoint.handler),
          ago(endpoint.updatedAt, surroundings.now()),
        ]),
      )
      if (!output.json) showNotes(output, response.endpoints, surroundings.now())
    })

  addShowing('show', 'endpointRead', 'show the settings of an endpoint')

  addEndpointOptions(
    endpoint
      .command('update')
      .description('change settings of an endpoint; workers are replaced if needed')
      .argument('<endpoint>', 'id of the endpoint')
      .option('--name <name>', 'display name'),
    false,
  )
    .details(`
Options of containers, like --gpu, make the workers containers; --no-container makes them processes again. An empty value,
like --gpu '', removes a setting that may be missing.

--env replaces all variables of the endpoint. --volume, --publish and --cap-add replace their lists in the same way, and
the workflow options replace all workflow settings.

Examples:
  $ drydock endpoint update hello --workers 1,4
  $ drydock endpoint update hello --handler new_handler.py --env MODEL=large
  $ drydock endpoint update hello --no-container
  $ drydock endpoint update sdxl --image registry.example.com/sdxl:3 --keep-paused 60`)
    .action(async (endpointId: string, options: EndpointOptions & { name?: string }, command: CliCommand) => {
      const body = {
        ...settingsOf(options, surroundings),
        ...(options.container === false ? { container: null } : {}),
        ...(options.name === undefined ? {} : { name: options.name }),
      }
      if (Object.keys(body).length === 0) throw usageError('Give at least one option, like --workers 1,4.')
      const { client, output } = await openSession(command, surroundings)
      const { command: line, container, searchPath } = body
      const path = { endpointId }
      const mayMove = line !== undefined || container !== undefined
      const before = mayMove ? await client.call('endpointRead', { path }) : undefined
      const ranProcesses = before !== undefined && before.container === undefined
      if (line !== undefined && (container === null || (container === undefined && ranProcesses)))
        checkProgram(line, searchPath ?? before?.searchPath, surroundings.cwd)
      const changed = await client.call('endpointUpdate', { path, body })
      showEndpoint(output, changed, surroundings.now())
      showWarning(output, changed)
      const removesSetting =
        changed.container?.image === undefined && Object.values<unknown>(container ?? {}).includes(null)
      if ((ranProcesses || removesSetting) && changed.container !== undefined && !output.json)
        output.note(
          `Workers ${ranProcesses ? 'now' : 'still'} run in containers. Go back to processes with \`drydock endpoint update ${endpointId} --no-container\`.`,
        )
    })

  endpoint
    .command('install')
    .description(
      'install Python packages for the workers of an endpoint, into .venv next to its code or its own environment',
    )
    .argument('<endpoint>', 'id of the endpoint')
    .argument('<packages...>', 'packages, like pillow or torch==2.5.1')
    .examples('drydock endpoint install hello pillow', 'drydock endpoint install hello "torch>=2.5" transformers')
    .onSession(async ({ client, output }, endpointId: string, packages: readonly string[]) => {
      const path = { endpointId }
      let endpoint = await client.call('endpointInstall', { path, body: { packages: [...packages] } })
      let told: string | undefined
      const continues = () => `The installation continues; the workers of ${endpointId} are replaced when it ends.`
      await following(continues, { output, surroundings }, async () => {
        while (endpoint.install?.state === 'running') {
          const { line } = endpoint.install
          if (line !== undefined && line !== told && !output.json) output.note(line)
          told = line
          await surroundings.pause(LOOK_EVERY_MS)
          endpoint = await client.call('endpointRead', { path })
        }
      })
      const { state, why = 'the service was restarted', environment } = endpoint.install ?? { state: 'failed' as const }
      if (state === 'failed') throw new CliError('NOT_INSTALLED', { packages: packages.join(', '), why })
      output.result(
        endpoint,
        `${packages.join(', ')} installed into ${environment}; workers of ${endpointId} are replaced`,
      )
    })

  endpoint
    .command('delete')
    .description('delete an endpoint, stop its workers and cancel its jobs')
    .argument('<endpoint>', 'id of the endpoint')
    .option(...YES)
    .examples('drydock endpoint delete hello', 'drydock endpoint delete hello --yes')
    .onSession(async ({ client, output }, endpointId: string, { yes }: { yes?: true }) => {
      const what = `endpoint ${endpointId} with all its ${WITH_ENDPOINTS}`
      const path = { endpointId }
      const breaks = yes ? undefined : dependentsText(await client.call('endpointDependents', { path }))
      await confirmDeletion({ yes, what, breaks, question: `Delete ${what}?` }, output, surroundings)
      const response = await client.call('endpointDelete', { path })
      output.result(response, `endpoint ${endpointId} deleted`)
      noteBroken(response.broke && dependentsText(response.broke), output)
    })

  endpoint
    .command('servers')
    .description('list, add, remove or drain the ComfyUI servers of an endpoint while it runs')
    .argument('<endpoint>', 'id of the endpoint')
    .option('--add <url>', 'add a ComfyUI server')
    .option('--remove <url>', 'remove a server once its graph has finished')
    .option('--drain <url>', 'let a server finish its graph, and send it no new ones')
    .option('--resume <url>', 'send graphs to a drained server again')
    .examples('drydock endpoint servers comfy', 'drydock endpoint servers comfy --add http://192.168.1.20:8188')
    .onSession(
      async ({ client, output }, endpointId: string, options: Partial<Record<ServerChange['kind'], string>>) => {
        const path = { endpointId }
        for (const kind of SERVER_CHANGES) {
          const address = options[kind]
          if (address !== undefined)
            showWarning(output, await client.call('endpointServerChange', { path, body: { kind, address } }))
        }
        const { servers } = await client.call('endpointServers', { path })
        const now = surroundings.now()
        output.list(
          { servers },
          `${endpointId} has no ComfyUI servers.`,
          ['SERVER', 'ADDRESS', 'STATE', 'RUNS', 'LOADED', 'LACKS'],
          servers.map((server) => [
            String(server.number),
            server.address,
            serverStatusText(server, now),
            server.jobs.join(', '),
            server.loaded.join(', '),
            lacksText(server.lacks) ?? '',
          ]),
        )
      },
    )

  addShowing('pause', 'endpointPause', 'pause dispatch; new jobs are still accepted and wait')
  addShowing('resume', 'endpointResume', 'start jobs again, and clear a crash loop')

  endpoint
    .command('rotate-key')
    .description('create a new key for the endpoint; the old one stops working at once')
    .argument('<endpoint>', 'id of the endpoint')
    .option(...YES)
    .examples('drydock endpoint rotate-key hello')
    .onSession(async ({ client, output }, endpointId: string, { yes }: { yes?: true }) => {
      const what = `the key of endpoint ${endpointId}, which stops working at once`
      const find = () => expectEndpoint(client, endpointId)
      await confirmDeletion({ yes, find, what, question: `Replace ${what}?`, verb: 'replace' }, output, surroundings)
      showEndpoint(output, await client.call('endpointRotateKey', { path: { endpointId } }), surroundings.now())
    })

  function addShowing(
    name: string,
    operation: 'endpointRead' | 'endpointPause' | 'endpointResume',
    description: string,
  ): void {
    endpoint
      .command(name)
      .description(description)
      .argument('<endpoint>', 'id of the endpoint')
      .examples(`drydock endpoint ${name} hello`)
      .onSession(async ({ client, output }, endpointId: string) => {
        showEndpoint(output, await client.call(operation, { path: { endpointId } }), surroundings.now())
      })
  }
}

// A download of gigabytes takes minutes, and each read is cheap.
const LOOK_EVERY_MS = 300

// Letters of a note with its id; source: ours, a terminal that has room for the table has room for them.
const NOTE_LENGTH = 120

/** Why endpoints do not run their jobs; a column of such texts would break the table's lines. */
function showNotes(output: Output, endpoints: readonly EndpointView[], now: number): void {
  const notes = endpoints.flatMap((endpoint) => {
    const note = noteText(endpoint, now)
    return note === '' ? [] : [{ id: endpoint.id, text: `${endpoint.id}: ${note}` }]
  })
  if (notes.length > 0) output.line()
  for (const { text } of notes) {
    const { cause } = splitHint(text)
    output.line(keepEnds(output.asCalled(cause).replace(/\s+/g, ' '), NOTE_LENGTH))
  }
  const cut = notes.find(({ text }) => text.length > NOTE_LENGTH)
  if (cut !== undefined) output.hint(`More: drydock endpoint show ${cut.id}`)
}

const hasProgram = ({ handler, command, container }: EndpointSettings) =>
  handler !== undefined || command !== undefined || container?.image !== undefined

async function bridgeSettings(client: ServiceClient): Promise<EndpointSettings> {
  const { entries } = await client.call('catalogList')
  const bridge = entries.find(({ settings }) => serverOfEntry(settings) !== undefined)
  if (bridge === undefined) throw usageError('The catalog has no ComfyUI bridge. Reinstall Drydock.')
  return bridge.settings
}

// The endpoint is created regardless: its server may start later.
async function readClasses(client: ServiceClient, { id }: EndpointView): Promise<string> {
  try {
    const { text, server } = await client.call('nodeTypesFetch', { path: { endpointId: id } })
    return `${Object.keys(JSON.parse(text)).length} node classes read from ${server}`
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return `${error.message} They are read as soon as the server answers.`
  }
}
