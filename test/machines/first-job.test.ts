/** The way of a newcomer: two commands lead from this machine to a first job on another one. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { remoteMachine, sshOfUser } from '../support/far-machine.ts'
import { servedService, until } from '../support/served-service.ts'

const made = await remoteMachine()

beforeEach(({ skip }) => skip('why' in made, 'why' in made ? made.why : ''))
afterAll(() => ('why' in made ? undefined : made.stop()))

// The image of the worker is made there, on a machine that does much else; ms.
const LONG_MS = 300_000

test('a machine is added, and runs a first job that says where it ran', { timeout: LONG_MS }, async () => {
  if ('why' in made) throw new Error(made.why)
  const user = sshOfUser([made])
  onTestFinished(user.remove)
  const service = servedService()
  // No engine is on this machine, so that what runs can only run there.
  await service.start({ env: { PATH: user.searchPath, DOCKER_HOST: 'unix:///nowhere/docker.sock' } })
  const added = await service.command('machine', 'add', 'box', '--ssh', made.name)
  expect(added).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(added.stdout).test.steps).toContainEqual(expect.objectContaining({ check: 'SSH', state: 'ok' }))
  const job = await service.command('machine', 'test', 'box', '--job')
  expect(job).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(job.stdout)).toMatchObject({ status: 'COMPLETED', output: { greeting: 'Hello, box' } })
  const { workers } = await service.get('/api/workers')
  expect(workers).toMatchObject([{ endpointId: 'hello-box', machine: 'box' }])
  expect(await service.command('machine', 'remove', 'box', '--yes')).toMatchObject({ exitCode: 0 })
  const left = () => promisify(execFile)('docker', ['-H', made.dockerHost, 'ps', '-aq'])
  await until(async () => expect((await left()).stdout).toBe(''))
})
