import { test } from 'vitest'
import { killTheService, olderNode } from './kill-the-service.ts'

test('a service that is killed while 16 clients submit loses no acknowledged job, at whatever moment it is killed', async () => {
  await killTheService({ runs: 4 })
})

test('a launcher that is killed takes its service along, and no acknowledged job is lost', async ({ skip }) => {
  const node = olderNode()
  if (node === undefined) return skip(true, 'no Node older than 24 is on the PATH')
  await killTheService({ runs: 2, options: { node } })
})
