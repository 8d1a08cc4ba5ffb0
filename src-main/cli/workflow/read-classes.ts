/**
 * The classes of nodes that a graph is looked at with: those that come along, of an endpoint, of a server or of a file.
 */
import type { Command } from 'commander'
import { readBuiltInNodeTypes } from '../../app-builder/machine-tools.ts'
import type { ServiceClient } from '../../client/service-client.ts'
import type { NodeTypesResponse } from '../../contract/workflows.ts'
import {
  type ClassesFile,
  classFacts,
  readClassesFile,
  typesIn,
  writeClassesFile,
} from '../../domain/workflow/classes-file.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import { withoutCredentials } from '../../domain/workflow/server-address.ts'
import { fetchNodeTypes } from '../../outbound/comfy-server.ts'
import { CliError } from '../cli-error.ts'
import { globalOptions, openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'
import { indexOfFolder, indexOfService, type PackageIndex } from './graph-facts.ts'

/** The classes of nodes that come along; no service is asked. */
export async function readOwnClasses(): Promise<NodeTypes> {
  return typesIn(await readBuiltInNodeTypes())
}

/** The classes of nodes of an endpoint. @throws CliError SERVICE_REFUSED */
export async function readClassesOf(client: ServiceClient, endpointId: string): Promise<NodeTypes> {
  return typesIn((await client.call('nodeTypes', { query: { endpoint: endpointId } })).text)
}

/** Classes as they came, and where from. */
export type KnownClasses = ClassesFile & Omit<NodeTypesResponse, 'text' | 'version'>

/** Those that come along. */
export async function ownClasses(): Promise<KnownClasses> {
  return { source: 'built-in', ...classesIn(await readBuiltInNodeTypes(), 'resources/node-types.json') }
}

/** Those that a service knows of an endpoint. @throws CliError SERVICE_REFUSED */
export async function classesOfEndpoint(client: ServiceClient, endpointId: string): Promise<KnownClasses> {
  const { text, ...origin } = await client.call('nodeTypes', { query: { endpoint: endpointId } })
  return { ...classesIn(text, endpointId), ...origin, version: origin.version }
}

// Ctrl+C ends the command, and the request with it.
const untilDone = new AbortController().signal

/** Those of a ComfyUI server, which is asked now. @throws CliError CLASSES_UNREADABLE, USAGE */
export async function classesOfServer(address: string): Promise<KnownClasses> {
  const server = withoutCredentials(address)
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new CliError('USAGE', { why: `--server takes an address like http://127.0.0.1:8188, not ${server}.` })
  const { text, version } = await fetchNodeTypes(address, untilDone).catch((error: Error) => {
    throw new CliError('CLASSES_UNREADABLE', { from: server, why: error.message }, { cause: error })
  })
  return { ...classesIn(text, server), source: 'server', server, version }
}

/** The facts of classes as a file: `resources/node-types.json` is one. */
export const factsText = ({ version, classes }: ClassesFile): string =>
  writeClassesFile({ version, classes: classFacts(classes) })

function classesIn(text: string, from: string): ClassesFile {
  const read = readClassesFile(text)
  if (typeof read === 'string') throw new CliError('CLASSES_UNREADABLE', { from, why: `it ${read}` })
  return read
}

/** Classes that a graph is checked with, and where the packages of others are looked up. */
export type ChosenClasses = { readonly types: NodeTypes; readonly index: PackageIndex }

/** Those of an endpoint; without one those that come along, and no service is asked. @throws CliError */
export async function chooseClasses(
  endpoint: string | undefined,
  command: Command,
  surroundings: Surroundings,
): Promise<ChosenClasses> {
  if (endpoint === undefined)
    return { types: await readOwnClasses(), index: indexOfFolder(globalOptions(command).data, surroundings) }
  const { client } = await openSession(command, surroundings)
  return { types: await readClassesOf(client, endpoint), index: indexOfService(client) }
}
