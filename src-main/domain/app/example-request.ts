/** A first request to an endpoint of an app, with the arguments that were made from its signature. */
import type { DeployedEndpoint } from '../../contract/app.ts'

/** A request to a load-balanced endpoint. `body`: the arguments, where the method carries one. */
export type ExampleRequest = {
  readonly method: string
  /** With the arguments as its query, where the method carries no body. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

/** The route for a first try: one that only reads, where there is one; none whose path has parts to fill in. */
export function firstRoute(routes: readonly string[]): string | undefined {
  const plain = routes.filter((route) => !route.includes('{'))
  return plain.find((route) => route.startsWith('GET ')) ?? plain[0]
}

/** The request to a route, like `POST /notes`. */
export function exampleRequest(route: string, { examples }: Pick<DeployedEndpoint, 'examples'>): ExampleRequest {
  const [method = 'GET', path = '/'] = route.split(' ')
  const example = examples?.[route]
  if (method === 'GET' || method === 'HEAD') return { method, path: `${path}${asQuery(example ?? {})}` }
  return { method, path, ...(example === undefined ? {} : { body: example }) }
}

function asQuery(example: Readonly<Record<string, unknown>>): string {
  const plain = Object.entries(example).filter(([, value]) => typeof value !== 'object')
  const pairs = plain.map(([name, value]) => `${asPart(name)}=${asPart(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const asPart = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
