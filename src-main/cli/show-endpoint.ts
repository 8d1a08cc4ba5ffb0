/** An endpoint as it is printed, with the settings of its container. */
import type { ContainerSettings } from '../contract/container.ts'
import { type EndpointState, type EndpointView, initializingLimitMs } from '../contract/endpoint.ts'
import { ago, faultsText, scalerText } from '../domain/text.ts'
import { codeChangeText, isNews } from '../domain/worker/code-change.ts'
import { crashSummary, endpointStateLabel } from '../domain/worker/endpoint-state.ts'
import { withHiddenPassword } from '../domain/workflow/server-address.ts'
import { type Colour, duration, type Output, size } from './output.ts'

/** Prints an endpoint, or its JSON; with its key where the service has just made one. */
export function showEndpoint(output: Output, endpoint: EndpointView & { readonly key?: string }, now: number): void {
  if (output.json) {
    output.document(endpoint)
    return
  }
  const { scaler } = endpoint
  output.fields([
    ['endpoint', output.paint('bold', endpoint.id)],
    ['name', endpoint.name],
    ['app', endpoint.app && `${endpoint.app.name}/${endpoint.app.environment}, as ${endpoint.app.resource}`],
    ['address', endpoint.url],
    ['or', endpoint.hostUrl],
    ['state', endpointStateText(output, endpoint)],
    ['crashes', endpoint.crash && `${crashSummary(endpoint.crash, now)}\n${endpoint.crash.lastWords}`],
    ['code', endpoint.codeChange && codeChangeText(endpoint.codeChange, now)],
    [endpoint.loadBalanced === undefined ? 'jobs wait' : 'requests wait', endpoint.waitingReason],
    ['workers wait', endpoint.waitingReason === undefined ? endpoint.throttledReason : undefined],
    ['fault injection', endpoint.faults && output.paint('yellow', `on: ${faultsText(endpoint.faults)}`)],
    ['handler', endpoint.handler],
    ['command', endpoint.command],
    ['folder', endpoint.cwd],
    ['search path', endpoint.searchPath],
    ['virtual environment', endpoint.virtualEnv],
    ['model', endpoint.model],
    ...containerFields(endpoint.container),
    ['workers', `${endpoint.workersMin} to ${endpoint.workersMax}, ${endpoint.concurrency} at once each`],
    ['scaling', scalerText(scaler, endpoint.loadBalanced === undefined ? 'jobs' : 'requests')],
    ['idle timeout', duration(endpoint.idleTimeoutMs)],
    ['frozen when idle', endpoint.freezeIdle === false ? 'no' : undefined],
    ['reload on save', endpoint.reloadOnSave === false ? 'no' : undefined],
    ['execution timeout', duration(endpoint.executionTimeoutMs)],
    ['initializing timeout', duration(initializingLimitMs(endpoint))],
    ['stop grace', duration(endpoint.stopGraceMs)],
    ['redispatches', String(endpoint.redispatches)],
    ['waits for a lost machine', endpoint.waitForMachineMs ? duration(endpoint.waitForMachineMs) : undefined],
    ['allowed origins', endpoint.cors?.join(', ')],
    ['stream form', endpoint.streamForm],
    ['empty input', endpoint.emptyInput],
    ['ttl while running', endpoint.ttlWhileRunning],
    ['without a worker', endpoint.noWorkerIs503 === true ? 'answers 503' : undefined],
    ['client disconnects', endpoint.cancelOnDisconnect === false ? 'its job continues' : undefined],
    ['may call others', endpoint.callsOthers ? 'yes' : undefined],
    ['workflows', workflowsText(endpoint)],
    ['environment', environmentText(endpoint.env)],
    ['changed', ago(endpoint.updatedAt, now)],
    ['key', endpoint.key === undefined ? undefined : `${endpoint.key}  (shown only once)`],
  ])
}

/** Says what is in the way of an endpoint that was just made or changed. */
export function showWarning(output: Output, { warning }: { readonly warning?: string | undefined }): void {
  if (warning !== undefined && !output.json) output.note(`warning: ${warning}`)
}

const STATE_COLOURS: Partial<Record<EndpointState, Colour>> = {
  paused: 'yellow',
  crashing: 'red',
  unhealthy: 'red',
  waiting: 'yellow',
  throttled: 'yellow',
}

/** The state of an endpoint as a word in its colour. */
export function endpointStateText(output: Output, { state }: Pick<EndpointView, 'state'>): string {
  return output.paint(STATE_COLOURS[state] ?? 'gray', endpointStateLabel(state))
}

/** The note on an endpoint in a list: its crashes, else why its jobs or workers wait, else that its code changed; may be empty. */
export function noteText({ state, crash, codeChange, ...waits }: EndpointView, now: number): string {
  if (state === 'crashing' && crash !== undefined) return `${crashSummary(crash, now)}: ${crash.lastWords}`
  const reason = waits.waitingReason ?? waits.throttledReason
  if (reason !== undefined) return reason
  return codeChange !== undefined && isNews(codeChange, now) ? codeChangeText(codeChange, now) : ''
}

function workflowsText({ workflows, container }: EndpointView): string | undefined {
  if (workflows === undefined) return undefined
  const { models, checkModels, modelFolders, server } = workflows
  const rule = checkModels ? 'others are refused' : 'others are taken too'
  const parts = [
    ...(models === undefined ? [] : [`models ${models.join(', ') || 'none'}; ${rule}`]),
    ...(modelFolders && container !== undefined ? ['models of this machine, read-only at /opt/drydock/models'] : []),
    ...(modelFolders ? [] : ['without the models of this machine']),
    ...(server === undefined ? [] : [`server ${withHiddenPassword(server)}`]),
  ]
  return parts.length === 0 ? 'yes' : parts.join('\n')
}

function environmentText(env: EndpointView['env']): string | undefined {
  const entries = Object.entries(env)
  return entries.length === 0 ? undefined : entries.map(([name, value]) => `${name}=${value}`).join('\n')
}

type Field = readonly [name: string, value: string | undefined]

/** The settings of containers, a line each; nothing for an endpoint of processes. What is as usual is left out. */
function containerFields(settings: ContainerSettings | undefined): readonly Field[] {
  if (settings === undefined) return []
  const { gpu, volumes, ports, capabilities, keepPausedMs } = settings
  return [
    ['container', settings.image ?? 'our worker image'],
    ['on', settings.machine],
    ['on nodes', settings.placement?.join(', ')],
    ['Python', settings.python],
    ['packages', lines(settings.packages)],
    ['Debian packages', lines(settings.systemPackages)],
    ['entry point', commandText(settings.entrypoint)],
    ['arguments', commandText(settings.args)],
    ['pull', settings.pull === 'missing' ? undefined : settings.pull],
    ['registry', settings.registryAuth],
    ['GPUs', gpu && `${settings.gpuCount} of ${gpu}${settings.gpuShared ? ', shared' : ''}`],
    ['CPUs and memory', settings.cpu],
    ['memory', sizeText(settings.memoryBytes)],
    ['disk', sizeText(settings.diskBytes)],
    ['/dev/shm', sizeText(settings.shmBytes)],
    ['volumes', lines(volumes.map(volumeText))],
    ['published ports', ports.length === 0 ? undefined : ports.join(', ')],
    ['profile', settings.profile],
    ['capabilities', capabilities.length === 0 ? undefined : capabilities.join(', ')],
    ['network', settings.egress ? undefined : 'service only'],
    ['stays paused', keepPausedMs === undefined ? undefined : duration(keepPausedMs)],
    ['pre-created containers', `${settings.prepared}`],
  ]
}

const sizeText = (bytes: number | undefined) => (bytes === undefined ? undefined : size(bytes))
const lines = (texts: readonly string[] = []) => (texts.length === 0 ? undefined : texts.join('\n'))

function volumeText({ source, target, readOnly }: ContainerSettings['volumes'][number]): string {
  return `${source}:${target}${readOnly ? ':ro' : ''}`
}

// As they would be typed.
function commandText(list: readonly string[] | undefined): string | undefined {
  return list?.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
}
