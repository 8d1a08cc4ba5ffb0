import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { diskClean, doctorFixRequest } from '../../contract/system.ts'
import { sessionCookieName } from '../../domain/auth.ts'
import { cleanDisk, readDisk } from '../../services/management/disk.ts'
import { readMachine, readVersions } from '../../services/management/machine.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { readJson } from '../read-body.ts'
import { endedSessionCookie } from '../sign-in.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

/** The system page, the status bar, and the browsers that are signed in. */
export const SYSTEM_OPERATIONS = {
  async doctorRead(c, { doctor, clock }) {
    return c.json({ at: clock.now(), rows: [...(await doctor.check())] })
  },
  async doctorFix(c, { doctor }) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const { action, target } = doctorFixRequest.parse(value)
    if (action === 'restart-endpoint' && target === undefined)
      throw new AppError('BAD_FIELD', { field: 'target', why: 'names the endpoint' })
    return c.json({ done: await doctor.fix(action, target) })
  },
  async machineRead(c, service) {
    const fresh = queryValue(c, 'fresh', APP_ROUTES.machineRead.query.fresh) === 'true'
    return c.json(await readMachine(service, fresh))
  },
  async versionsRead(c, service) {
    return c.json({ versions: [...(await readVersions({ ...service, own: service.info().version }))] })
  },
  async diskRead(c, service) {
    const [uses, space] = await Promise.all([readDisk(diskOf(service)), service.host.space()])
    return c.json({ at: service.clock.now(), folder: service.info().data, ...space, uses: [...uses] })
  },
  async diskClean(c, service) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    return c.json({ freedBytes: await cleanDisk(diskOf(service), diskClean.parse(value).kind) })
  },
  sessionList: (c, { sessions, info }) => c.json({ open: sessions.count(), keyFile: info().keyFile }),
  async sessionsEnd(c, service) {
    await service.sessions.endAll()
    c.header('set-cookie', endedSessionCookie(sessionCookieName(service.info().url)))
    return c.json({ ok: true as const })
  },
} as const satisfies Record<string, AppHandler>

const diskOf = (service: ServiceContext) => ({ ...service, folder: () => service.info().data })
