/** A service that cannot reach a machine at its end says so, and removes later all that it left there. */
import { afterAll, beforeEach, expect, test } from 'vitest'
import { linesOf } from '../support/far-faults.ts'
import { type RemoteMachine, remoteMachine } from '../support/far-machine.ts'
import { remoteService } from '../support/far-service.ts'
import { until } from '../support/served-service.ts'

const made = await remoteMachine()

beforeEach(({ skip }) => skip('why' in made, 'why' in made ? made.why : ''))
afterAll(() => ('why' in made ? undefined : made.stop()))

const machine = made as RemoteMachine // else all of it is skipped
// A stop that waits for a machine takes 20 s, a link that is lost 9 s, ms.
const LIMIT_MS = 300_000
const ECHO = `
def handler(job):
    return job["input"]
`

/** A service with one idle worker there, and what lies there. */
async function setup() {
  const service = await remoteService(machine)
  await service.createHandler('echo', ECHO, service.onBox)
  expect(await service.jobEnd('echo', await service.run('echo', { n: 1 }))).toMatchObject({ output: { n: 1 } })
  const [worker = ''] = await service.containers()
  const there = async () => ({
    containers: linesOf(await service.docker('ps', '--all', '--quiet')),
    networks: linesOf(await service.docker('network', 'ls', '--quiet', '--filter', 'name=drydock')),
    folders: linesOf(await machine.run('sh', '-c', 'ls -d ~/.drydock/* 2>/dev/null || true')),
  })
  return { ...service, worker, there }
}

const NOTHING = { containers: [], networks: [], folders: [] }

test(
  'a stop without the link says what stays; the next start that reaches the machine ends it, and Ctrl+C in the terminal leaves nothing there',
  async () => {
    const service = await setup()
    await machine.link('down')
    const { stderr } = await service.stop()
    expect(stderr).toMatch(/Workers on box may still run: .+ The next start removes them when it reaches box/)
    await machine.link('up')
    await service.start()
    await service.reached()
    await until(async () => expect(await service.containers()).not.toContain(service.worker), 60_000)
    expect(await service.jobEnd('echo', await service.run('echo', { n: 2 }))).toMatchObject({ output: { n: 2 } })
    expect(await service.interrupt()).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining('may still run'),
    })
    expect(await service.there()).toEqual(NOTHING)
  },
  LIMIT_MS,
)

test(
  'the removal of a machine leaves nothing there; without the link it says what stays, until it is added again',
  async () => {
    const service = await setup()
    await machine.link('down')
    const { body } = await service.ask('DELETE', '/api/machines/box')
    expect(body).toMatchObject({ left: { machine: 'box', why: expect.any(String) } })
    await machine.link('up')
    expect(await service.containers()).toContain(service.worker)
    await service.post('/api/machines', { name: 'box', way: { kind: 'ssh', to: machine.name } })
    await until(async () => expect(await service.containers()).not.toContain(service.worker), 60_000)
    const { id } = body.left
    await until(async () => expect((await service.there()).folders.join()).not.toContain(id), 60_000)
    await service.ask('DELETE', '/api/endpoints/echo')
    expect((await service.ask('DELETE', '/api/machines/box')).body).toEqual({ ok: true })
    expect(await service.there()).toEqual(NOTHING)
    expect(await service.docker('volume', 'ls', '--quiet')).not.toContain(id)
  },
  LIMIT_MS,
)
