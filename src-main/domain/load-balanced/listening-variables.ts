import type { EndpointConfig } from '../../contract/endpoint.ts'

/** What a container of a load-balanced endpoint is told of where to listen. Source: docs/spec/job-api.md, 10. */
export function listeningVariables({
  port,
  healthPort = port,
}: NonNullable<EndpointConfig['loadBalanced']>): Readonly<Record<string, string>> {
  return {
    PORT: String(port),
    PORT_HEALTH: String(healthPort),
    SVC_HOST: '0.0.0.0', // where the route server of `svc` listens: a container's loopback is its own
  }
}
