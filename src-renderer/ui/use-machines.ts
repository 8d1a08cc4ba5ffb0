import { queryOptions } from '@tanstack/react-query'
import { read } from '../browser/read.ts'
import type { AppServices } from '../store/app-context.ts'

// ms. Machines are read again on request, at most every 5 s; a test step shows at once.
const LOOK_EVERY_MS = 2000
const TEST_EVERY_MS = 300

export const machinesQuery = (client: AppServices['client']) =>
  queryOptions({
    ...read(client, ['machines'], 'machineList'),
    refetchInterval: ({ state }) =>
      state.data?.machines.some(({ test }) => test.isRunning) ? TEST_EVERY_MS : LOOK_EVERY_MS,
  })
