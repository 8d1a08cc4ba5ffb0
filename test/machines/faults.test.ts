/** Each fault of a machine while jobs run there, once; the soak makes each 20 times (test/soak/machines.test.ts). */
import { afterAll, beforeEach, test } from 'vitest'
import { breakMachines } from '../safety/machine-faults.ts'
import { cableOut, engineKilled, NO_FAULT, remotePlaceOfFaults, sshdKilled } from '../support/far-faults.ts'
import { type RemoteMachine, remoteMachine } from '../support/far-machine.ts'

const made = await remoteMachine()

beforeEach(({ skip }) => skip('why' in made, 'why' in made ? made.why : ''))
afterAll(() => ('why' in made ? undefined : made.stop()))

const machine = made as RemoteMachine // else all of it is skipped
// A service that is killed and jobs that go on elsewhere take their time, ms.
const LIMIT_MS = 600_000

test(
  'a cable that is out for 5 s loses nothing, also where the service is killed in the middle of it',
  async () => {
    await breakMachines(await remotePlaceOfFaults(machine), () => cableOut(machine, 5000), {
      runs: 1,
      killsService: true,
    })
  },
  LIMIT_MS,
)

test(
  'an sshd that is killed loses nothing; nor does an engine that is killed, whose containers are replaced',
  async () => {
    const faults = [sshdKilled(machine), engineKilled(machine)]
    const nextFault = () => faults.shift() ?? NO_FAULT
    await breakMachines(await remotePlaceOfFaults(machine), nextFault, { runs: faults.length })
  },
  LIMIT_MS,
)
