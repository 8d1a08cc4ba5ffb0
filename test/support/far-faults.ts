/** The faults of a machine that is reached by ssh, and the machine as a place for them. */
import { expect } from 'vitest'
import type { FaultPlace, MachineFault } from '../safety/machine-faults.ts'
import { dockerOn, type RemoteMachine } from './far-machine.ts'
import { FAR_IMAGE, type RemoteService, remoteService } from './far-service.ts'
import { until } from './served-service.ts'

/** Folder of a machine in which handlers write their book. */
export const LEDGER = '/root/ledger'

// ms; the first worker on a machine may have to wait for an image.
const WARM_MS = 120_000
const IS_WORKER = ['--filter', 'label=svc.worker']

/** Begins the book of a machine. */
export const beginLedger = (machine: RemoteMachine): Promise<string> =>
  machine.run('sh', '-c', `mkdir -p ${LEDGER} && : >${LEDGER}/lines`)

/** The lines of a text, without empty ones. */
export const linesOf = (text: string): readonly string[] => text.split('\n').filter(Boolean)

/** Full ids of the worker containers that run there; an engine that is down runs no container. */
export const workersOn = (machine: RemoteMachine): Promise<readonly string[]> =>
  dockerOn(machine, 'ps', '--quiet', '--no-trunc', ...IS_WORKER).then(linesOf, () => [])

/** The ledgers of all machines as one, and the workers that run there. */
export function factsOf(machines: readonly RemoteMachine[]): Pick<FaultPlace, 'ledger' | 'running'> {
  const onAll = async (ask: (machine: RemoteMachine) => Promise<readonly string[]>) =>
    (await Promise.all(machines.map(ask))).flat()
  return {
    ledger: () => onAll(async (machine) => linesOf(await machine.run('cat', `${LEDGER}/lines`))),
    running: () => onAll(workersOn),
  }
}

/** The machine with the most workers now. */
export async function busiestOf(machines: readonly RemoteMachine[]): Promise<RemoteMachine> {
  const counted = await Promise.all(
    machines.map(async (machine) => ({ machine, workers: (await workersOn(machine)).length })),
  )
  return counted.reduce((most, one) => (one.workers > most.workers ? one : most)).machine
}

/** A service whose workers run on the machine, or on it and another one. */
export async function remotePlaceOfFaults(machine: RemoteMachine, other?: RemoteMachine): Promise<FaultPlace> {
  const machines = other === undefined ? [machine] : [machine, other]
  for (const one of machines) await beginLedger(one)
  const service = await remoteService(machine, other === undefined ? {} : { others: { other } })
  if (other !== undefined) for (const name of ['box', 'other']) await warm(service, name)
  return {
    service,
    container: {
      ...{ image: FAR_IMAGE, machine: other === undefined ? 'box' : 'any' },
      volumes: [{ source: LEDGER, target: '/ledger' }],
    },
    ...factsOf(machines),
    async events(since) {
      if (other !== undefined) return [] // a worker may begin there while the old one still runs
      const filters = [...IS_WORKER, '--filter', 'event=start', '--filter', 'event=die']
      const span = ['--since', String(since), '--until', String(Math.ceil(Date.now() / 1000))]
      const output = await dockerOn(machine, 'events', ...span, ...filters, '--format', '{{.Action}} {{.ID}}')
      return linesOf(output).map((line) => {
        const [action, container = ''] = line.split(' ')
        return { container, action: action === 'start' ? 'start' : 'die' }
      })
    },
    reached: service.reached,
  }
}

/** Runs a job on the machine, so that it has image, network and files before it has to replace another one. */
async function warm(service: RemoteService, machine: string): Promise<void> {
  const id = `warms-${machine}`
  await service.createHandler(id, 'def handler(job):\n    return 1\n', { container: { image: FAR_IMAGE, machine } })
  await service.jobEnd(id, await service.run(id, {}), WARM_MS)
  await service.ask('DELETE', `/api/endpoints/${id}`)
  await until(async () => expect(await service.get('/api/workers')).toEqual({ workers: [] }))
}

/** The cable is out for some time. */
export const cableOut = ({ link }: RemoteMachine, lastsMs: number): MachineFault => ({
  make: () => link('down'),
  mend: () => link('up'),
  lastsMs,
})

/** Its link loses all packets for some time. */
export const linkStalled = ({ link }: RemoteMachine, lastsMs: number): MachineFault => ({
  make: () => link('stalled'),
  mend: () => link('flowing'),
  lastsMs,
})

/** Its power is off for some time. */
export const powerOff = ({ power }: RemoteMachine, lastsMs: number): MachineFault => ({
  make: () => power('off'),
  mend: () => power('on'),
  lastsMs,
  endsContainers: true,
})

/** A worker there is killed. */
export const workerKilled = (machine: RemoteMachine): MachineFault => ({
  async make() {
    const [worker = 'none'] = await workersOn(machine)
    await dockerOn(machine, 'kill', worker)
  },
  mend: async () => undefined,
  endsContainers: true,
})

/** For runs in which only the service is killed. */
export const NO_FAULT: MachineFault = { make: async () => undefined, mend: async () => undefined, endsContainers: true }

/** Its sshd is killed with all connections. */
export const sshdKilled = ({ killSshd, startSshd }: RemoteMachine): MachineFault => ({
  make: killSshd,
  mend: startSshd,
  lastsMs: 2000,
})

/** Its engine is killed, and its containers with it. */
export const engineKilled = ({ killEngine, startEngine }: RemoteMachine): MachineFault => ({
  make: killEngine,
  mend: startEngine,
  endsContainers: true,
})
