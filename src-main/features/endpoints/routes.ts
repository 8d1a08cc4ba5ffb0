import { AppError } from '../../contract/errors.ts'
import type { ManagementOperations } from '../../http/operation.ts'
import { canOpen } from '../../http/server/listen.ts'
import { isLoopbackHost } from '../../lib/own-addresses.ts'
import { HOUR_MS } from '../../lib/units.ts'
import { otherMachine } from '../../runtimes/rules/choose-machine.ts'
import type { Endpoint } from '../../storage/storage.ts'
import type { ServiceBase, ServiceContext } from '../service-context.ts'
import { isolationProblem } from '../workers/rules/isolated-python.ts'
import { unknownGpuText } from '../workers/rules/unknown-gpu.ts'
import { serversOf, serverText } from '../workflows/rules/server-address.ts'
import { findDependents } from './dependents.ts'
import {
  changeServers,
  createEndpoint,
  deleteEndpoint,
  type EndpointAndKey,
  rotateEndpointKey,
  setPaused,
  updateEndpoint,
} from './endpoints.ts'
import { dependentsText } from './rules/dependents.ts'
import { endpointKind } from './rules/endpoint-kind.ts'
import { viewServers } from './view-servers.ts'
import { askMachines, readLive, viewEndpoint } from './views.ts'

type Services = ServiceBase &
  Pick<ServiceContext, 'views' | 'fleet' | 'projects' | 'supervisor' | 'metrics' | 'packages' | 'workflows'>

export function endpointOf(
  { endpointId }: { readonly endpointId: string },
  { storage }: Pick<ServiceBase, 'storage'>,
): Endpoint {
  const endpoint = storage.endpoints.get(endpointId)
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: endpointId.slice(0, 100) })
  return endpoint
}

const view = (service: Services, endpoint: Endpoint) => viewEndpoint(service.views, endpoint, service.info().url)

const withKey = (service: Services, { endpoint, key }: EndpointAndKey) => ({ ...view(service, endpoint), key })

// Warns now instead of when the first job waits. Not an error, because apps for production are created here too.
async function warningOf({ fleet, views }: Services, { config }: Endpoint): Promise<{ readonly warning?: string }> {
  const { container } = config
  const why = await views.refusals.ask(config)
  if (why !== undefined) {
    const warning = otherMachine(container)
      ? `Its workers cannot run at the moment: ${why}.`
      : `This machine cannot run its workers at the moment: ${why}.`
    return { warning: [warning, ...(await unknownGpuOf(fleet, container?.gpu))].join(' ') }
  }
  const problem = isolationProblem(config)
  return problem === undefined ? {} : { warning: `Note: ${problem.found}. ${problem.fix}` }
}

function refuseOwnPort({ info }: Pick<Services, 'info'>, port: number | null | undefined): void {
  if (typeof port === 'number' && String(port) === new URL(info().url).port)
    throw new AppError('BAD_FIELD', {
      field: 'comfyuiPort',
      why: `${port} is the port of Drydock itself. Choose another`,
    })
}

// Its prompts would come back as new jobs without end.
function refuseOwnServers({ info, storage }: Pick<Services, 'info' | 'storage'>, addresses: readonly string[]): void {
  const ports = [new URL(info().url).port, ...storage.endpoints.all().map(({ config }) => String(config.comfyuiPort))]
  for (const address of addresses) {
    const { hostname = '', port = '' } = URL.parse(address) ?? {}
    if ((isLoopbackHost(hostname) || hostname.endsWith('.localhost')) && ports.includes(port))
      throw new AppError('BAD_FIELD', {
        field: 'workflows.server',
        why: `${serverText(address)} is an address of Drydock itself. Give that of a ComfyUI server`,
      })
  }
}

/** Call before the endpoint itself opens the port. */
async function portWarning(port: number | null | undefined): Promise<{ readonly warning?: string }> {
  if (typeof port !== 'number' || (await canOpen(port))) return {}
  return { warning: `Port ${port} is in use. ComfyUI clients can reach this endpoint there once it is free.` }
}

function unusedPort({ config }: Endpoint): { readonly warning?: string } {
  const { comfyuiPort: port } = config
  if (port === undefined || endpointKind(config) === 'workflows') return {}
  return { warning: `Port ${port} stays closed, because the endpoint does not take workflows.` }
}

async function unknownGpuOf(fleet: Services['fleet'], gpu = ''): Promise<readonly string[]> {
  const found = await fleet.containerHost?.gpus(false)
  return [unknownGpuText(gpu, found?.inventory.cards ?? [])].filter((text) => text !== undefined)
}

export const ENDPOINT_OPERATIONS = {
  async endpointList(_request, service) {
    const { endpoints } = service.storage
    await askMachines(service.views, endpoints.all())
    return { endpoints: endpoints.all().map((endpoint) => view(service, endpoint)) }
  },
  async endpointRead({ path }, service) {
    await askMachines(service.views, [endpointOf(path, service)])
    return view(service, endpointOf(path, service))
  },
  async endpointCreate({ body }, service) {
    const { id, ...config } = body
    refuseOwnPort(service, config.comfyuiPort)
    refuseOwnServers(service, serversOf(config.workflows))
    const ofPort = await portWarning(config.comfyuiPort)
    const made = await createEndpoint(service, config, id)
    return {
      ...withKey(service, made),
      ...ofPort,
      ...unusedPort(made.endpoint),
      ...(await warningOf(service, made.endpoint)),
    }
  },
  async endpointUpdate({ path, body }, service) {
    const endpoint = endpointOf(path, service)
    const { comfyuiPort, container, command } = body
    refuseOwnPort(service, comfyuiPort)
    refuseOwnServers(service, serversOf(body.workflows ?? undefined))
    const ofPort = comfyuiPort === endpoint.config.comfyuiPort ? {} : await portWarning(comfyuiPort)
    const changed = await updateEndpoint(service, endpoint, body)
    const warning = container === undefined && command === undefined ? {} : await warningOf(service, changed)
    const unused = comfyuiPort === undefined ? {} : unusedPort(changed)
    return { ...view(service, changed), ...ofPort, ...unused, ...warning }
  },
  endpointInstall({ path, body }, service) {
    const endpoint = endpointOf(path, service)
    service.packages.begin(endpoint, body.packages)
    return view(service, endpoint)
  },
  endpointServers: ({ path }, service) => ({ servers: viewServers(service.views, endpointOf(path, service)) }),
  async endpointServerChange({ path, body }, service) {
    if (body.kind === 'add') refuseOwnServers(service, [body.address])
    const endpoint = await changeServers(service, endpointOf(path, service), body)
    const why = body.kind === 'add' ? await service.workflows.whyNoServer(body.address) : undefined
    const warning = `No ComfyUI server answers at ${serverText(body.address)}: ${why}. It gets graphs once it does.`
    return { servers: viewServers(service.views, endpoint), ...(why === undefined ? {} : { warning }) }
  },
  endpointDependents: ({ path }, service) => findDependents(service.views, endpointOf(path, service)),
  async endpointDelete({ path }, service) {
    const endpoint = endpointOf(path, service)
    const dependents = findDependents(service.views, endpoint)
    await deleteEndpoint(service, endpoint)
    return { ok: true as const, ...(dependentsText(dependents) === undefined ? {} : { broke: dependents }) }
  },
  endpointPause: async ({ path }, service) => view(service, await setPaused(service, endpointOf(path, service), true)),
  async endpointResume({ path }, service) {
    const endpoint = await setPaused(service, endpointOf(path, service), false)
    service.supervisor.forgetCrashes(endpoint.id)
    service.storage.poke()
    return view(service, endpoint)
  },
  endpointRotateKey: async ({ path }, service) =>
    withKey(service, await rotateEndpointKey(service, endpointOf(path, service))),
  endpointMetrics({ path, query }, service) {
    const to = query.to ?? service.clock.now()
    const from = query.from ?? to - HOUR_MS
    return service.metrics.read(endpointOf(path, service).id, { from, to, points: query.points })
  },
} as const satisfies Partial<ManagementOperations<Services>>

export const VIEW_OPERATIONS = {
  liveRead: (_request, { views, info }) => readLive(views, info()),
  catalogList: async (_request, { catalog }) => ({ entries: await catalog.list() }),
} as const satisfies Partial<ManagementOperations<ServiceBase & Pick<ServiceContext, 'views' | 'catalog'>>>
