/** The machines in the pages: other computers whose engines run workers. */
import { queryOptions } from '@tanstack/react-query'
import type { AppServices } from '../store/app-context.ts'

// What a machine has is read again where somebody asks, at most every 5 s; a step of a test is seen at once.
const LOOK_EVERY_MS = 2000
const TEST_EVERY_MS = 300

/** The machines with what they have and what runs there. */
export const machinesQuery = (client: AppServices['client']) =>
  queryOptions({
    queryKey: ['machines'],
    queryFn: ({ signal }) => client.call('machineList', { signal }),
    refetchInterval: ({ state }) =>
      state.data?.machines.some(({ test }) => test.isRunning) ? TEST_EVERY_MS : LOOK_EVERY_MS,
  })
