import type { EndpointServer } from '../../contract/workflows.ts'
import type { Endpoint } from '../../storage/storage.ts'
import type { NamedServer } from '../workers/registry/workflow-servers.ts'
import { serversOf, withHiddenPassword } from '../workflows/rules/server-address.ts'
import type { ViewDeps } from './views.ts'

export function viewServers(
  { servers, registry, leases }: Pick<ViewDeps, 'servers' | 'registry' | 'leases'>,
  endpoint: Endpoint,
): readonly EndpointServer[] {
  const several = servers.of(endpoint)
  const workers = registry.ofEndpoint(endpoint.id)
  return serversOf(endpoint.config.workflows).map((address, at) => {
    const server = several[at]
    const own = server === undefined ? workers : workers.filter((worker) => worker.server === address)
    const jobs = own.flatMap(({ id }) => leases.ofWorker(id).map(({ jobId }) => jobId))
    return {
      ...{ number: at + 1, address: withHiddenPassword(address), jobs, loaded: [...(server?.loaded ?? [])] },
      state: server === undefined ? 'only' : stateOf(server, jobs.length > 0),
      lacks: { classes: lackedBy(server, several, 'classes'), models: lackedBy(server, several, 'models') },
      ...(server?.awayBecause === undefined ? {} : { lostBecause: server.awayBecause, lostSince: server.awaySince }),
    }
  })
}

function stateOf({ isDrained, awayBecause, has }: NamedServer, isBusy: boolean): EndpointServer['state'] {
  if (isDrained) return isBusy ? 'draining' : 'drained'
  if (awayBecause !== undefined) return 'lost'
  return has === undefined ? 'unread' : 'ready'
}

function lackedBy(server: NamedServer | undefined, all: readonly NamedServer[], kind: 'classes' | 'models'): string[] {
  const own = server?.has?.[kind]
  if (own === undefined) return []
  return [...new Set(all.flatMap(({ has }) => [...(has?.[kind] ?? [])]))].filter((name) => !own.has(name)).toSorted()
}
