import type { DeployedEndpoint } from '../../contract/app.ts'
import { plainId } from '../../domain/endpoint-id.ts'
import type { Output } from '../output.ts'

/** Prints endpoints, load-balanced ones with their routes first, and one request that can be pasted. */
export function showDeployed(
  output: Output,
  endpoints: readonly DeployedEndpoint[],
  /** A piece of shell that gives the key, see `keyFromFile`; the key itself is never printed. */
  key: string,
): void {
  const width = Math.max(0, ...endpoints.map(({ resource }) => resource.length))
  const show = (title: string, shown: readonly DeployedEndpoint[]) => {
    if (shown.length === 0) return
    output.line(output.paint('bold', title))
    for (const { resource, url, hostUrl, routes } of shown) {
      output.line(`  ${resource.padEnd(width)}  ${url}`)
      const more = [hostUrl === undefined ? '' : `or ${hostUrl}`, routes.join(', ')].filter((text) => text !== '')
      for (const text of more) output.line(`  ${' '.repeat(width)}  ${output.paint('gray', text)}`)
    }
  }
  show(
    'load-balanced',
    endpoints.filter(({ loadBalanced }) => loadBalanced),
  )
  show(
    'queue-based',
    endpoints.filter(({ loadBalanced }) => !loadBalanced),
  )
  // Said once: in a second environment it is so of each.
  const renamed = endpoints.find(({ id, resource }) => id.startsWith(`${plainId(resource)}-`))
  if (renamed !== undefined) {
    const text = `${renamed.id} has an ending because another endpoint had the id ${plainId(renamed.resource)} already.`
    output.line(`\n${output.paint('gray', text)}`)
  }
  const request = sampleRequest(endpoints, key)
  if (request !== undefined) output.line(`\nTry:\n  ${request}`)
}

/** A piece of shell that reads a key from its file. */
export function keyFromFile(path: string): string {
  return `$(cat ${shellQuoted(path)})`
}

/** A text as one word of a shell. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** One request in a form that can be pasted into a shell: to a route that needs no arguments, where there is one. */
function sampleRequest(endpoints: readonly DeployedEndpoint[], key: string): string | undefined {
  const routes = endpoints.flatMap((endpoint) =>
    endpoint.routes.map((route) => {
      const [method = 'GET', path = '/'] = route.split(' ')
      return { method, path, url: `${endpoint.url}${path}` }
    }),
  )
  const plain = routes.filter(({ path }) => !path.includes('{'))
  const route = plain.find(({ method }) => method === 'GET') ?? plain[0]
  const header = `-H "Authorization: Bearer ${key}"`
  const json = `-H 'Content-Type: application/json'`
  if (route?.method === 'GET') return `curl ${header} ${shellQuoted(route.url)}`
  if (route !== undefined) return `curl -X ${route.method} ${header} ${json} -d '{}' ${shellQuoted(route.url)}`
  const queue = endpoints.find(({ loadBalanced }) => !loadBalanced)
  return queue && `curl ${header} ${json} -d '{"input": {}}' ${shellQuoted(`${queue.url}/runsync`)}`
}
