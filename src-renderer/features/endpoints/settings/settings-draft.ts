import type { z } from 'zod'
import { type EndpointConfig, endpointUpdate, programProblem } from '../../../../src-main/contract/endpoint.ts'
import { SEEN_AT_START } from '../../../../src-main/features/apps/rules/plan.ts'
import {
  PARTS,
  type Raw,
  rawOf,
  readSetting,
  type SettingField,
  type SettingInput,
  settingText,
  valueAt,
  withUnit,
} from '../../../../src-main/features/endpoints/rules/settings/setting.ts'

export type DraftEntry = { readonly raw: Raw; readonly base: string | undefined }

export type Draft = Readonly<Record<string, DraftEntry>>

export type Effect = 'now' | 'jobs' | 'workers'

export type SettingChange = {
  readonly field: SettingField
  readonly value: unknown
  readonly before: string
  readonly after: string
  readonly effect: Effect
}

export type ReadDraft = ReturnType<typeof readDraft>

export function readDraft(fields: readonly SettingField[], config: EndpointConfig, draft: Draft) {
  const faults: Record<string, string> = {}
  const conflicts: Record<string, string> = {}
  const changes: SettingChange[] = []
  for (const field of fields) {
    const entry = draft[field.path]
    if (entry === undefined) continue
    const now = valueAt(config, field.path)
    if (entry.base !== JSON.stringify(now)) conflicts[field.path] = settingText(field, now)
    const read = readSetting(field, entry.raw)
    if ('fault' in read) faults[field.path] = read.fault
    else if (!isSame(read.value, now)) changes.push(changeOf(field, now, read.value))
  }
  // Drops settings without meaning after other changes, like GPUs without a container.
  const effective = withChanges(config, changes)
  const applied = changes.filter(({ field }) => field.applies?.(effective) !== false)
  const body = bodyOf(config, applied)
  return { changes: applied, conflicts, effective, body, faults: { ...faultsOf(fields, body, effective), ...faults } }
}

/**
 * @param before the settings before the save
 * @returns undefined if single settings cannot express that
 */
export function undoBody(before: EndpointConfig, changes: readonly SettingChange[]): object | undefined {
  if (changes.some(({ field }) => field.path === 'container')) return undefined
  const back = changes.map((change) => ({ ...change, value: valueAt(before, change.field.path) }))
  return bodyOf(before, back)
}

export function shownRaw(field: SettingField, config: EndpointConfig, draft: Draft): Raw {
  return draft[field.path]?.raw ?? rawOf(field.input, valueAt(config, field.path))
}

export function typed(draft: Draft, field: SettingField, config: EndpointConfig, raw: Raw): Draft {
  const now = valueAt(config, field.path)
  const base = field.path in draft ? draft[field.path]?.base : JSON.stringify(now)
  const { [field.path]: _old, ...others } = draft
  const isBack = JSON.stringify(raw) === JSON.stringify(rawOf(field.input, now))
  return isBack ? others : { ...others, [field.path]: { raw, base } }
}

/**
 * Input typed while the service answered stays, on top of the stored values.
 * @param sent the saved draft
 */
export function draftAfterSave(draft: Draft, sent: Draft, stored: EndpointConfig): Draft {
  const later = Object.entries(draft).filter(([path, entry]) => entry !== sent[path])
  return Object.fromEntries(
    later.map(([path, { raw, base }]) => {
      return [path, { raw, base: path in sent ? JSON.stringify(valueAt(stored, path)) : base }]
    }),
  )
}

function changeOf(field: SettingField, now: unknown, value: unknown): SettingChange {
  const before = settingText(field, now)
  const after = settingText(field, value)
  const texts = field.input.kind === 'variables' ? variablesText(now, value) : { before, after }
  return { field, value, ...texts, effect: effectOf(field.path) }
}

// Values may be secrets, so changes are reported by name only.
function variablesText(now: unknown, value: unknown): { readonly before: string; readonly after: string } {
  const old = (now ?? {}) as Record<string, string>
  const fresh = (value ?? {}) as Record<string, string>
  const added = Object.keys(fresh).filter((name) => !(name in old))
  const gone = Object.keys(old).filter((name) => !(name in fresh))
  const changed = Object.keys(fresh).filter((name) => name in old && old[name] !== fresh[name])
  const said = [
    added.length > 0 && `adds ${added.join(', ')}`,
    changed.length > 0 && `changes ${changed.join(', ')}`,
    gone.length > 0 && `removes ${gone.join(', ')}`,
  ].filter((text) => text !== false)
  return { before: `${Object.keys(old).length} set`, after: said.join('; ') }
}

function effectOf(path: string): Effect {
  const [first] = path.split('.')
  if (SEEN_AT_START.some((name) => name === first) || path === 'workflows.server') return 'workers'
  return path === 'executionTimeoutMs' ? 'jobs' : 'now'
}

/** Containers and faults as single settings, the rest whole. */
function bodyOf(config: EndpointConfig, changes: readonly SettingChange[]): object {
  const body: Record<string, unknown> = {}
  for (const { field, value } of changes) {
    const [first = '', second] = field.path.split('.')
    if (field.path === 'container') {
      if (value !== true) return { ...body, container: null }
      body.container ??= {}
    } else if (field.path in PARTS) {
      const before = config[first as keyof EndpointConfig] as object | undefined
      body[first] = value === true ? { ...PARTS[first], ...before } : null
    } else if (second === undefined) body[first] = value ?? null
    else {
      const isPartial = first === 'container' || first === 'faults'
      const before = body[first] ?? (isPartial ? {} : (config[first as keyof EndpointConfig] ?? PARTS[first]))
      body[first] = { ...(before as object), [second]: value ?? nothingFor(field) }
    }
  }
  return body
}

// For a removed value: faults off, container fields null.
function nothingFor({ path, input }: SettingField): unknown {
  if (path.startsWith('container.')) return null
  if (!path.startsWith('faults.')) return undefined
  return input.kind === 'switch' ? false : 0
}

function withChanges(config: EndpointConfig, changes: readonly SettingChange[]): EndpointConfig {
  let next: Record<string, unknown> = config
  for (const { field, value } of changes) {
    const [first = '', second] = field.path.split('.')
    if (field.path in PARTS) next = { ...next, [first]: value === true ? (next[first] ?? PARTS[first]) : undefined }
    else if (second === undefined) next = { ...next, [first]: value }
    else next = { ...next, [first]: { ...(next[first] as object | undefined), [second]: value } }
    // Mirrors the service: an endpoint has only one program.
    if (first === 'command' && value !== undefined) next = { ...next, handler: undefined }
    if (first === 'handler' && value !== undefined) next = { ...next, command: undefined }
  }
  return next as EndpointConfig
}

function faultsOf(
  fields: readonly SettingField[],
  body: object,
  effective: EndpointConfig,
): Readonly<Record<string, string>> {
  const faults: Record<string, string> = {}
  for (const issue of endpointUpdate.safeParse(body).error?.issues ?? []) {
    const path = pathOf(fields, issue.path.join('.')) ?? 'name'
    faults[path] = issueText(issue, fields.find((field) => field.path === path)?.input)
  }
  const program = programProblem(effective)
  if (program !== undefined) faults[effective.container === undefined ? 'handler' : 'container.image'] = program
  if (effective.workersMin > effective.workersMax)
    faults.workersMin = `must not be above ${effective.workersMax}, the maximum`
  return faults
}

/** The field of a body path: `container.packages.3` belongs to `container.packages`. */
export function pathOf(fields: readonly SettingField[], name: string): string | undefined {
  return fields
    .map(({ path }) => path)
    .filter((path) => name === path || name.startsWith(`${path}.`))
    .toSorted((one, other) => other.length - one.length)[0]
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function issueText(issue: z.core.$ZodIssue, input: SettingInput | undefined): string {
  const isNumber = input?.kind === 'number'
  const bound = (value: number | bigint) =>
    isNumber ? withUnit(Number(value) / (input.factor ?? 1), input.unit) : String(value)
  if (issue.code === 'too_big' && isNumber) return `must be at most ${bound(issue.maximum)}`
  if (issue.code === 'too_small' && isNumber) return `must be at least ${bound(issue.minimum)}`
  if (issue.code === 'too_big') return `is too long: at most ${issue.maximum} ${partsOf(issue.origin)}`
  if (issue.code === 'too_small') return 'must not be empty'
  if (issue.code === 'invalid_type' && issue.expected === 'int') return 'must be a whole number'
  // The contract's own wording is used for everything else.
  return issue.message
}

const partsOf = (origin: string) => (origin === 'string' ? 'characters' : 'entries')
