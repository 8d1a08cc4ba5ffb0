import { test } from 'vitest'
import { expectReadmeRuns } from './support-readme.ts'

test('a newcomer goes by the README from a fresh clone to the answers of a handler, a worker and a web app', async (context) => {
  await expectReadmeRuns('unix:///nowhere/docker.sock', context, 'first')
})
