import { type ClientRequest, type OutgoingHttpHeaders, type RequestOptions, request } from 'node:http'

export type EndpointOfPage = {
  readonly endpointId: string
  readonly service: { readonly url: string; readonly key: string }
}

type Sent = Pick<RequestOptions, 'method' | 'path'> & { readonly headers?: OutgoingHttpHeaders }

export function requestTo({ endpointId, service }: EndpointOfPage, { headers, ...sent }: Sent): ClientRequest {
  const { hostname, port } = new URL(service.url)
  const own = { host: `${endpointId}.localhost:${port}`, authorization: `Bearer ${service.key}` }
  return request({ ...sent, host: hostname, port, headers: { ...headers, ...own } })
}

export function serverHasPage(endpoint: EndpointOfPage): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = requestTo(endpoint, { path: '/' }).on('response', (response) => {
      response.destroy()
      resolve(response.statusCode === 200 && response.headers['content-type']?.startsWith('text/html') === true)
    })
    asked.on('error', () => resolve(false)).end()
  })
}
