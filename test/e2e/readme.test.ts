import { test } from 'vitest'
import { expectPagesRun } from './support-readme.ts'

// readme.smoke.test.ts runs the first pages.
test('every later block of the README and the guide runs in order in a fresh clone, without Docker', async (context) => {
  await expectPagesRun('unix:///nowhere/docker.sock', context, 'later')
})
