import type { Command } from 'commander'
import { CliError } from '../../../../app/cli/cli-error.ts'
import { globalOptions, openSession } from '../../../../app/cli/session.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { NodeTypesResponse } from '../../../../contract/workflows.ts'
import { readBuiltInNodeTypes } from '../../../../shipped-files/resources.ts'
import { fetchNodeTypes } from '../../adapters/comfy-server.ts'
import { type ClassesFile, classFacts, readClassesFile, typesIn, writeClassesFile } from '../../rules/classes-file.ts'
import { type NodeTypes, withOthers } from '../../rules/node-types.ts'
import { withoutCredentials } from '../../rules/server-address.ts'
import { indexOfFolder, indexOfService, type PackageIndex } from './graph-facts.ts'

export async function readOwnClasses(): Promise<NodeTypes> {
  return typesIn(await readBuiltInNodeTypes())
}

/** Those of the endpoint, and the bundled ones that it lacks. */
export async function readClassesOf(client: ServiceClient, endpointId: string): Promise<NodeTypes> {
  const { text } = await client.call('nodeTypes', { query: { endpoint: endpointId } })
  return withOthers(typesIn(text), await readOwnClasses())
}

export type KnownClasses = ClassesFile & Omit<NodeTypesResponse, 'text' | 'version'>

export async function ownClasses(): Promise<KnownClasses> {
  return { source: 'built-in', ...classesIn(await readBuiltInNodeTypes(), 'resources/node-types.json') }
}

export async function classesOfEndpoint(client: ServiceClient, endpointId: string): Promise<KnownClasses> {
  const { text, ...origin } = await client.call('nodeTypes', { query: { endpoint: endpointId } })
  return { ...classesIn(text, endpointId), ...origin, version: origin.version }
}

const untilDone = new AbortController().signal

export async function classesOfServer(address: string): Promise<KnownClasses> {
  const server = withoutCredentials(address)
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new CliError('USAGE', { why: `--server takes an address like http://127.0.0.1:8188, not ${server}.` })
  const { text, version } = await fetchNodeTypes(address, untilDone).catch((error: Error) => {
    throw new CliError('CLASSES_UNREADABLE', { from: server, why: error.message }, { cause: error })
  })
  return { ...classesIn(text, server), source: 'server', server, version }
}

export const factsText = ({ version, classes }: ClassesFile): string =>
  writeClassesFile({ version, classes: classFacts(classes) })

function classesIn(text: string, from: string): ClassesFile {
  const read = readClassesFile(text)
  if (typeof read === 'string') throw new CliError('CLASSES_UNREADABLE', { from, why: `it ${read}` })
  return read
}

export type ChosenClasses = { readonly types: NodeTypes; readonly index: PackageIndex }

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
