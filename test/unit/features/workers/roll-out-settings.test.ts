import { expect, it } from 'vitest'
import { createSettingsRollout } from '../../../../src-main/features/workers/roll-out-settings.ts'

type Deps = Parameters<typeof createSettingsRollout>[0]

it('replaces the workers of both pools, each by a new one of its own pool', async () => {
  const moved: string[] = []
  const staged: string[] = []
  const workers = ['main', 'batch'].map((pool) => ({
    id: pool,
    pool,
    state: 'running',
    phase: 'running',
    duty: 'serving',
  }))
  const rollout = createSettingsRollout({
    storage: {
      endpoints: { get: () => ({ id: 'e', revision: 2, paused: false, config: { workersMin: 0, workersMax: 3 } }) },
    },
    fleet: { capacity: () => ({ free: 2 }) },
    registry: {
      all: () => [],
      ofEndpoint: () => workers,
      move: (worker: { id: string }, event: string) => moved.push(`${worker.id} ${event}`),
    },
    status: { throttled: () => [], of: () => undefined },
    supervisor: {
      check: () => undefined,
      stage: async (_endpoint: object, { pool }: { pool: string }) => {
        staged.push(pool)
        return { promote: () => moved.push(`${pool} promote`) }
      },
    },
    log: {},
  } as unknown as Deps)
  rollout.begin('e')
  expect(moved).toEqual(['main standIn', 'batch standIn'])
  await rollout.stop()
  expect(staged).toEqual(['main', 'batch'])
  expect(moved.slice(2)).toEqual(['main promote', 'batch promote'])
})
