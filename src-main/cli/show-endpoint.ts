import type { EndpointView } from '../contract/endpoint.ts'
import { withHiddenPassword } from '../domain/workflow/server/server-address.ts'
import { faultsInWords } from './fault-options.ts'
import { ago, duration } from './format.ts'
import type { Output } from './output.ts'
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
    ['state', endpoint.paused ? output.paint('yellow', 'paused') : 'active'],
    [endpoint.loadBalanced === undefined ? 'jobs wait' : 'requests wait', endpoint.waitingReason],
    ['fault switches', endpoint.faults && output.paint('yellow', `on: ${faultsInWords(endpoint.faults)}`)],
    ['handler', endpoint.handler],
    ['command', endpoint.command],
    ['folder', endpoint.cwd],
    ...containerFields(endpoint.container),
    ['workers', `${endpoint.workersMin} to ${endpoint.workersMax}, ${endpoint.concurrency} at once each`],
    [
      'scaling',
      scaler.type === 'QUEUE_DELAY'
        ? `by delay, ${scaler.value} s`
        : `by ${endpoint.loadBalanced === undefined ? 'jobs' : 'requests'}, ${scaler.value} a worker`,
    ],
    ['idle timeout', duration(endpoint.idleTimeoutMs)],
    ['execution timeout', duration(endpoint.executionTimeoutMs)],
    ['initializing timeout', duration(endpoint.initializingTimeoutMs)],
    ['stop grace', duration(endpoint.stopGraceMs)],
    ['redispatches', String(endpoint.redispatches)],
    ['calls others', endpoint.callsOthers ? 'yes' : undefined],
    ['workflows', workflowsText(endpoint.workflows)],
    ['environment', environmentText(endpoint.env)],
    ['changed', ago(endpoint.updatedAt, now)],
    ['key', endpoint.key === undefined ? undefined : `${endpoint.key}  (shown this once)`],
  ])
}

function workflowsText(workflows: EndpointView['workflows']): string | undefined {
  if (workflows === undefined) return undefined
  const { models, checkModels, server } = workflows
  const rule = checkModels ? 'others are refused' : 'others are taken too'
  const parts = [
    ...(models === undefined ? [] : [`models ${models.join(', ') || 'none'}; ${rule}`]),
    ...(server === undefined ? [] : [`server ${withHiddenPassword(server)}`]),
  ]
  return parts.length === 0 ? 'yes' : parts.join('\n')
}

function environmentText(env: EndpointView['env']): string | undefined {
  const entries = Object.entries(env)
  return entries.length === 0 ? undefined : entries.map(([name, value]) => `${name}=${value}`).join('\n')
}
