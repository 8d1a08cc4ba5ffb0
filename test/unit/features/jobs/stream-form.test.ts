import { expect, test } from 'vitest'
import { chooseStreamForm, type StreamReader } from '../../../../src-main/features/jobs/rules/stream.ts'

const CURL: StreamReader = {
  asked: undefined,
  ofEndpoint: undefined,
  ofService: 'array',
  userAgent: 'curl/8.5.0',
  announcesJson: false,
  hasRun: false,
  asksAfterEnd: false,
}
const JSON_BODY = { announcesJson: true }
const RAN = { hasRun: true }
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0 Safari/537.36'

test.each<[string, Partial<StreamReader>, string, string]>([
  ['anybody', {}, 'array', 'specification'],
  ['anybody without a name', { userAgent: '' }, 'array', 'specification'],
  ['who asks for an object', { asked: 'object' }, 'object', 'asked'],
  ['a public client that asks for an array', { asked: 'array', userAgent: 'RunPod-JS-SDK/1' }, 'array', 'asked'],
  ['who asks, whatever the settings say', { asked: 'array', ofEndpoint: 'object' }, 'array', 'asked'],
  ['who reads an endpoint of objects', { ofEndpoint: 'object' }, 'object', 'endpoint'],
  ['a public client on an endpoint of arrays', { ofEndpoint: 'array', userAgent: 'runpod' }, 'array', 'endpoint'],
  ['who reads a service of objects', { ofService: 'object' }, 'object', 'service'],
  ['who reads an endpoint of arrays there', { ofService: 'object', ofEndpoint: 'array' }, 'array', 'endpoint'],
  ['the JavaScript client', { userAgent: 'RunPod-JS-SDK/1.1.2' }, 'object', 'publicClient'],
  ['the Python client', { userAgent: 'python-requests/2.34.2', ...JSON_BODY }, 'object', 'publicLibrary'],
  ['the asyncio client', { userAgent: 'Python/3.11 aiohttp/3.14.5', ...JSON_BODY }, 'object', 'publicLibrary'],
  ['the Go client', { userAgent: 'Go-http-client/1.1', ...JSON_BODY }, 'object', 'publicLibrary'],
  ['fetch of a server', { userAgent: 'node', ...RAN }, 'object', 'runsAndPolls'],
  ['fetch of a browser', { userAgent: BROWSER, ...RAN }, 'object', 'runsAndPolls'],
  ['fetch of Deno', { userAgent: 'Deno/2.4.0', ...RAN }, 'object', 'runsAndPolls'],
  ['fetch of Bun', { userAgent: 'Bun/1.2.0', ...RAN }, 'object', 'runsAndPolls'],
  ['axios', { userAgent: 'axios/1.12.0', ...RAN }, 'object', 'runsAndPolls'],
  ['httpx', { userAgent: 'python-httpx/0.28.1', ...RAN }, 'object', 'runsAndPolls'],
  ['requests', { userAgent: 'python-requests/2.34.2', ...RAN }, 'object', 'runsAndPolls'],
  ['fetch that announces JSON', { userAgent: 'node', ...JSON_BODY }, 'array', 'specification'],
  ['fetch that only looks', { userAgent: 'node' }, 'array', 'specification'],
  ['curl that queued the job', RAN, 'array', 'specification'],
  ['who asks after the end', { asksAfterEnd: true }, 'object', 'asksAfterEnd'],
  ['who asks after the end for an array', { asksAfterEnd: true, asked: 'array' }, 'array', 'asked'],
])('%s gets a stream in the form that it understands', (_who, facts, form, rule) => {
  expect(chooseStreamForm({ ...CURL, ...facts })).toEqual({ form, rule })
})
