/** Pods of the management API, as real containers. Source: docs/spec/platform.md, 5. */
import { networkInterfaces } from 'node:os'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const SERVE = 'cd /workspace; echo "$NAME has $(ls)"; touch kept; exec python3 -u -m http.server 8888'

test('a pod answers on loopback alone, keeps its volume, outlives the service, and leaves nothing', async () => {
  const service = await startedContainerService(engine)
  const made = await service.ask('POST', '/v2/pods', {
    name: 'dev',
    image: 'python:3.11-slim-bookworm',
    dockerStartCmd: ['sh', '-c', SERVE],
    ports: ['8888/http'],
    env: { NAME: 'the pod' },
    volumeInGb: 1,
    cloudType: 'SECURE',
  })
  expect(made).toMatchObject({ status: 201, body: { name: 'dev', desiredStatus: 'RUNNING', publicIp: '127.0.0.1' } })
  const { id } = made.body
  const address = `/v2/pods/${id}`
  const read = async () => (await service.ask('GET', address)).body
  const answered = async () => {
    const { status, statusReason, portMappings } = await read()
    expect({ status, statusReason }).toEqual({ status: 'RUNNING', statusReason: null })
    const answer = await fetch(`http://127.0.0.1:${portMappings['8888']}/`)
    expect(await answer.text()).toContain('kept')
    return portMappings['8888'] as number
  }
  await until(answered)
  const port = await answered()

  const others = Object.values(networkInterfaces())
    .flat()
    .flatMap((one) => (one?.family === 'IPv4' && !one.internal ? [one.address] : []))
  for (const host of others) await expect(fetch(`http://${host}:${port}/`)).rejects.toThrow()

  const key = service.read('data', 'account.key').trim()
  const headers = { authorization: `Bearer ${key}` }
  const logs = async (query: string) => (await fetch(`${service.url()}${address}/logs${query}`, { headers })).text()
  expect(await logs('?source=container&wait=false')).toContain('"source":"container","line":"the pod has "')
  const act = (action: string) => service.ask('POST', `${address}/action`, { action })
  expect(await act('stop')).toMatchObject({ status: 200, body: { status: 'EXITED', statusReason: 'it was stopped' } })
  expect(await act('start')).toMatchObject({ status: 200, body: { desiredStatus: 'RUNNING' } })
  await until(answered)
  expect(await logs('?source=container&wait=false')).toContain('the pod has kept')

  const printed = await service.command('pod', 'logs', 'dev', '--tail', '5')
  expect(printed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('the pod has kept') })

  const [container] = await service.containers('svc.pod')
  await service.kill()
  await service.start()
  await answered()
  expect(await service.containers('svc.pod')).toEqual([container])

  const name = await service.docker('inspect', '--format', '{{.Name}}', container as string)
  await service.docker('rm', '--force', container as string)
  const taken = await service.docker('create', '--name', name.trim().slice(1), 'python:3.11-slim-bookworm')
  onTestFinished(async () => void (await service.docker('rm', '--force', taken.trim())))
  expect(await read()).toMatchObject({ status: 'EXITED', statusReason: expect.stringContaining('no container') })
  await act('start')
  await until(answered)

  expect((await fetch(`${service.url()}${address}`, { method: 'DELETE', headers })).status).toBe(204)
  expect(await service.containers('svc.pod')).toEqual([])
  expect(await service.docker('volume', 'ls', '--quiet', '--filter', `name=${id}`)).toBe('')
  expect(await service.docker('inspect', '--format', '{{.Id}}', taken.trim())).toBe(taken)
  expect(await service.ask('GET', '/v2/pods')).toMatchObject({ body: { pods: [] } })
})
