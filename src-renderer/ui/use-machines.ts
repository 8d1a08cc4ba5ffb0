import { queryOptions } from '@tanstack/react-query'
import type { AppServices } from '../store/app-context.ts'

// ms. Machines are read again on request, at most every 5 s; a test step shows at once.
const LOOK_EVERY_MS = 2000
const TEST_EVERY_MS = 300

export const machinesQuery = (client: AppServices['client']) =>
  queryOptions({
    queryKey: ['machines'],
    queryFn: ({ signal }) => client.call('machineList', { signal }),
    refetchInterval: ({ state }) =>
      state.data?.machines.some(({ test }) => test.isRunning) ? TEST_EVERY_MS : LOOK_EVERY_MS,
  })
