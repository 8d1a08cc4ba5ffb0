/** The endpoint of one `drydock test`. If the command is killed, the next one on its machine deletes it. */
import { hostname } from 'node:os'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import { isAlive } from '../../../lib/node/is-alive.ts'
import type { EndpointSettings } from '../../endpoints/commands/endpoint-options.ts'

const NAME_MAX = 100
const OWNER = /^tests? of .* \((\S+), process (\d+)\)$/

type Made = Awaited<ReturnType<typeof create>>

const create = (client: ServiceClient, body: EndpointSettings & { readonly name: string }) =>
  client.call('endpointCreate', { body })

export async function onTestEndpoint<Result>(
  client: ServiceClient,
  body: EndpointSettings & { readonly name: string },
  work: (made: Made) => Promise<Result>,
): Promise<Result> {
  await deleteAbandoned(client)
  const owner = ` (${hostname()}, process ${process.pid})`
  const made = await create(client, { ...body, name: body.name.slice(0, NAME_MAX - owner.length) + owner })
  try {
    return await work(made)
  } finally {
    await client.call('endpointDelete', { path: { endpointId: made.id } })
  }
}

async function deleteAbandoned(client: ServiceClient): Promise<void> {
  const { endpoints } = await client.call('endpointList')
  for (const { id, name } of endpoints) {
    const [, host, pid] = OWNER.exec(name) ?? []
    if (host === hostname() && !isAlive(Number(pid)))
      await client.call('endpointDelete', { path: { endpointId: id } }).catch(() => undefined)
  }
}
