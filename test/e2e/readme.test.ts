import { test } from 'vitest'
import { expectReadmeRuns } from './support-readme.ts'

// readme.smoke.test.ts runs the first sections.
test('every later block of the README runs in order in a fresh clone, without Docker', async (context) => {
  await expectReadmeRuns('unix:///nowhere/docker.sock', context, 'later')
})
