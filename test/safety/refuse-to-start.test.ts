import { test } from 'vitest'
import {
  startAfterDeletedDatabase,
  startAfterInterruptedStarts,
  startOnTakenPorts,
  startSecondServices,
  startWithoutLock,
} from './refuse-to-start.ts'

test('a second service on a data folder is refused, names the first and does not disturb it', async () => {
  await startSecondServices({ runs: 3 })
})

test('services that are interrupted as soon as they locked their folder leave nothing there', async () => {
  await startAfterInterruptedStarts({ runs: 3 })
})

test('a database that is deleted under a running service is written again, and no job is lost', async () => {
  await startAfterDeletedDatabase()
})

test('a second service is refused, too, where somebody deleted the lock file, and nothing is lost', async () => {
  await startWithoutLock({ runs: 2 })
})

test('a taken port is refused when asked for and passed over by default, and the CLI finds the service', async () => {
  await startOnTakenPorts({ runs: 2 })
})
