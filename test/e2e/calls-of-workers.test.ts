import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type ServedService, startedService, until } from '../support/served-service.ts'
import { startCommand } from './support-cli.ts'

const PYTHON_PACKAGES = fileURLToPath(new URL('../../resources/python', import.meta.url))

/** Asks a listener as a worker would. */
async function ask(url: string, path: string, key: string, body?: object) {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}

// In two parts, as an upload that was cut off and goes on.
async function upload(service: ServedService, bytes: Buffer<ArrayBuffer>): Promise<string> {
  const artifact = createHash('sha256').update(bytes).digest('hex')
  const half = Math.floor(bytes.length / 2)
  const send = async (offset: number, part: Buffer<ArrayBuffer>) => {
    const answer = await fetch(`${service.url()}/api/artifacts/${artifact}?offset=${offset}&total=${bytes.length}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${accountKey(service)}`, 'content-type': 'application/octet-stream' },
      body: part,
    })
    return answer.json()
  }
  expect(await send(0, bytes.subarray(0, half))).toMatchObject({ state: 'partial', received: half })
  expect(await send(half, bytes.subarray(half))).toMatchObject({ state: 'complete' })
  return artifact
}

const accountKey = (service: ServedService) => readFileSync(join(service.data, 'account.key'), 'utf8').trim()

test('the listener for workers serves calls to endpoints and the state manager, with a key, and nothing else', async () => {
  const service = await startedService()
  const { workerUrl } = service.serviceFile()
  const key = accountKey(service)
  const query = { query: '{ apps { name } }' }
  expect(await ask(workerUrl, '/graphql', key, query)).toEqual({ status: 200, body: { data: { apps: [] } } })
  expect(await ask(workerUrl, '/graphql', 'wrong', query)).toMatchObject({ status: 401 })
  expect(await ask(workerUrl, '/v2/nope/run', key, { input: {} })).toMatchObject({ status: 404, body: { status: 404 } })
  for (const path of ['/graphql/x', '/api/endpoints', '/events', '/openapi.json', '/'])
    expect(await ask(workerUrl, path, key)).toEqual({ status: 404, body: undefined })
})

const APP = `
from svc import Endpoint

@Endpoint(name="greeter", cpu="cpu3c-1-2")
async def greet(name: str) -> str:
    return f"Hello, {name}!"

@Endpoint(name="welcomer", cpu="cpu3c-1-2")
async def welcome(names: list) -> list:
    return [await greet(name=name) for name in names]
`

test('a function calls one of another endpoint, and a script both: found by the state manager, with a token', async () => {
  const service = await startedService({ env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } })
  const project = join(service.folder, 'demo')
  mkdirSync(project)
  writeFileSync(join(project, 'app.py'), APP)
  expect(await startCommand(['build'], { cwd: project }).ended).toMatchObject({ exitCode: 0 })
  const artifact = await upload(service, readFileSync(join(project, '.svc', 'artifact.tar.gz')))
  const releases = '/api/apps/demo/environments/production/releases'
  await service.post(releases, { source: { artifact }, runsOn: 'processes' })
  const { release } = await until(async () => {
    const progress = await service.get(`${releases}/1`)
    expect(progress.release.state).not.toBe('preparing')
    return progress
  })
  expect(release).toMatchObject({ state: 'active' })
  const script =
    'import asyncio, json; from app import welcome; print(json.dumps(asyncio.run(welcome(names=["Ada", "Bo"]))))'
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: PYTHON_PACKAGES,
    SVC_BASE_URL: service.url(),
    SVC_API_KEY: accountKey(service),
    SVC_APP: 'demo',
    SVC_ENV: 'production',
  }
  const { stdout } = await promisify(execFile)('python3', ['-c', script], { cwd: project, env })
  expect(JSON.parse(stdout)).toEqual(['Hello, Ada!', 'Hello, Bo!'])
})
