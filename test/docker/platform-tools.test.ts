/**
 * The platform's own tools, unmodified, with workers in containers. test/sdk/platform-tools.test.ts tests them with
 * processes, test/docker/own-build.test.ts tests apis in containers.
 */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { PREPARE_LIMIT_MS, prepareLightWheels, preparePublicApps } from '../sdk/support-python.ts'
import { DEPLOY_LIMIT_MS, SHIPYARD, SHIPYARD_ANSWERS, SHIPYARD_CALLS, startTools } from '../sdk/support-tools.ts'
import { dockerEngine } from '../support/docker-engine.ts'

const engine = await dockerEngine()

let tools: Awaited<ReturnType<typeof preparePublicApps>>
let wheels: Awaited<ReturnType<typeof prepareLightWheels>>
beforeAll(async () => {
  tools = await preparePublicApps()
  wheels = await prepareLightWheels(tools)
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => {
  skip('why' in engine, 'why' in engine ? engine.why : '')
  skip(!wheels.ready, wheels.reason)
  // The engine of the tests has no other image of Python.
  skip(!tools.folder.includes('python3.11'), 'the tools are of another Python than the image')
})

const DEV = `${SHIPYARD}

@runpod.local_entrypoint
def main():
    print("answer", add.remote(20, b=1))
`

const setup = () => startTools(tools, wheels.folder, 'dockerHost' in engine ? engine.dockerHost : undefined)

test(
  'an app is developed, deployed, called in every way and taken away, in containers',
  async () => {
    const { rp, script, write, ask } = await setup()
    write('main.py', DEV)
    expect(await rp('flash', 'dev', 'main.py', '--once')).toContain("answer {'sum': 21, 'version': 1}")
    expect(await rp('flash', 'deploy')).toContain('is live')
    const { workers } = (await ask('GET', '/api/workers?endpoint=adder')) as { workers: { container?: string }[] }
    expect(workers.map(({ container }) => container)).toEqual([expect.any(String)])
    expect((await script(SHIPYARD_CALLS)).trim().split('\n')).toEqual(SHIPYARD_ANSWERS)
    await rp('flash', 'undeploy', '--app', 'shipyard', '--yes')
  },
  2 * DEPLOY_LIMIT_MS,
)
