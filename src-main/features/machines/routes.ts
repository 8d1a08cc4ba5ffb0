import { AppError } from '../../contract/errors.ts'
import { DONE, type ManagementOperations } from '../../http/operation.ts'
import type { ServiceBase, ServiceContext } from '../service-context.ts'
import type { OpenMachine } from './machines.ts'
import { removeMachine } from './remove-machine.ts'
import { viewMachine } from './view-machine.ts'

type Services = ServiceBase & Pick<ServiceContext, 'machines' | 'registry' | 'supervisor'>

export const MACHINE_OPERATIONS = {
  machineList: (_request, service) => ({
    machines: service.machines
      .open()
      .map((machine) => viewNow(service, machine))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }),
  machineAdd: async ({ body }, service) => viewNow(service, await service.machines.add(body)),
  machineGet: ({ path }, service) => viewNow(service, machineOf(path, service)),
  machineTest({ path }, service) {
    const machine = machineOf(path, service)
    service.machines.beginTest(machine)
    return viewNow(service, machine)
  },
  async machineRemove({ path }, service) {
    const left = await removeMachine(service, machineOf(path, service))
    return left === undefined ? DONE : { ...DONE, left }
  },
  async machineRemains({ path, body }, service) {
    await service.machines.noteRemains(machineOf(path, service), body.id)
    return DONE
  },
  async machineJoin({ path }, service) {
    const { name, driver } = machineOf(path, service)
    const commands = driver.joinCommands?.() ?? Promise.reject(new Error('it is not a swarm manager'))
    return await commands.catch((error: Error) => {
      throw new AppError('MACHINE_REFUSED', { machine: name, why: error.message })
    })
  },
} as const satisfies Partial<ManagementOperations<Services>>

function viewNow(service: Services, machine: OpenMachine) {
  service.machines.refresh(machine)
  return viewMachine(service, machine)
}

function machineOf({ machine: name }: { readonly machine: string }, { machines }: Services): OpenMachine {
  const machine = machines.get(name)
  if (machine === undefined) throw new AppError('MACHINE_NOT_FOUND', { machine: name.slice(0, 100) })
  return machine
}
