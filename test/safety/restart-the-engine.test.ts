import { afterAll, beforeEach, test } from 'vitest'
import { privateEngine } from '../support/docker-engine.ts'
import { restartTheEngine } from './restart-the-engine.ts'

const engine = await privateEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))
afterAll(async () => ('why' in engine ? undefined : engine.stop()))

// Each restart ends and starts all containers; ms.
const LIMIT_MS = 120_000

test(
  'jobs go on after a restart of the Docker engine, in order or not, without losing a try',
  async () => {
    if ('why' in engine) return
    await restartTheEngine(engine, { runs: 2, isAlone: false })
  },
  LIMIT_MS,
)
