import { test } from 'vitest'
import { expectReadmeRuns } from './support-readme.ts'

test('the first blocks of the README lead from a fresh clone to a handler, a worker and a web app that answer', async (context) => {
  await expectReadmeRuns('unix:///nowhere/docker.sock', context, 'first')
})
