import { test } from 'vitest'
import { expectPagesRun } from '../e2e/support-readme.ts'
import { dockerEngine } from '../support/docker-engine.ts'

const engine = await dockerEngine()

test('every block of the README and the guide runs in order in a fresh clone, with Docker', async (context) => {
  if ('why' in engine) return context.skip(engine.why)
  await expectPagesRun(engine.dockerHost, context)
})
