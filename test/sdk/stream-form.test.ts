import { expect, test } from 'vitest'
import { HELLO_HANDLER, startService } from './support-service.ts'

const CHUNKS = [{ output: { count: 1 } }, { output: { count: 2 } }]
const OBJECT = { status: 'COMPLETED', stream: CHUNKS }
const JSON_ANNOUNCED = { 'content-type': 'application/json' }

test.for<[string, string, Readonly<Record<string, string>>, string, unknown]>([
  ['a program of the user', 'GET', { 'user-agent': 'node' }, '', CHUNKS],
  ['a program that announces JSON', 'GET', { 'user-agent': 'node', ...JSON_ANNOUNCED }, '', CHUNKS],
  ['a script with the requests library', 'GET', { 'user-agent': 'python-requests/2.34.2' }, '', CHUNKS],
  ['the JavaScript client', 'GET', { 'user-agent': 'RunPod-JS-SDK/1.1.2 (Unknown Environment)' }, '', OBJECT],
  ['the Python client', 'GET', { 'user-agent': 'python-requests/2.34.2', ...JSON_ANNOUNCED }, '', OBJECT],
  ['the asyncio client', 'GET', { 'user-agent': 'Python/3.11 aiohttp/3.14.5', ...JSON_ANNOUNCED }, '', OBJECT],
  ['the Go client', 'POST', { 'user-agent': 'Go-http-client/1.1', ...JSON_ANNOUNCED }, '', OBJECT],
  ['anyone who asks for it', 'GET', { 'user-agent': 'node' }, '?format=object', OBJECT],
  ['a public client that asks for an array', 'GET', { 'user-agent': 'RunPod-JS-SDK/1.1.2' }, '?format=array', CHUNKS],
])('%s reads a stream in the form that it understands', async ([, method, headers, query, expected], context) => {
  const { url, key, createEndpoint, runSync } = await startService(context)
  await createEndpoint({ id: 'hello', handler: HELLO_HANDLER })
  const { id } = await runSync('hello', { input: { do: 'count', n: 2 } })
  const answer = await fetch(`${url}/v2/hello/stream/${id}${query}`, {
    method,
    headers: { authorization: key, ...headers },
  })
  expect(answer.headers.get('job-status')).toBe('COMPLETED')
  expect(await answer.json()).toEqual(expected)
})
