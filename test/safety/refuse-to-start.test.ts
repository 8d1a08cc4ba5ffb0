import { test } from 'vitest'
import { startOnTakenPorts, startSecondServices } from './refuse-to-start.ts'

test('a second service on a data folder is refused, names the first and does not disturb it', async () => {
  await startSecondServices({ runs: 3 })
})

test('a taken port is refused when asked for and passed over by default, and the CLI finds the service', async () => {
  await startOnTakenPorts({ runs: 2 })
})
