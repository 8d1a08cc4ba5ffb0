export type RequestAddress = {
  readonly endpointId: string
  /** `host`: ID.localhost:PORT, in containers ID.host.docker.internal:PORT. Otherwise /lb/ID/..., /comfy/ID/... */
  readonly form: 'host' | 'lb' | 'comfy'
  readonly prefix: string
  readonly target: string
}

const OWN_HOST = /^([a-z0-9-]+)\.(?:localhost|host\.docker\.internal)(?::\d+)?$/i
const OWN_PATH = /^\/(lb|comfy)\/([^/?#]+)(.*)$/s

/**
 * Parses by form only. The host wins, as an endpoint's own host may have a route /lb. Source: docs/spec/job-api.md, 10.
 * @returns undefined for the service itself
 */
export function readAddress(url: string, host: string | undefined): RequestAddress | undefined {
  const [, name] = OWN_HOST.exec(host ?? '') ?? []
  if (name !== undefined) return { endpointId: name.toLowerCase(), form: 'host', prefix: '', target: url }
  const [, form, endpointId, rest] = OWN_PATH.exec(url) ?? []
  if ((form !== 'lb' && form !== 'comfy') || endpointId === undefined || rest === undefined) return undefined
  return { endpointId, form, prefix: `/${form}/${endpointId}`, target: rest.startsWith('/') ? rest : `/${rest}` }
}

/** @param own host:port pairs of the service, lower case */
export function isEndpointHost(host: string | undefined, own: ReadonlySet<string>): boolean {
  const [service] = /(?<=^[^.]+\.)(?:localhost|host\.docker\.internal):\d+$/.exec((host ?? '').toLowerCase()) ?? []
  return service !== undefined && own.has(service)
}
