import { test } from 'vitest'
import { expectPagesRun } from '../e2e/support-readme.ts'
import { dockerEngine } from '../support/docker-engine.ts'

const engine = await dockerEngine()

// e2e/readme.test.ts runs the other blocks, and these ones without Docker.
test('the blocks about images, previews and deploys run in order in a fresh clone, with Docker', async (context) => {
  if ('why' in engine) return context.skip(engine.why)
  await expectPagesRun(engine.dockerHost, context, 'containers')
})
