import { beforeEach, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { freezeContainers, killContainers, starveContainers } from './lose-containers.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

test('the job of a killed container is leased again at once, and one result counts', async () => {
  await killContainers(engine, { runs: 3 })
})

test('the late result of a container that was frozen past its lease is refused', async () => {
  await freezeContainers(engine, { runs: 2 })
})

test('a job that needs more memory than its container has fails and says so; the next one finds a new worker', async () => {
  await starveContainers(engine, { runs: 1 })
})
