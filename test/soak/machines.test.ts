/** Faults of other machines with all their runs; test/machines/faults.test.ts runs the short ones once. */
import { appendFileSync } from 'node:fs'
import { describe, onTestFinished, test } from 'vitest'
import { breakMachines, type FaultPlace, MANY, type MachineFault, type Second } from '../safety/machine-faults.ts'
import {
  busiestOf,
  cableOut,
  engineKilled,
  linkStalled,
  NO_FAULT,
  powerOff,
  remotePlaceOfFaults,
  sshdKilled,
  workerKilled,
} from '../support/far-faults.ts'
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
  readonly fault: (swarm: RemoteSwarm) => Promise<MachineFault>
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
            breakMachines(place, () => faultOf(machine), { runs, killsService }),
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
        await soakFault({ row: 0, of: RUNS }, (runs) =>
          breakMachines(place, () => fault(swarm), { runs, killsService }),
        )
      },
      LIMIT_MS,
    )
})

// A machine that is gone this long is given up, and its jobs run elsewhere.
const GONE_MS = 20_000

/** Faults of one of two machines, reached over SSH directly or through the manager. */
const WITH_MANY_JOBS: readonly {
  readonly name: string
  readonly fault: (hit: RemoteMachine, manager: RemoteMachine) => MachineFault
  readonly killsService?: true | undefined
}[] = [
  { name: 'its link is cut', fault: (hit) => cableOut(hit, GONE_MS) },
  { name: 'its link stalls', fault: (hit) => linkStalled(hit, GONE_MS) },
  { name: 'its power goes off, and on again', fault: (hit) => powerOff(hit, GONE_MS) },
  { name: 'its engine is killed', fault: engineKilled },
  { name: 'a worker is killed', fault: workerKilled },
  { name: 'the sshd is killed', fault: (_, manager) => sshdKilled(manager) },
  { name: 'the service is killed', fault: () => NO_FAULT, killsService: true },
]

/** Sends 200 jobs, and breaks the machine that has more workers. */
async function breakWithManyJobs(
  place: FaultPlace,
  machines: readonly [RemoteMachine, RemoteMachine],
  {
    where,
    name,
    faultOf,
    killsService,
  }: {
    readonly where: string
    readonly name: string
    readonly faultOf: (hit: RemoteMachine) => MachineFault
    readonly killsService: true | undefined
  },
): Promise<void> {
  const onSecond = (second: Second) => noteSecond({ where, fault: name, ...second })
  const faultNow = async () => faultOf(await busiestOf(machines))
  await soakFault({ row: 0, of: 1 }, (runs) =>
    breakMachines(place, faultNow, { runs, load: MANY, onSecond, killsService }),
  )
}

/** Appends a line of JSON to the file that FAULT_SECONDS names. */
function noteSecond(second: object): void {
  const file = process.env.FAULT_SECONDS
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(second)}\n`)
}

describe('200 jobs on two machines by ssh', () => {
  for (const { name, fault, killsService } of WITH_MANY_JOBS)
    test(
      name,
      async ({ skip }) => {
        const [one, two] = [await remoteMachine(), await remoteMachine()]
        for (const machine of [one, two]) if (!('why' in machine)) onTestFinished(machine.stop)
        if ('why' in one || 'why' in two) return skip(true, 'why' in one ? one.why : '')
        const place = await remotePlaceOfFaults(one, two)
        const faultOf = (hit: RemoteMachine) => fault(hit, hit)
        await breakWithManyJobs(place, [one, two], { where: 'ssh', name, faultOf, killsService })
      },
      LIMIT_MS,
    )
})

describe('200 jobs on two nodes of a swarm', () => {
  for (const { name, fault, killsService } of WITH_MANY_JOBS)
    test(
      name,
      async ({ skip }) => {
        const swarm = await remoteSwarm()
        if ('why' in swarm) return skip(true, swarm.why)
        onTestFinished(swarm.stop)
        const [manager, one, two] = swarm.nodes
        const place = await swarmPlaceOfFaults(swarm)
        const faultOf = (hit: RemoteMachine) => fault(hit, manager)
        await breakWithManyJobs(place, [one, two], { where: 'swarm', name, faultOf, killsService })
      },
      LIMIT_MS,
    )
})
