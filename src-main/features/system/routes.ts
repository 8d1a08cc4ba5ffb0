import { AppError } from '../../contract/errors.ts'
import type { ManagementOperations } from '../../http/operation.ts'
import type { ServiceBase, ServiceContext } from '../service-context.ts'
import { cleanDisk, readDisk } from './disk.ts'
import { readMachine, readVersions } from './machine.ts'

type SystemServices = ServiceBase & Pick<ServiceContext, 'doctor' | 'fleet' | 'registry' | 'host' | 'models'>

export const SYSTEM_OPERATIONS = {
  doctorRead: async (_request, { doctor, clock }) => ({ at: clock.now(), rows: [...(await doctor.check())] }),
  async doctorFix({ body }, { doctor }) {
    const { action, target } = body
    if (action === 'restart-endpoint' && target === undefined)
      throw new AppError('BAD_FIELD', { field: 'target', why: 'names the endpoint' })
    return { done: await doctor.fix(action, target) }
  },
  machineRead: async ({ query }, service) => await readMachine(service, query.fresh === 'true'),
  async versionsRead(_request, service) {
    return { versions: [...(await readVersions({ ...service, own: service.info().version }))] }
  },
  async diskRead(_request, service) {
    const [uses, space] = await Promise.all([readDisk(diskOf(service)), service.host.space()])
    return { at: service.clock.now(), folder: service.info().data, ...space, uses: [...uses] }
  },
  diskClean: async ({ body }, service) => ({ freedBytes: await cleanDisk(diskOf(service), body.kind) }),
} as const satisfies Partial<ManagementOperations<SystemServices>>

const diskOf = (service: SystemServices) => ({ ...service, folder: () => service.info().data })
