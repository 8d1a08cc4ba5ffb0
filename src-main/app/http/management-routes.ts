import type { Context } from 'hono'
import { APP_ROUTES, type AppOperation } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { type FleetEvent, fleetEvent } from '../../contract/fleet-events.ts'
import { limit } from '../../contract/limits.ts'
import type { Route } from '../../contract/routes.ts'
import { SERVICE_ROUTES } from '../../contract/service-routes.ts'
import { APP_MANAGEMENT, RELEASE_OPERATIONS } from '../../features/apps/routes.ts'
import { COMPARISON_OPERATIONS } from '../../features/comparisons/routes.ts'
import { ENDPOINT_OPERATIONS, endpointOf } from '../../features/endpoints/routes.ts'
import { readLive } from '../../features/endpoints/views.ts'
import { JOB_FILE_OPERATIONS } from '../../features/jobs/routes/job-files.ts'
import { JOB_BULK_OPERATIONS, JOB_OPERATIONS } from '../../features/jobs/routes/jobs.ts'
import { REQUEST_OPERATIONS, SAVED_REQUEST_OPERATIONS } from '../../features/jobs/routes/requests.ts'
import type { Caller } from '../../features/keys/keys.ts'
import { SOMEONE_ELSE } from '../../features/keys/rules/auth.ts'
import { LOAD_TEST_OPERATIONS } from '../../features/load-tests/routes.ts'
import { MACHINE_OPERATIONS } from '../../features/machines/routes.ts'
import { MODEL_OPERATIONS } from '../../features/models/routes.ts'
import { PROJECT_OPERATIONS } from '../../features/projects/routes.ts'
import { listRegistries, putRegistry, removeRegistry } from '../../features/registries/registries.ts'
import { SCHEDULE_OPERATIONS } from '../../features/schedules/routes.ts'
import type { GuardServices, ServiceBase, ServiceContext } from '../../features/service-context.ts'
import { changeText } from '../../features/settings/rules/change-text.ts'
import { cleanDisk, readDisk } from '../../features/system/disk.ts'
import { readMachine, readVersions } from '../../features/system/machine.ts'
import { TARGET_OPERATIONS } from '../../features/targets/routes.ts'
import { WHAT_IF_OPERATIONS } from '../../features/what-if/routes.ts'
import { SHELL_OPERATIONS, WORKER_OPERATIONS } from '../../features/workers/routes/workers.ts'
import { ASSET_OPERATIONS } from '../../features/workflows/routes/assets.ts'
import {
  namedEndpoint,
  PUBLISHED_OPERATIONS,
  RUN_OPERATIONS,
  WORKFLOW_OPERATIONS,
} from '../../features/workflows/routes/workflows.ts'
import { repeatAdmission } from '../../http/admission.ts'
import { audited } from '../../http/audit.ts'
import { connectionOf, schemeOf, sessionSecrets } from '../../http/guards.ts'
import { DONE, type ManagementOperations, type ManagementRequest, shownTo } from '../../http/operation.ts'
import { parseRequest } from '../../http/read-request.ts'
import { followAsEvents } from '../../http/send-response.ts'
import { forgetSession } from '../../http/sign-in.ts'
import type { LogScope } from '../../storage/storage.ts'
import { SERVICE_OPERATIONS } from './service-routes.ts'

type SystemServices = GuardServices &
  Pick<ServiceContext, 'doctor' | 'fleet' | 'registry' | 'host' | 'models' | 'signInRequests'>

const SYSTEM_OPERATIONS = {
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
  signInRequestRead: ({ path }, { signInRequests }) => signInRequests.read(path.requestId),
  signInRequestDecide({ path, body }, { signInRequests }) {
    signInRequests.decide(path.requestId, body.allow)
    return DONE
  },
  sessionList: (_request, { sessions, info }) => ({ open: sessions.count(), keyFile: info().keyFile }),
  async sessionsEnd({ c }, service) {
    await service.sessions.endAll()
    forgetSession(c, service)
    return { ok: true as const }
  },
} as const satisfies Partial<ManagementOperations<SystemServices>>

const diskOf = (service: SystemServices) => ({ ...service, folder: () => service.info().data })

const PAGE = 1000

// Lists query one extra row to tell the client whether there are more.
const moreThan = (shown: number, found: readonly unknown[]) => (found.length > shown ? { more: true as const } : {})

function serveLogs(
  { c, query }: Pick<ManagementRequest<'endpointLogs'>, 'c' | 'query'>,
  service: ServiceBase,
  scope: LogScope,
) {
  const { storage, stopping, notifiers } = service
  const after = query.after
  const tail = query.tail ?? PAGE
  const follow = query.follow === 'true'
  if (!follow) {
    const found =
      after === undefined ? storage.logs.newest(scope, tail + 1) : storage.logs.after(scope, after, PAGE + 1)
    const lines = after === undefined ? found.slice(found.length > tail ? 1 : 0) : found.slice(0, PAGE)
    return { lines: [...lines], ...moreThan(lines.length, found) }
  }
  const first = after === undefined ? storage.logs.newest(scope, tail) : storage.logs.after(scope, after, PAGE)
  let cursor = after ?? storage.logs.lastId()
  let next = first
  return followAsEvents(c, {
    notifier: notifiers.logs,
    stopping,
    read() {
      const lines = next
      cursor = lines.at(-1)?.id ?? cursor
      next = storage.logs.after(scope, cursor, PAGE)
      return {
        items: lines.map((line) => ({ id: line.id, event: 'line', data: JSON.stringify(line) })),
        more: next.length > 0,
      }
    },
  })
}

const LOG_OPERATIONS = {
  endpointLogs: (request, service) =>
    serveLogs(request, service, { by: 'endpoint', id: endpointOf(request.path, service).id }),
  workerLogs: (request, service) => serveLogs(request, service, { by: 'worker', id: request.path.workerId }),
  jobLogs: (request, service) => serveLogs(request, service, { by: 'job', id: request.path.jobId }),
} as const satisfies Partial<ManagementOperations<ServiceBase>>

const KINDS = fleetEvent.shape.kind.options
const USUAL_KINDS = KINDS.filter((kind) => kind !== 'worker')

const FLEET_EVENT_OPERATIONS = {
  fleetEventList({ query }, { storage }) {
    const most = query.limit ?? limit('listPage')
    const found = storage.events.fleet({
      kinds: kindsIn(query.kinds),
      endpointId: query.endpoint,
      from: query.from ?? 0,
      to: query.to ?? Number.MAX_SAFE_INTEGER,
      before: query.before ?? Number.MAX_SAFE_INTEGER,
      limit: most + 1,
    })
    const events = found.slice(0, most)
    return { events, ...moreThan(events.length, found) }
  },
} as const satisfies Partial<ManagementOperations<Pick<ServiceBase, 'storage'>>>

function kindsIn(text: string | undefined): readonly FleetEvent['kind'][] {
  if (text === undefined || text === '') return USUAL_KINDS
  const named = text.split(',')
  const unknown = named.find((name) => !KINDS.some((kind) => kind === name))
  if (unknown !== undefined)
    throw new AppError('BAD_FIELD', { field: 'kinds', why: `has no kind ${unknown}; there are ${KINDS.join(', ')}` })
  return KINDS.filter((kind) => named.includes(kind))
}

const NODE_TYPE_OPERATIONS = {
  async nodeTypes({ query }, { storage, workflows }) {
    const endpoint = namedEndpoint({ storage }, query.endpoint)
    await workflows.classes.renew(endpoint)
    return await workflows.nodeTypes.of(endpoint)
  },
  async nodeTypesWrite({ path, body }, service) {
    const endpoint = endpointOf(path, service)
    return await service.workflows.nodeTypes.take(endpoint, body.text)
  },
  nodeTypesFetch: async ({ path }, service) => await service.workflows.nodeTypes.fetch(endpointOf(path, service)),
  nodePackages: async ({ body }, { workflows }) => await workflows.nodePackages(body.classes),
  workflowServers: async (_request, { workflows }) => ({ servers: await workflows.servers() }),
} as const satisfies Partial<ManagementOperations<Pick<ServiceContext, 'storage' | 'workflows'>>>

/** Uploads of artifacts in parts; after an interruption, the client asks for the position and continues. */
const ARTIFACT_OPERATIONS = {
  artifactRead: async ({ path }, { storage }) => await storage.artifacts.status(path.artifact),
  async artifactWrite({ path, query, body }, { storage }) {
    return await storage.artifacts.append(path.artifact, query, body)
  },
} as const satisfies Partial<ManagementOperations<Pick<ServiceBase, 'storage'>>>

const PAGE_OPERATIONS = {
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
  liveRead: (_request, { views, info }) => readLive(views, info()),
  figuresRead: (_request, { stats }) => stats.read(),
} as const satisfies Partial<ManagementOperations<GuardServices & Pick<ServiceContext, 'views' | 'stats' | 'host'>>>

const REGISTRY_OPERATIONS = {
  registryList: (_request, { storage }) => ({ registries: listRegistries(storage) }),
  registryPut: async ({ body }, service) => await putRegistry(service, body),
  async registryRemove({ path }, { storage }) {
    await removeRegistry(storage, path.name)
    return { ok: true as const }
  },
} as const satisfies Partial<ManagementOperations<Pick<ServiceBase, 'storage' | 'clock'>>>

const KEY_OPERATIONS = {
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

const CATALOG_OPERATIONS = {
  catalogList: async (_request, { catalog }) => ({ entries: await catalog.list() }),
} as const satisfies Partial<ManagementOperations<Pick<ServiceContext, 'catalog'>>>

const MANAGEMENT: ManagementOperations = {
  ...APP_MANAGEMENT,
  ...ARTIFACT_OPERATIONS,
  ...ASSET_OPERATIONS,
  ...CATALOG_OPERATIONS,
  ...ENDPOINT_OPERATIONS,
  ...FLEET_EVENT_OPERATIONS,
  ...JOB_BULK_OPERATIONS,
  ...COMPARISON_OPERATIONS,
  ...JOB_FILE_OPERATIONS,
  ...JOB_OPERATIONS,
  ...KEY_OPERATIONS,
  ...LOAD_TEST_OPERATIONS,
  ...LOG_OPERATIONS,
  ...MACHINE_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...NODE_TYPE_OPERATIONS,
  ...PAGE_OPERATIONS,
  ...PROJECT_OPERATIONS,
  ...PUBLISHED_OPERATIONS,
  ...REGISTRY_OPERATIONS,
  ...RELEASE_OPERATIONS,
  ...REQUEST_OPERATIONS,
  ...SAVED_REQUEST_OPERATIONS,
  ...SCHEDULE_OPERATIONS,
  ...SERVICE_OPERATIONS,
  ...SYSTEM_OPERATIONS,
  ...SHELL_OPERATIONS,
  ...TARGET_OPERATIONS,
  ...WHAT_IF_OPERATIONS,
  ...WORKER_OPERATIONS,
  ...RUN_OPERATIONS,
  ...WORKFLOW_OPERATIONS,
}

export async function manage(
  name: AppOperation,
  c: Context,
  service: ServiceContext,
  caller: Caller,
): Promise<Response> {
  // Row and operation have the same name, which the compiler cannot see through a variable.
  const operate = MANAGEMENT[name] as (request: object, service: ServiceContext) => unknown
  const row: Route = APP_ROUTES[name]
  const request = { c, caller, ...(await parseRequest(c, row, service)) }
  const answer = await audited(service, { c, caller, operation: name, row, request }, () => operate(request, service))
  await service.storage.durable()
  return answer instanceof Response ? answer : c.json(shownTo(caller, answer))
}
