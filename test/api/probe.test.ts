import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ProbeAnswer } from '../../src-main/contract/targets.ts'
import { compareAnswers, PROBE_CALLS } from '../../src-main/features/targets/rules/probe.ts'
import { setup } from '../support/core.ts'

type Answer = { readonly status: number; readonly type: string; readonly body: Readonly<Record<string, unknown>> }
type Deviation = (answer: Answer) => Answer | undefined

const firstField = (body: Answer['body']) => Object.entries(body).find(([, value]) => value !== null)

/** Each changes an answer in one way; undefined: this answer has nothing to change. */
const DEVIATIONS: readonly Deviation[] = [
  (answer) => ({ ...answer, status: 418 }),
  ({ body, ...answer }) =>
    typeof body.code === 'string' ? { ...answer, body: { ...body, code: 'PLANTED' } } : undefined,
  ({ body, ...answer }) => {
    const [removed] = firstField(body) ?? []
    return { ...answer, body: Object.fromEntries(Object.entries(body).filter(([name]) => name !== removed)) }
  },
  (answer) => ({ ...answer, type: 'text/html' }),
  ({ body, ...answer }) => {
    const [name = '', value] = firstField(body) ?? []
    return { ...answer, body: { ...body, [name]: typeof value === 'boolean' ? 'yes' : true } }
  },
  ({ body, ...answer }) => ({ ...answer, body: { ...body, planted: 1 } }),
]

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

/** A proxy in front of a service that changes the answers to the calls of a probe, counted in their order. */
async function deviatingProxy(to: string) {
  let planted: ReadonlyMap<number, Deviation> = new Map()
  let seen = -1
  const server = createServer(async (request, response) => {
    const { method = 'GET', url, headers } = request
    const text = await textOf(request)
    const passed = Object.fromEntries(
      ['authorization', 'content-type'].flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])),
    )
    const answered = await fetch(to + url, { method, headers: passed, ...(method === 'GET' ? {} : { body: text }) })
    const plain: Answer = {
      status: answered.status,
      type: answered.headers.get('content-type') ?? '',
      body: (await answered.json()) as Answer['body'],
    }
    const { status, type, body } = planted.get(seen)?.(plain) ?? plain
    seen += 1
    response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plant(deviations: ReadonlyMap<number, Deviation>) {
      planted = deviations
      seen = 0
    },
  }
}

test('a probe finds each of 100 planted deviations and no others, and never shows the key', async () => {
  const [here, there] = [await setup(), await setup()]
  const proxy = await deviatingProxy(await there.listen('users'))
  await here.post('/api/targets', { name: 'plain', url: await here.listen('users'), key: here.accountKey() })
  await here.post('/api/targets', { name: 'other', url: proxy.url, key: there.accountKey() })
  const probe = async (target: string): Promise<readonly ProbeAnswer[]> =>
    (await here.post(`/api/targets/${target}/probe`, {})).answers
  const plain = await probe('plain')

  async function differing(deviations: ReadonlyMap<number, Deviation>): Promise<readonly number[]> {
    proxy.plant(deviations)
    const answers = await probe('other')
    expect(JSON.stringify(answers)).not.toContain(there.accountKey())
    return PROBE_CALLS.flatMap((call, at) => {
      const [mine, theirs] = [plain[at], answers[at]]
      if (mine === undefined || theirs === undefined) throw new Error(`${call.path} has no answer`)
      return compareAnswers(call, mine, theirs).result === 'same' ? [] : [at]
    })
  }

  expect(PROBE_CALLS).toHaveLength(50)
  expect(await differing(new Map())).toEqual([])
  let count = 0
  for (const round of [0, 1, 2, 3]) {
    const deviations = new Map<number, Deviation>()
    for (let at = round % 2; at < PROBE_CALLS.length; at += 2) {
      const first = DEVIATIONS[(at + 3 * (round >> 1)) % DEVIATIONS.length] as Deviation
      deviations.set(at, (answer) => first(answer) ?? { ...answer, status: 418 })
    }
    count += deviations.size
    expect(await differing(deviations)).toEqual([...deviations.keys()])
  }
  expect(count).toBe(100)
})
