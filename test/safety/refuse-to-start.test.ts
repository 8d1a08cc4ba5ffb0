import { test } from 'vitest'
import { startOnTakenPorts, startSecondServices, startWithoutLock } from './refuse-to-start.ts'

test('a second service on a data folder is refused, names the first and does not disturb it', async () => {
  await startSecondServices({ runs: 3 })
})

test('a second service is refused, too, where somebody deleted the lock file, and nothing is lost', async () => {
  await startWithoutLock({ runs: 2 })
})

test('a taken port is refused when asked for and passed over by default, and the CLI finds the service', async () => {
  await startOnTakenPorts({ runs: 2 })
})
