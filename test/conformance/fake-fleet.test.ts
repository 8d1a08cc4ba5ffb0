import { systemTime } from '../../src-main/http/server/system-ports.ts'
import { createFakeFleet, fakePlace } from '../support/fake-fleet.ts'
import { describeFleet } from './fleet.ts'

const clock = { now: systemTime.wall, steady: systemTime.monotonic, after: systemTime.after }

describeFleet('fake', () => {
  const place = fakePlace()
  const lifeOf = (workerId: string) => place.workers.get(workerId)
  return {
    driver: (maxWorkers = () => 10) => createFakeFleet({ clock, maxWorkers, place }),
    command: (steps) => JSON.stringify(steps),
    poke: ({ workerId }) => lifeOf(workerId)?.lines.push(lifeOf(workerId)?.onPoke ?? ''),
    kill({ workerId }) {
      const life = lifeOf(workerId)
      place.workers.delete(workerId)
      for (const tell of life?.drivers ?? []) tell({ workerId, code: undefined, signal: 'SIGKILL', reason: undefined })
    },
    lives: ({ workerId }) => place.workers.has(workerId),
  }
})
