import { test } from 'vitest'
import { expectPagesRun } from './support-readme.ts'

test('the first blocks of the README and the guide lead from a fresh clone to a handler, a worker and a web app that answer', async (context) => {
  await expectPagesRun('unix:///nowhere/docker.sock', context, 'first')
})
