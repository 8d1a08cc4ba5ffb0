import { expect, it } from 'vitest'
import { setup as setupService } from '../support/core.ts'
import { openProxy, openWorker, readyWorker } from '../support/proxied.ts'
import { until } from '../support/served-service.ts'
import { traceReceiver } from '../support/trace-receiver.ts'

const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

/** A load-balanced endpoint whose worker answers with the headers of a trace that it got. */
async function setup(tracesTo?: string) {
  const service = await setupService(tracesTo === undefined ? {} : { settings: { tracesTo } })
  const port = await openWorker(({ headers: { traceparent, tracestate } }, response) =>
    response.writeHead(200).end(JSON.stringify({ traceparent, tracestate })),
  )
  await service.createEndpoint('web', { loadBalanced: { port } })
  const { send } = await openProxy(service)
  await readyWorker(service)
  return { ...service, send }
}

const headers = { traceparent: `00-${CALLER.trace}-${CALLER.span}-01`, tracestate: 'vendor=one' }

it('a request continues with the trace of its client, as a span of its own', async () => {
  const receiver = await traceReceiver()
  const { send } = await setup(receiver.url)
  const seen = (await send('/lb/web/x', { headers })).json()
  await until(() => expect(receiver.spans().length).toBe(2))
  const [request, queued] = receiver.spans()
  expect(request).toMatchObject({ name: 'request web', traceId: CALLER.trace, parentSpanId: CALLER.span })
  expect(request?.attributes).toMatchObject({ 'http.request.method': 'GET', 'http.response.status_code': 200 })
  expect(queued).toMatchObject({ name: 'queued', traceId: CALLER.trace, parentSpanId: request?.spanId })
  expect(seen).toEqual({ traceparent: `00-${CALLER.trace}-${request?.spanId}-01`, tracestate: 'vendor=one' })
})

it('without tracing the headers of the client pass as they are', async () => {
  const { send } = await setup()
  expect((await send('/lb/web/x', { headers })).json()).toEqual(headers)
})
