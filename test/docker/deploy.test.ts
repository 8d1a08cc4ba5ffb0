/** Apps whose endpoints are containers: deployed, changed under load, and called from each other. */
import { beforeEach, expect, test } from 'vitest'
import { appProject } from '../apps/support.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

async function setup() {
  const service = await startedContainerService(engine)
  return { ...(await appProject(service)), containers: service.containers }
}

test('every endpoint of an app answers from a container that carries its label, also where one calls another', async () => {
  const { service, deploy, runsync, containers } = await setup()
  const { release, endpoints } = await deploy()
  expect(release).toMatchObject({ state: 'active', runsOn: 'containers' })
  expect(endpoints).toHaveLength(5)
  expect(await runsync('welcome', { names: ['Ada'] })).toEqual({ welcome: ['Hello, Ada!'] })
  expect(await service.post('/lb/api/shout', { text: 'hi' })).toEqual({ text: 'HI!' })
  expect(await runsync('text-stats', { method: 'count', text: 'a bc' })).toEqual({ words: 2, letters: 3 })
  const jobId = await service.run('countdown', { start: 1 })
  await service.jobEnd('countdown', jobId)
  const { chunks } = await service.get(`/api/jobs/${jobId}/chunks`)
  expect(chunks.map(({ output }: { output: unknown }) => output)).toEqual([{ number: 1 }, { number: 0 }])
  expect((await containers('svc.app=demo/production')).length).toBeGreaterThanOrEqual(5)
})

test('a change of code rolls out under load without one failed request', async () => {
  const { service, deploy, edit, keepOnly } = await setup()
  keepOnly('cpu_worker.py', 'lb_worker.py')
  await deploy()
  const failed: unknown[] = []
  const seen = new Set<string>()
  let going = true
  const asking = async (path: string, body: object) => {
    while (going) {
      const answer = await service.ask('POST', path, body)
      if (answer.status !== 200 || answer.body.status === 'FAILED') failed.push(answer)
      seen.add(JSON.stringify(answer.body.output ?? answer.body))
    }
  }
  const clients = [1, 2].flatMap(() => [
    asking('/v2/greet/runsync', { input: { name: 'Ada' } }),
    asking('/lb/api/shout', { text: 'hi' }),
  ])
  const answers = () => [...seen].sort()
  const before = ['{"greeting":"Hello, Ada!"}', '{"text":"HI!"}']
  await expect.poll(answers).toEqual(before)
  edit('cpu_worker.py', 'Hello', 'Good day')
  edit('lb_worker.py', 'text.upper()', 'text.title()')
  await deploy()
  await expect.poll(answers).toEqual([...before, '{"greeting":"Good day, Ada!"}', '{"text":"Hi!"}'].sort())
  going = false
  await Promise.all(clients)
  expect(failed).toEqual([])
})

test('a release whose code does not start leaves the containers of the old one as they are', async () => {
  const { run, deploy, edit, runsync, keepOnly } = await setup()
  keepOnly('cpu_worker.py')
  await deploy()
  edit('cpu_worker.py', 'from svc import Endpoint', 'import not_there_at_all\nfrom svc import Endpoint')
  const { exitCode, stderr } = await run('deploy')
  expect(exitCode).toBe(1)
  expect(stderr).toContain("greet: ModuleNotFoundError: No module named 'not_there_at_all'")
  expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
})
