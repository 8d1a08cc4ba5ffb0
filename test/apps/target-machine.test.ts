/** A deploy to a service that is reached over a network alone, as one on another machine: the way breaks, and it is killed. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { ownNetwork } from '../support/own-network.ts'
import { servedService, until } from '../support/served-service.ts'
import { appProject } from './support.ts'

// It has its network for itself.
const PORT = 8790
// More than the buffers of connections hold.
const LARGE = 30_000_000
const CUT_AFTER = 15_000_000

const ONE_ENDPOINT = `from svc import Endpoint


@Endpoint(name="greet", cpu="cpu3c-1-2", workers=1)
async def greet(name: str = "Ada"):
    return {"greeting": f"Hello, {name}!"}
`

test('an app goes to a service in a network of its own, over a way that breaks, and after it was killed', async ({
  skip,
}) => {
  const network = ownNetwork()
  if ('why' in network) return skip(true, network.why)
  const { address } = network
  const url = `http://${address}:${PORT}`
  const way = await cuttingProxy(url)
  const box = servedService()
  const node = network.node(join(box.folder, 'node-in-network'))
  const env = { DOCKER_HOST: 'unix:///nowhere/docker.sock' }
  const args = ['--listen', address, '--allow-host', `127.0.0.1:${way.port}`]
  const start = () => box.start({ port: PORT, node, env, args })
  await start()

  const app = await appProject()
  for (const file of readdirSync(app.project).filter((name) => name.endsWith('.py'))) app.write(file, '')
  app.write('cpu_worker.py', ONE_ENDPOINT)
  const keyFile = join(box.data, 'account.key')
  const key = readFileSync(keyFile, 'utf8').trim()
  const authorization = `Bearer ${key}`
  const ask = async (path: string, body?: object) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(
      url + path,
      body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) },
    )
    return JSON.parse(await answer.text())
  }
  const greeting = async () => (await ask('/v2/greet/runsync?wait=60000', { input: { name: 'Ada' } })).output
  // The service of the app is on loopback, and its target is not: each is reached by its own address alone.
  for (const [name, at] of [
    ['box', url],
    ['lossy', `http://127.0.0.1:${way.port}`],
  ] as const)
    expect(await app.run('target', 'add', name, '--url', at, '--key-file', keyFile)).toMatchObject({ exitCode: 0 })

  const first = await app.run('deploy', '--target', 'box')
  expect(first).toMatchObject({ exitCode: 0, stderr: 'install ...\n' })
  expect(first.stdout).toContain(`${url}/v2/greet`)
  expect(await greeting()).toEqual({ greeting: 'Hello, Ada!' })

  writeFileSync(join(app.project, 'large.bin'), randomBytes(LARGE))
  app.edit('cpu_worker.py', 'Hello', 'Bye')
  way.cutAfter(CUT_AFTER)
  const second = await app.run('deploy', '--target', 'lossy')
  expect(second).toMatchObject({ exitCode: 0 })
  expect(way.cuts()).toBe(1)
  expect(second.stderr).toMatch(/The upload was interrupted \(.+\) and resumes after \d/)
  expect(await greeting()).toEqual({ greeting: 'Bye, Ada!' })

  const artifacts = () => readdirSync(join(box.data, 'artifacts'))
  app.edit('cpu_worker.py', 'Bye', 'Good day')
  writeFileSync(join(app.project, 'large.bin'), randomBytes(LARGE))
  way.cutAfter(CUT_AFTER)
  const killed = app.start('deploy', '--target', 'lossy')
  await until(() => expect(way.cuts()).toBe(2), 120_000)
  await box.kill()
  const failed = await killed.ended
  expect(failed.exitCode).toBe(1)
  expect(failed.stderr).toMatch(/does not answer: .+ Nothing was activated there\./)
  await start()
  expect(artifacts().filter((name) => !/^[0-9a-f]{64}\.tar\.gz$/.test(name))).toEqual([])
  expect(await greeting()).toEqual({ greeting: 'Bye, Ada!' })
  expect(
    (await ask('/api/apps/demo/environments/production')).releases.map(({ state }: { state: string }) => state),
  ).not.toContain('preparing')
  expect(await app.run('deploy', '--target', 'lossy')).toMatchObject({ exitCode: 0 })
  expect(await greeting()).toEqual({ greeting: 'Good day, Ada!' })
  expect(await app.run('rollback', '--target', 'lossy')).toMatchObject({ exitCode: 0 })
  expect(await greeting()).toEqual({ greeting: 'Bye, Ada!' })

  expect(await app.run('undeploy', '--target', 'box')).toMatchObject({
    exitCode: 5,
    stdout: expect.stringMatching(/- greet +delete/),
  })
  expect(await greeting()).toEqual({ greeting: 'Bye, Ada!' })
  const gone = await app.run('undeploy', '--target', 'box', '--yes')
  expect(gone).toMatchObject({ exitCode: 0, stderr: '' })
  expect(gone.stdout).toContain('deleted greet, demo/production on target box\nNothing of demo is left there.\n')
  expect(await ask('/api/apps')).toEqual({ apps: [] })
  expect(await ask('/api/endpoints')).toEqual({ endpoints: [] })
  const again = await app.run('undeploy', '--target', 'box', '--yes')
  expect(again).toMatchObject({ exitCode: 0, stdout: 'demo/production on target box is not there.\n' })
  // Its builds are gone with it.
  expect((await app.run('rollback', '--target', 'box')).stderr).toContain('no earlier deploy')
})
