import type { DeployedEndpoint } from '../../contract/app.ts'
import { exampleRequest, firstRoute } from '../../domain/app/example-request.ts'
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

/**
 * One request in a form that can be pasted into a shell, with arguments made from the signature: to a route that only
 * reads, where there is one.
 */
function sampleRequest(endpoints: readonly DeployedEndpoint[], key: string): string | undefined {
  const header = `-H "Authorization: Bearer ${key}"`
  const json = `-H 'Content-Type: application/json'`
  const first = firstRoute(endpoints.flatMap(({ routes }) => routes))
  const owner = endpoints.find(({ routes }) => routes.some((route) => route === first))
  if (first !== undefined && owner !== undefined) {
    const { method, path, body = {} } = exampleRequest(first, owner)
    const url = shellQuoted(`${owner.url}${path}`)
    if (method === 'GET') return `curl ${header} ${url}`
    return `curl -X ${method} ${header} ${json} -d ${asBody(body)} ${url}`
  }
  const queue = endpoints.find(({ loadBalanced }) => !loadBalanced)
  if (queue === undefined) return undefined
  const input = queue.examples?.[queue.functions[0] ?? ''] ?? {}
  return `curl ${header} ${json} -d ${asBody({ input })} ${shellQuoted(`${queue.url}/runsync`)}`
}

const asBody = (value: object) => shellQuoted(spaced(value))

// JSON as people write it, with a space behind colons and commas.
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}: ${spaced(each)}`)
    .join(', ')}}`
}
