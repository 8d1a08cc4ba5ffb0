import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { servedService, until } from '../support/served-service.ts'
import { type ReceivedSpan, traceReceiver } from '../support/trace-receiver.ts'

const ECHO = 'def handler(job):\n    return {key: job.get(key) for key in ("traceparent", "tracestate")}\n'
const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

async function setup({ args = [] as readonly string[], env = {} as Readonly<Record<string, string>> } = {}) {
  const receiver = await traceReceiver()
  const service = servedService()
  await service.start({
    args: args.map((arg) => arg.replace('RECEIVER', receiver.url)),
    env,
  })
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const key = service.read('data', 'account.key').trim()
    const sent = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers }
    const init = { method: 'POST', headers: sent, body: JSON.stringify(body) }
    return (await (await fetch(`${service.url()}${path}`, init)).json()) as { readonly id: string }
  }
  const figure = async (name: string) => {
    const key = service.read('data', 'account.key').trim()
    const page = await (await fetch(`${service.url()}/metrics`, { headers: { authorization: `Bearer ${key}` } })).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1])
  }
  return { ...service, receiver, post, figure }
}

const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name)

it('whole traces of 1,000 jobs arrive, each with its wait and its run', async () => {
  const { createHandler, receiver, run, get, figure } = await setup({ args: ['--traces-to', 'RECEIVER'] })
  await createHandler('echo', ECHO, { concurrency: 50, workersMax: 2 })
  const ids = await Promise.all(Array.from({ length: 1000 }, () => run('echo', {})))
  await until(async () => expect((await get('/v2/echo/health')).jobs.completed).toBe(1000))
  await until(() => expect(named(receiver.spans(), 'job echo').length).toBe(1000))
  await until(async () => expect(await figure('drydock_trace_spans_exported_total')).toBe(receiver.spans().length))
  const byTrace = Map.groupBy(receiver.spans(), ({ traceId }) => traceId)
  expect(byTrace.size).toBe(1000)
  for (const id of ids) {
    const spans = byTrace.get(id.slice(0, 36).replaceAll('-', '')) ?? []
    const [root] = named(spans, 'job echo')
    const [queued] = named(spans, 'queued')
    const [ran] = named(spans, 'run')
    if (root === undefined || queued === undefined || ran === undefined)
      throw new Error(`the trace of ${id} is not whole`)
    expect(root.attributes).toMatchObject({ 'drydock.job.id': id, 'drydock.job.status': 'COMPLETED' })
    expect([queued.parentSpanId, ran.parentSpanId]).toEqual([root.spanId, root.spanId])
    expect(root.from <= queued.from && queued.to <= ran.from && ran.from <= ran.to && ran.to <= root.to).toBe(true)
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  }
  // The first jobs waited for the worker to start.
  expect(named(receiver.spans(), 'cold start').length).toBeGreaterThan(0)
  expect(receiver.resource()).toMatchObject({ 'service.name': 'drydock' })
  expect(await figure('drydock_trace_spans_dropped_total')).toBe(0)
})

it("the trace of a caller goes on in the job, at its worker and in the webhook's span", async () => {
  const { createHandler, receiver, post, jobEnd } = await setup({ args: ['--traces-to', 'RECEIVER'] })
  const target = createServer((_incoming, response) => response.end())
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void target.close())
  await createHandler('echo', ECHO)
  const webhook = `http://127.0.0.1:${(target.address() as AddressInfo).port}/done`
  const headers = { traceparent: `00-${CALLER.trace}-${CALLER.span}-01`, tracestate: 'vendor=one' }
  const { id } = await post('/v2/echo/run', { input: {}, webhook }, headers)
  const { output } = await jobEnd('echo', id)
  await until(() => expect(receiver.spans().map(({ name }) => name)).toContain('webhook'))
  const spans = receiver.spans()
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([CALLER.trace]))
  const [root] = named(spans, 'job echo')
  expect(root).toMatchObject({ parentSpanId: CALLER.span, state: 'vendor=one' })
  const [ran] = named(spans, 'run')
  expect(output).toEqual({ traceparent: `00-${CALLER.trace}-${ran?.spanId}-01`, tracestate: 'vendor=one' })
  // Webhooks do not reach this machine unless allowed, which the span says.
  expect(named(spans, 'webhook')[0]).toMatchObject({ parentSpanId: root?.spanId, status: 2 })
})

it('a caller that does not record is continued and not exported', async () => {
  const { createHandler, receiver, post, jobEnd, run } = await setup({ args: ['--traces-to', 'RECEIVER'] })
  await createHandler('echo', ECHO)
  const { id } = await post('/v2/echo/run', { input: {} }, { traceparent: `00-${CALLER.trace}-${CALLER.span}-00` })
  expect((await jobEnd('echo', id)).output.traceparent).toMatch(new RegExp(`^00-${CALLER.trace}-[0-9a-f]{16}-00$`))
  await jobEnd('echo', await run('echo', {}))
  await until(() => expect(named(receiver.spans(), 'job echo').length).toBe(1))
  expect(receiver.spans().filter(({ traceId }) => traceId === CALLER.trace)).toEqual([])
})

it('nothing is exported nor told to workers until an address is set, by the setting too', async () => {
  const { createHandler, receiver, post, jobEnd, command } = await setup()
  await createHandler('echo', ECHO)
  const headers = { traceparent: `00-${CALLER.trace}-${CALLER.span}-01` }
  const before = await post('/v2/echo/run', { input: {} }, headers)
  expect((await jobEnd('echo', before.id)).output).toEqual({ traceparent: null, tracestate: null })
  expect((await command('settings', 'set', 'tracesTo', 'ftp://x')).exitCode).not.toBe(0)
  expect(await command('settings', 'set', 'tracesTo', receiver.url)).toMatchObject({ exitCode: 0 })
  const after = await post('/v2/echo/run', { input: {} }, headers)
  expect((await jobEnd('echo', after.id)).output.traceparent).toContain(CALLER.trace)
  await until(() => expect(named(receiver.spans(), 'job echo').length).toBe(1))
  expect(receiver.requests()).toBe(1)
})

it('a collector that hangs, then refuses, loses spans alone, and the service says so', async () => {
  const { createHandler, receiver, run, get, figure, stop, read } = await setup({
    args: ['--traces-to', 'RECEIVER'],
    env: { OTEL_EXPORTER_OTLP_TIMEOUT: '1000' },
  })
  receiver.answer('never')
  await createHandler('echo', ECHO, { concurrency: 50 })
  for (let batch = 1; batch <= 3; batch++) {
    await Promise.all(Array.from({ length: 200 }, () => run('echo', {})))
    await until(async () => expect((await get('/v2/echo/health')).jobs.completed).toBe(200 * batch))
    receiver.answer('refused')
  }
  await until(async () => expect(await figure('drydock_trace_spans_dropped_total')).toBeGreaterThan(0))
  expect((await get('/v2/echo/health')).jobs).toMatchObject({ completed: 600, failed: 0 })
  receiver.answer('well')
  await run('echo', {})
  await until(() => expect(named(receiver.spans(), 'job echo').length).toBeGreaterThan(0))
  receiver.answer('never')
  await run('echo', {})
  const { exitCode } = await stop()
  expect(exitCode).toBe(0)
  expect(read('data', 'drydock.log')).toContain('spans of traces are dropped')
})
