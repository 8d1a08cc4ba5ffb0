import { limit } from '../../contract/limits.ts'
import { SERVICE_ROUTES } from '../../contract/service-routes.ts'
import { repeatAdmission } from '../../http/admission.ts'
import { connectionOf, schemeOf, sessionSecrets } from '../../http/guards.ts'
import { DONE, type ManagementOperations, moreThan } from '../../http/operation.ts'
import { forgetSession } from '../../http/sign-in.ts'
import type { GuardServices, ServiceContext } from '../service-context.ts'
import { changeText } from '../settings/rules.ts'
import { SOMEONE_ELSE } from './rules.ts'

export const SESSION_OPERATIONS = {
  sessionList: (_request, { sessions, info }) => ({ open: sessions.count(), keyFile: info().keyFile }),
  async sessionsEnd({ c }, service) {
    await service.sessions.endAll()
    forgetSession(c, service)
    return { ok: true as const }
  },
  async sessionLinkCreate({ c, caller, query }, { sessions, host }) {
    const found = query.sameUser === undefined ? undefined : await host.userOf(connectionOf(c))
    // A link for any of several users would not be for the caller only.
    const user = found === SOMEONE_ELSE ? undefined : found
    // The key of the caller may have been replaced meanwhile.
    repeatAdmission(c)
    const { code, expiresAt } = sessions.createLink(caller, user)
    const url = `${schemeOf(c)}://${c.req.header('host')}${SERVICE_ROUTES.signIn.path}?code=${code}`
    return { url, expiresAt, sameUser: user !== undefined }
  },
  async sessionEnd({ c }, service) {
    const secrets = sessionSecrets(c, service)
    if (secrets !== undefined) await service.sessions.end(secrets)
    forgetSession(c, service)
    return { ok: true as const }
  },
} as const satisfies Partial<ManagementOperations<GuardServices & Pick<ServiceContext, 'host'>>>

export const KEY_OPERATIONS = {
  namedKeyList: (_request, { namedKeys }) => ({ keys: namedKeys.list() }),
  namedKeyCreate: async ({ body }, { namedKeys }) => await namedKeys.create(body),
  namedKeyUpdate: async ({ path, body }, { namedKeys }) => await namedKeys.update(path.name, body),
  namedKeyRotate: async ({ path }, { namedKeys }) => await namedKeys.rotate(path.name),
  async namedKeyRevoke({ path }, { namedKeys }) {
    await namedKeys.revoke(path.name)
    return DONE
  },
  ownKeyRead: ({ caller: { name = '', role = 'read' } }) => ({ name, role }),
  auditList({ query }, { storage }) {
    const most = query.limit ?? limit('listPage')
    const before = query.before ?? Number.MAX_SAFE_INTEGER
    const found = storage.keys.audit({ key: query.key, before, limit: most + 1 })
    const entries = found.slice(0, most).map((entry) => ({ ...entry, what: changeText(entry.operation) }))
    return { entries, ...moreThan(entries.length, found) }
  },
} as const satisfies Partial<ManagementOperations<GuardServices>>
