/** Faults of other machines with all their runs; test/machines/faults.test.ts runs the short ones once. */
import { describe, onTestFinished, test } from 'vitest'
import { breakMachines, type MachineFault } from '../safety/machine-faults.ts'
import { cableOut, engineKilled, remotePlaceOfFaults, sshdKilled } from '../support/far-faults.ts'
import { type RemoteMachine, remoteMachine } from '../support/far-machine.ts'
import { type RemoteSwarm, remoteSwarm } from '../support/far-swarm.ts'
import { nodeCut, nodeDrained, swarmPlaceOfFaults } from '../support/swarm-faults.ts'
import { soakFault } from './support/record-safety.ts'

const RUNS = 20
// Two minutes for a run with a long fault, and as much as all others take; ms.
const LIMIT_MS = 120 * 60_000

const FAULTS: Readonly<Record<string, (machine: RemoteMachine) => MachineFault>> = {
  'the cable of a machine is out for 5 s': (machine) => cableOut(machine, 5000),
  'the cable of a machine is out for 60 s': (machine) => cableOut(machine, 60_000),
  'the sshd of a machine is killed': sshdKilled,
  'the engine of a machine is killed': engineKilled,
}

const SWARM_FAULTS: readonly {
  readonly name: string
  readonly fault: (swarm: RemoteSwarm) => MachineFault
  readonly killsService: boolean
}[] = [
  { name: 'a node is drained', fault: nodeDrained, killsService: false },
  { name: 'a node is drained, and the service killed in the middle of it', fault: nodeDrained, killsService: true },
  {
    name: 'a node is cut off with its engine, and replaced within 20 s',
    fault: (swarm) => nodeCut(swarm, { isReplaced: true }),
    killsService: false,
  },
  {
    name: 'a node is cut off with its engine, and the service killed in the middle of it',
    fault: (swarm) => nodeCut(swarm, { isReplaced: false }),
    killsService: true,
  },
]

describe('machines by ssh', () => {
  for (const [name, faultOf] of Object.entries(FAULTS))
    for (const killsService of [false, true])
      test(
        `${name}${killsService ? ', and the service in the middle of it' : ''}`,
        async ({ skip }) => {
          const machine = await remoteMachine()
          if ('why' in machine) return skip(true, machine.why)
          onTestFinished(machine.stop)
          const place = await remotePlaceOfFaults(machine)
          await soakFault({ row: 0, of: RUNS }, (runs) =>
            breakMachines(place, faultOf(machine), { runs, killsService }),
          )
        },
        LIMIT_MS,
      )
})

describe('nodes of a swarm', () => {
  for (const { name, fault, killsService } of SWARM_FAULTS)
    test(
      name,
      async ({ skip }) => {
        const swarm = await remoteSwarm()
        if ('why' in swarm) return skip(true, swarm.why)
        onTestFinished(swarm.stop)
        const place = await swarmPlaceOfFaults(swarm)
        await soakFault({ row: 0, of: RUNS }, (runs) => breakMachines(place, fault(swarm), { runs, killsService }))
      },
      LIMIT_MS,
    )
})
