/** The faults of a machine that is reached by ssh, and the machine as a place for them. */
import type { FaultPlace, MachineFault } from '../safety/machine-faults.ts'
import type { RemoteMachine } from './far-machine.ts'
import { FAR_IMAGE, remoteService } from './far-service.ts'

/** Folder of a machine in which handlers write their book. */
export const LEDGER = '/root/ledger'

/** Begins the book of a machine. */
export const beginLedger = (machine: RemoteMachine): Promise<string> =>
  machine.run('sh', '-c', `mkdir -p ${LEDGER} && : >${LEDGER}/lines`)

/** The lines of a text, without empty ones. */
export const linesOf = (text: string): readonly string[] => text.split('\n').filter(Boolean)

/** A service whose workers run on the machine. */
export async function remotePlaceOfFaults(machine: RemoteMachine): Promise<FaultPlace> {
  await beginLedger(machine)
  const service = await remoteService(machine)
  return {
    service,
    container: { image: FAR_IMAGE, machine: 'box', volumes: [{ source: LEDGER, target: '/ledger' }] },
    ledger: async () => linesOf(await machine.run('cat', `${LEDGER}/lines`)),
    running: async () => linesOf(await service.docker('ps', '--quiet', '--no-trunc', '--filter', 'label=svc.worker')),
    async events(since) {
      const filters = ['label=svc.worker', 'event=start', 'event=die'].flatMap((filter) => ['--filter', filter])
      const span = ['--since', String(since), '--until', String(Math.ceil(Date.now() / 1000))]
      const output = await service.docker('events', ...span, ...filters, '--format', '{{.Action}} {{.ID}}')
      return linesOf(output).map((line) => {
        const [action, container = ''] = line.split(' ')
        return { container, action: action === 'start' ? 'start' : 'die' }
      })
    },
    reached: service.reached,
  }
}

/** The cable is out for some time. */
export const cableOut = ({ link }: RemoteMachine, lastsMs: number): MachineFault => ({
  make: () => link('down'),
  mend: () => link('up'),
  lastsMs,
})

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
