import { test } from 'vitest'
import { expectReadmeRuns } from './support-readme.ts'

// Its first sections are in readme.smoke.test.ts.
test('every later block of the README runs in order in a fresh clone, without Docker', async (context) => {
  await expectReadmeRuns('unix:///nowhere/docker.sock', context, 'later')
})
