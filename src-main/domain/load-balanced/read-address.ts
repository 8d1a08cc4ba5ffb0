/** What stands for the id of an endpoint that headers name. Source: docs/spec/app-deploy.md, 1. */
export const NAMED = 'flash'

/** To which load-balanced endpoint a request is sent, and what it asks of the worker. */
export type RequestAddress = {
  readonly endpointId: string
  /** `host`: ID.localhost:PORT, in containers ID.host.docker.internal:PORT. `path`: /lb/ID/... under the address of the service. */
  readonly form: 'host' | 'path'
  /** What stands before the worker's own path, without a slash at the end. */
  readonly prefix: string
  /** Path and query for the worker, as they came. */
  readonly target: string
}

const OWN_HOST = /^([a-z0-9-]+)\.(?:localhost|host\.docker\.internal)(?::\d+)?$/i
const OWN_PATH = /^\/lb\/([^/?#]+)(.*)$/s

/**
 * Reads the address of a request by its form alone; whether host and endpoint are ours is asked elsewhere. The host
 * goes first: below a name of its own an endpoint may have a route /lb. Source: docs/spec/job-api.md, 10.
 * @param url request target as sent; one that is no path (`http://...`) is none of ours
 * @returns undefined for a request to the service itself
 */
export function readAddress(url: string, host: string | undefined): RequestAddress | undefined {
  const [, name] = OWN_HOST.exec(host ?? '') ?? []
  if (name !== undefined) return { endpointId: name.toLowerCase(), form: 'host', prefix: '', target: url }
  const [, endpointId, rest] = OWN_PATH.exec(url) ?? []
  if (endpointId === undefined || rest === undefined) return undefined
  return { endpointId, form: 'path', prefix: `/lb/${endpointId}`, target: rest.startsWith('/') ? rest : `/${rest}` }
}

/**
 * Whether a host is that of an endpoint under the service's own name and port.
 * @param own host:port pairs of the service, lower case
 */
export function isEndpointHost(host: string | undefined, own: ReadonlySet<string>): boolean {
  const [service] = /(?<=^[^.]+\.)(?:localhost|host\.docker\.internal):\d+$/.exec((host ?? '').toLowerCase()) ?? []
  return service !== undefined && own.has(service)
}
