/** The link to one of two machines with idle workers is cut: the other machine takes over their jobs. */
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { dockerOn, type RemoteMachine, remoteMachine } from '../support/far-machine.ts'
import { FAR_IMAGE, remoteService } from '../support/far-service.ts'
import { until } from '../support/served-service.ts'

const made = await Promise.all([remoteMachine(), remoteMachine()])
const why = made.flatMap((machine) => ('why' in machine ? [machine.why] : []))[0]

beforeEach(({ skip }) => skip(why !== undefined, why))
afterAll(() => Promise.all(made.map((machine) => ('why' in machine ? undefined : machine.stop()))))

const [box, other] = made as [RemoteMachine, RemoteMachine] // otherwise each test is skipped
// A lost link is noticed after 9 s, and the first worker on a machine builds an image, ms.
const LIMIT_MS = 300_000
const ECHO = `
import os
def handler(job):
    return os.uname().nodename
`

test(
  'jobs run elsewhere when the machine of an idle worker is lost; jobs bound to it wait, and the reason names it',
  async () => {
    const service = await remoteService(box, { others: { other } })
    const create = async (id: string, machine: string) => {
      const container = { image: FAR_IMAGE, machine }
      await service.createHandler(id, ECHO, { container, workersMin: 1, workersMax: 1 })
      await service.jobEnd(id, await service.run(id, {}), LIMIT_MS)
      await service.workerIn(id, 'idle')
    }
    await create('moves', 'any')
    const lost = (await service.get('/api/workers')).workers[0].machine
    const [hit, stays] = lost === 'box' ? [box, other] : [other, box]
    await create('stays', lost)

    await hit.link('down')
    onTestFinished(() => hit.link('up'))
    const moved = await Promise.all([1, 2, 3].map(() => service.run('moves', {})))
    const waiting = await service.run('stays', {})
    for (const job of moved) {
      const { output } = await service.jobEnd('moves', job, LIMIT_MS)
      expect(await dockerOn(stays, 'ps', '--all', '--quiet')).toContain(output)
    }
    await until(async () => {
      const { waitingReason } = await service.get(`/api/jobs/${waiting}`)
      expect(waitingReason).toMatch(new RegExp(`^No capacity for a worker: ${lost}: it cannot be reached: `))
    })
    expect((await service.get('/api/fleet-events?kinds=crash')).events).toEqual([])

    await hit.link('up')
    await service.jobEnd('stays', waiting, LIMIT_MS)
    const left = ['--filter', 'label=svc.endpoint=moves']
    await until(async () => expect(await dockerOn(hit, 'ps', '--all', '--quiet', ...left)).toBe(''))
  },
  LIMIT_MS,
)
