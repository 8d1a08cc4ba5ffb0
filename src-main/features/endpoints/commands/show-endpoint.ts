import type { Colour, Output } from '../../../app/cli/output.ts'
import { type EndpointState, type EndpointView, initializingLimitMs } from '../../../contract/endpoint.ts'
import { ago } from '../../../lib/text.ts'
import { codeChangeText, isNews } from '../../workers/rules/code-change.ts'
import { faultsText } from '../../workers/rules/faults.ts'
import { crashSummary, endpointStateLabel, shownCrash } from '../rules/endpoint-state.ts'
import { FAULT_SECTION, SETTING_SECTIONS } from '../rules/settings/sections.ts'
import { rawOf, settingText, valueAt } from '../rules/settings/setting.ts'

export function showEndpoint(output: Output, endpoint: EndpointView & { readonly key?: string }, now: number) {
  if (output.json) return output.document(endpoint)
  const { crash, waitingReason, throttledReason, brokenReason } = endpoint
  const asCalled = (text: string | undefined) => text && output.asCalled(text)
  output.fields([
    ['endpoint', output.paint('bold', endpoint.id)],
    ['name', endpoint.name],
    ['app', endpoint.app && `${endpoint.app.name}/${endpoint.app.environment}, as ${endpoint.app.resource}`],
    ['address', endpoint.url],
    [endpoint.loadBalanced === undefined ? 'for ComfyUI' : 'or', endpoint.hostUrl],
    ['state', [endpointStateText(output, endpoint), brokenReason].filter(Boolean).join(': ')],
    ['crashes', crash && asCalled(`${crashSummary(crash, now)}\n${crash.lastWords}`)],
    ['code', endpoint.codeChange && codeChangeText(endpoint.codeChange, now)],
    [endpoint.loadBalanced === undefined ? 'jobs wait' : 'requests wait', asCalled(waitingReason)],
    ['workers wait', waitingReason === undefined ? asCalled(throttledReason) : undefined],
    ['fault injection', endpoint.faults && output.paint('yellow', `on: ${faultsText(endpoint.faults)}`)],
    ...settingFields({ ...endpoint, initializingTimeoutMs: initializingLimitMs(endpoint) }),
    ['environment', environmentText(endpoint.env)],
    ['changed', ago(endpoint.updatedAt, now)],
    ['key', endpoint.key === undefined ? undefined : `${endpoint.key}  (shown only once)`],
  ])
}

export function showWarning(output: Output, { warning }: { readonly warning?: string | undefined }): void {
  if (warning !== undefined && !output.json) output.note(`warning: ${warning}`)
}

const STATE_COLOURS: Partial<Record<EndpointState, Colour>> = {
  paused: 'yellow',
  broken: 'red',
  crashing: 'red',
  unhealthy: 'red',
  waiting: 'yellow',
  throttled: 'yellow',
}

export function endpointStateText(output: Output, { state }: Pick<EndpointView, 'state'>): string {
  return output.paint(STATE_COLOURS[state] ?? 'gray', endpointStateLabel(state))
}

export function noteText({ state, crash, codeChange, ...reasons }: EndpointView, now: number): string {
  if (state === 'crashing' && crash !== undefined) return `${crashSummary(crash, now)}: ${crash.lastWords}`
  const reason = reasons.brokenReason ?? reasons.waitingReason ?? reasons.throttledReason
  if (reason !== undefined) return reason
  if (codeChange !== undefined && isNews(codeChange, now)) return codeChangeText(codeChange, now)
  const past = shownCrash(state, crash)
  return past === undefined ? '' : `crashed ${crashSummary(past, now)}: ${past.lastWords}`
}

function environmentText(env: EndpointView['env']): string | undefined {
  const entries = Object.entries(env)
  return entries.length === 0 ? undefined : entries.map(([name, value]) => `${name}=${value}`).join('\n')
}

function settingFields(endpoint: EndpointView): readonly (readonly [name: string, value: string])[] {
  const fields = SETTING_SECTIONS.filter(({ id }) => id !== FAULT_SECTION).flatMap((section) => section.fields)
  return fields.flatMap((field) => {
    const { path, label, input, applies } = field
    const value = valueAt(endpoint, path)
    if (value === undefined || path === 'name' || input.kind === 'variables' || applies?.(endpoint) === false) return []
    if (input.kind === 'switch' && value === (input.unset ?? false)) return []
    if (rawOf(input, value) === '') return []
    const name = label.replace(/^[A-Z](?=[a-z]+\b)(?!ython|ebian)/, (letter) => letter.toLowerCase())
    return [[name, settingText(field, value)] as const]
  })
}
