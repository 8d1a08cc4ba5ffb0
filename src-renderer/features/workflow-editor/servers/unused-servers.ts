import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { WorkflowServer } from '../../../../src-main/contract/workflows.ts'
import { isSameServer, USUAL_SERVERS } from '../../../../src-main/domain/workflow/server/server-address.ts'

type Facts = Pick<LiveEndpoint, 'handler' | 'workflows'>

// Without an address the bridge goes to who answers at the usual places.
const isBridge = ({ handler }: Facts) => /[\\/]resources[\\/]node[\\/]comfyui[\\/]handler\.ts$/.test(handler ?? '')

function serversOf(endpoint: Facts): readonly string[] {
  const server = endpoint.workflows?.server
  if (server !== undefined) return [server]
  return isBridge(endpoint) ? USUAL_SERVERS : []
}

/** The servers that no endpoint passes graphs to. */
export function unusedServers(
  servers: readonly WorkflowServer[],
  endpoints: Readonly<Record<string, Facts>>,
): readonly WorkflowServer[] {
  const used = Object.values(endpoints).flatMap(serversOf)
  return servers.filter(({ address }) => !used.some((one) => isSameServer(one, address)))
}
