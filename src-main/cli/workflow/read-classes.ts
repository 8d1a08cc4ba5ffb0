import { readBuiltInNodeTypes } from '../../app-builder/machine-tools.ts'
import { parseJson } from '../../domain/workflow/json/parse.ts'
import { isObject } from '../../domain/workflow/json/value.ts'
import { type NodeTypes, readNodeTypes } from '../../domain/workflow/node-types.ts'
import type { ServiceClient } from '../client.ts'

/** The classes of nodes that come along; no service is asked. */
export async function readOwnClasses(): Promise<NodeTypes> {
  return classesIn(await readBuiltInNodeTypes())
}

/** The classes of nodes of an endpoint. @throws CliError SERVICE_REFUSED */
export async function readClassesOf(client: ServiceClient, endpointId: string): Promise<NodeTypes> {
  return classesIn((await client.call('nodeTypes', { query: { endpoint: endpointId } })).text)
}

function classesIn(text: string): NodeTypes {
  const parsed = parseJson(text)
  return parsed.kind === 'value' && isObject(parsed.value) ? readNodeTypes(parsed.value) : new Map()
}
