import { expect, it } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import { joinFleets } from '../../../../src-main/features/workers/join-fleets.ts'
import type { WorkerSpec } from '../../../../src-main/runtimes/port.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeFleet, type FakeFleet } from '../../../support/fake-fleet.ts'

const SPEC: WorkerSpec = {
  workerId: 'w',
  endpointId: 'e',
  handler: undefined,
  command: 'a-worker',
  cwd: undefined,
  python: 'python3',
  container: undefined,
  loadBalanced: undefined,
  app: undefined,
  env: {},
}
const IN_CONTAINER = { ...SPEC, container: containerSettings.parse({ image: 'an-image' }) }

/** Both drivers, and a gate before each start of a container. */
function setup() {
  const { wall: now, monotonic: steady, after } = createFakeClock()
  const fake = () => createFakeFleet({ clock: { now, steady, after }, maxWorkers: () => 5 })
  const drivers: { readonly process: FakeFleet; readonly container: FakeFleet } = { process: fake(), container: fake() }
  const gate = Promise.withResolvers<void>()
  const container = {
    ...drivers.container,
    start: async (spec: WorkerSpec) => {
      await gate.promise
      return drivers.container.start(spec)
    },
  }
  return { ...drivers, fleet: joinFleets({ process: drivers.process, container }), open: gate.resolve }
}

it('places a worker by its plan, and stops it where it is', async () => {
  const { fleet, process, container, open } = setup()
  open()
  await fleet.start(SPEC)
  await fleet.start({ ...IN_CONTAINER, workerId: 'c' })
  expect([process.list().length, container.list().length]).toEqual([1, 1])
  await fleet.stop('c', 0)
  expect([process.list().length, container.list().length]).toEqual([1, 0])
})

it('still finds a worker that was asked to stop before it ran', async () => {
  const { fleet, container, open } = setup()
  const started = fleet.start(IN_CONTAINER)
  await fleet.stop('w', 5000)
  open()
  await started
  expect(container.list()).toHaveLength(1)
  await fleet.stop('w', 0)
  expect(container.list()).toEqual([])
})

it('asks the place of a plan what the machine lacks for it', async () => {
  const { fleet, container } = setup()
  container.lacks = () => 'no Docker engine answers'
  expect(await fleet.refusal(IN_CONTAINER)).toBe('no Docker engine answers')
  expect(await fleet.refusal({})).toBeUndefined()
})
