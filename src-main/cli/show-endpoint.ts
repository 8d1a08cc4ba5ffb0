import { type EndpointState, type EndpointView, initializingLimitMs } from '../contract/endpoint.ts'
import { crashSummary, endpointStateWord } from '../domain/worker/endpoint-state.ts'
import { withHiddenPassword } from '../domain/workflow/server/server-address.ts'
import { faultsInWords } from './fault-options.ts'
import { ago, duration } from './format.ts'
import type { Colour, Output } from './output.ts'
import { plainWords } from './plain-words.ts'
import { containerFields } from './show-container.ts'

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
    [endpoint.loadBalanced === undefined ? 'jobs wait' : 'requests wait', endpoint.waitingReason],
    ['fault switches', endpoint.faults && output.paint('yellow', `on: ${faultsInWords(endpoint.faults)}`)],
    ['handler', endpoint.handler],
    ['command', endpoint.command],
    ['folder', endpoint.cwd],
    ['search path', endpoint.searchPath],
    ['virtual environment', endpoint.virtualEnv],
    ...containerFields(endpoint.container),
    ['workers', `${endpoint.workersMin} to ${endpoint.workersMax}, ${endpoint.concurrency} at once each`],
    [
      'scaling',
      scaler.type === 'QUEUE_DELAY'
        ? `by delay, ${scaler.value} s`
        : `by ${endpoint.loadBalanced === undefined ? 'jobs' : 'requests'}, ${scaler.value} a worker`,
    ],
    ['idle timeout', duration(endpoint.idleTimeoutMs)],
    ['frozen when idle', endpoint.freezeIdle === false ? 'no' : undefined],
    ['execution timeout', duration(endpoint.executionTimeoutMs)],
    ['initializing timeout', duration(initializingLimitMs(endpoint))],
    ['stop grace', duration(endpoint.stopGraceMs)],
    ['redispatches', String(endpoint.redispatches)],
    ['pages let in', endpoint.cors?.join(', ')],
    ['stream form', endpoint.streamForm],
    ['calls others', endpoint.callsOthers ? 'yes' : undefined],
    ['workflows', workflowsText(endpoint)],
    ['environment', environmentText(endpoint.env)],
    ['changed', ago(endpoint.updatedAt, now)],
    ['key', endpoint.key === undefined ? undefined : `${endpoint.key}  (shown this once)`],
  ])
}

/** Says what is in the way of an endpoint that was just made or changed. */
export function showWarning(output: Output, { warning }: { readonly warning?: string | undefined }): void {
  if (warning !== undefined && !output.json) output.note(`warning: ${plainWords(warning)}`)
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
  return output.paint(STATE_COLOURS[state] ?? 'gray', endpointStateWord(state))
}

/** Why an endpoint does not go on, for a list: its crashes, else why its jobs wait; empty: it does. */
export function waitText({ state, crash, waitingReason = '' }: EndpointView, now: number): string {
  return state === 'crashing' && crash !== undefined
    ? `${crashSummary(crash, now)}: ${plainWords(crash.lastWords)}`
    : waitingReason
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
