import type { PlannedStep } from '../../../contract/app.ts'
import type { EndpointConfig } from '../../../contract/endpoint.ts'
import { THIS_MACHINE } from '../../../contract/machines.ts'
import { settingsWith } from '../../endpoints/rules/settings/sections.ts'
import { APP_FOLDER_VARIABLE } from './endpoint-config.ts'

export type CurrentEndpoint = {
  readonly resource: string
  readonly endpointId: string
  readonly config: EndpointConfig
}

type PlannedChange = PlannedStep['changes'][number]

export const SEEN_AT_START: readonly (keyof EndpointConfig)[] = [...settingsWith('startsWorkers'), 'app']

/** Settings that change with the code folder, even if the code is the same. */
const OF_THE_FOLDER: readonly string[] = [
  'handler',
  'cwd',
  'command',
  'container.volumes',
  `env.${APP_FOLDER_VARIABLE}`,
]

/** Settings that only people set; a deploy leaves them unchanged. */
const OF_A_PERSON: readonly string[] = settingsWith('survivesDeploys')

export function partsOf(config: EndpointConfig): {
  readonly ofPerson: Partial<EndpointConfig>
  readonly ofRelease: Partial<EndpointConfig>
} {
  const entries = Object.entries(config)
  return {
    ofPerson: Object.fromEntries(entries.filter(([name]) => OF_A_PERSON.includes(name))),
    ofRelease: Object.fromEntries(entries.filter(([name]) => !OF_A_PERSON.includes(name))),
  }
}

const CODE = 'app.code'
const FINGERPRINT = 'app.fingerprint'
const OF_ENVIRONMENT = 'app.machine'
const VARIABLES = 'app.variables'
const SCHEDULE = 'app.schedule'

const OF_NO_WORKER: readonly string[] = [OF_ENVIRONMENT, SCHEDULE]

/**
 * Plans creates, changes and deletes; an endpoint with unchanged code and settings stays. Source:
 * docs/spec/app-deploy.md, 7.
 * @param targets release settings by resource, in manifest order
 */
export function planDeploy(
  current: readonly CurrentEndpoint[],
  targets: Readonly<Record<string, EndpointConfig>>,
): readonly PlannedStep[] {
  const steps = Object.entries(targets).map(([resource, target]): PlannedStep => {
    const before = current.find((endpoint) => endpoint.resource === resource)
    if (before === undefined) return { resource, action: 'create', changes: madeWith(target), replacesWorkers: false }
    const all = differences(before.config, target)
    const codeChanged = all.some(({ setting }) => setting === CODE)
    const changes = codeChanged ? all : all.filter(({ setting }) => !OF_THE_FOLDER.includes(setting))
    return {
      resource,
      action: changes.length === 0 ? 'unchanged' : 'update',
      endpointId: before.endpointId,
      changes: changes.filter(({ setting }) => !OF_THE_FOLDER.includes(setting)).map(shown),
      replacesWorkers: changes.some(
        ({ setting }) => !OF_NO_WORKER.includes(setting) && SEEN_AT_START.some((name) => isPartOf(setting, name)),
      ),
    }
  })
  const gone = current.filter(({ resource }) => targets[resource] === undefined)
  return [
    ...steps,
    ...gone.map(
      ({ resource, endpointId }): PlannedStep => ({
        resource,
        action: 'delete',
        endpointId,
        changes: [],
        replacesWorkers: false,
      }),
    ),
  ]
}

const madeWith = ({ app }: EndpointConfig): PlannedChange[] =>
  app?.schedule === undefined ? [] : [shown({ setting: SCHEDULE, to: app.schedule })]

const isPartOf = (setting: string, name: string) => setting === name || setting.startsWith(`${name}.`)

// Values from the source may be secret, so only the change itself is shown.
function shown({ setting, from, to }: PlannedChange): PlannedChange {
  if (setting === CODE) return { setting: 'code', from: short(from), to: short(to) }
  if (setting === SCHEDULE) return { setting: 'schedule', from, to }
  if (setting === VARIABLES) return { setting: 'variables', from: `version ${from ?? 0}`, to: `version ${to}` }
  if (setting === OF_ENVIRONMENT)
    return { setting: 'machine of the environment', from: from ?? THIS_MACHINE, to: to ?? THIS_MACHINE }
  if (!isPartOf(setting, 'env')) return { setting, from, to }
  const hide = (value: unknown) => (value === undefined ? undefined : '(hidden)')
  return { setting, from: hide(from), to: hide(to) }
}

const SHOWN = 12
const short = (value: unknown) => (typeof value === 'string' ? value.slice(0, SHOWN) : undefined)

export function shownChanges(before: EndpointConfig, after: EndpointConfig): readonly PlannedChange[] {
  return differences(before, after).map(shown)
}

function differences(before: EndpointConfig, after: EndpointConfig): readonly PlannedChange[] {
  const [from, to] = [flat(before), flat(after)]
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return names
    .filter((name) => {
      if (OF_A_PERSON.includes(name) || name === FINGERPRINT) return false
      if (name === CODE) return !isSameCode(before, after)
      return JSON.stringify(from[name]) !== JSON.stringify(to[name])
    })
    .map((setting) => ({ setting, from: from[setting], to: to[setting] }))
}

/** Whether workers would load the same code; if one fingerprint is unknown, the app's counts. */
export function isSameCode({ app: one }: EndpointConfig, { app: other }: EndpointConfig): boolean {
  const known = one?.fingerprint !== undefined && other?.fingerprint !== undefined
  return known ? one.fingerprint === other.fingerprint : one?.code === other?.code
}

const NESTED = ['env', 'container', 'app', 'platform'] as const

function flat(config: EndpointConfig): Record<string, unknown> {
  const nested = NESTED.flatMap((name) =>
    Object.entries(config[name] ?? {}).map(([key, value]): [string, unknown] => [`${name}.${key}`, value]),
  )
  const own = Object.entries(config).filter(([name]) => !NESTED.some((other) => other === name))
  return Object.fromEntries([...own, ...nested])
}
