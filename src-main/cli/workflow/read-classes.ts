import { readBuiltInNodeTypes } from '../../app-builder/machine-tools.ts'
import { typesIn } from '../../domain/workflow/classes-file.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import type { ServiceClient } from '../client.ts'

/** The classes of nodes that come along; no service is asked. */
export async function readOwnClasses(): Promise<NodeTypes> {
  return typesIn(await readBuiltInNodeTypes())
}

/** The classes of nodes of an endpoint. @throws CliError SERVICE_REFUSED */
export async function readClassesOf(client: ServiceClient, endpointId: string): Promise<NodeTypes> {
  return typesIn((await client.call('nodeTypes', { query: { endpoint: endpointId } })).text)
}
