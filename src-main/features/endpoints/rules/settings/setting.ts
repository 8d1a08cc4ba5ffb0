import { containerSettings } from '../../../../contract/container.ts'
import type { EndpointConfig } from '../../../../contract/endpoint.ts'
import { workflowWorker } from '../../../../contract/workflows.ts'
import { machineText } from '../../../../runtimes/rules/choose-machine.ts'
import { withHiddenPassword } from '../../../workflows/rules/server-address.ts'

type Variable = { readonly name: string; readonly value: string }

export type Raw = string | boolean | readonly Variable[]

export type SettingInput =
  | {
      readonly kind: 'text'
      readonly optional?: boolean
      readonly mono?: boolean
      readonly suggestions?: readonly string[]
      /** Whether the word "none" clears it, as an empty text does. */
      readonly mayBeNone?: boolean
    }
  | {
      readonly kind: 'number'
      readonly unit: string
      /** Factor from `unit` to the setting's own unit: 1000 for ms shown as s. */
      readonly factor?: number
      readonly optional?: boolean
    }
  /** `unset` is its value while the setting is missing. */
  | { readonly kind: 'switch'; readonly unset?: boolean }
  | { readonly kind: 'choice'; readonly choices: readonly { readonly value: string; readonly label: string }[] }
  /** One entry per line: text, integers, or volumes as `source:target[:ro]`. */
  | { readonly kind: 'lines'; readonly of: 'text' | 'numbers' | 'volumes'; readonly optional?: boolean }
  | { readonly kind: 'variables' }
  | { readonly kind: 'path'; readonly wants: 'folder' | 'handler'; readonly title: string; readonly optional?: boolean }
  | { readonly kind: 'registry' }
  | { readonly kind: 'machine' }
  /** Address of a ComfyUI server, possibly with a password. */
  | { readonly kind: 'server'; readonly optional: true }

export type Read = { readonly value: unknown } | { readonly fault: string }

type Volume = { readonly source: string; readonly target: string; readonly readOnly: boolean }

/** Parses the text; the contract decides whether the value is allowed. */
export function readSetting(field: Pick<SettingField, 'input' | 'missing'>, raw: Raw): Read {
  const { input } = field
  if (input.kind === 'switch') return { value: raw === true }
  if (input.kind === 'variables') return readVariables(raw as readonly Variable[])
  const text = String(raw).trim()
  if (input.kind === 'lines') return readLines(input.of, String(raw), input.optional === true)
  if (clearsSetting(field, text)) return { value: undefined }
  if (text === '') return { fault: 'must not be empty' }
  if (input.kind === 'number') return readNumber(text, input.factor ?? 1)
  return { value: text }
}

export function clearsSetting({ input, missing }: Pick<SettingField, 'input' | 'missing'>, text: string): boolean {
  if (input.kind === 'text' && input.mayBeNone === true && text.toLowerCase() === NO_VALUE) return true
  const mayBeMissing = missing !== undefined || ('optional' in input && input.optional === true)
  return text === '' && (input.kind === 'registry' || input.kind === 'machine' || mayBeMissing)
}

function readNumber(text: string, factor: number): Read {
  const number = Number(text.replace(',', '.'))
  if (!Number.isFinite(number)) return { fault: 'must be a number' }
  // Rounds binary fractions: 1.1 s would be 1100.0000000000002 ms.
  return { value: Math.round(number * factor * 1e6) / 1e6 }
}

function readVariables(pairs: readonly Variable[]): Read {
  const named = pairs.filter(({ name, value }) => name !== '' || value !== '')
  if (named.some(({ name }) => name === '')) return { fault: 'a value has no name' }
  const names = named.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return { fault: `${twice} occurs twice` }
  return { value: Object.fromEntries(named.map(({ name, value }) => [name, value])) }
}

function readLines(of: 'text' | 'numbers' | 'volumes', raw: string, optional: boolean): Read {
  const lines = raw
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (optional && lines.length === 0) return { value: undefined }
  if (of === 'text') return { value: lines }
  if (of === 'numbers') {
    const wrong = lines.find((line) => !/^\d+$/.test(line))
    return wrong === undefined ? { value: lines.map(Number) } : { fault: `${wrong} is not a whole number` }
  }
  const volumes = lines.map(readVolume)
  const wrong = lines[volumes.indexOf(undefined)]
  return wrong === undefined ? { value: volumes } : { fault: `${wrong} must look like /folder:/in/container` }
}

/** Reads `source:/target[:ro]`, from the end: a Windows folder contains a colon. */
export function readVolume(text: string): Volume | undefined {
  const [, source, target, mode] = /^(.+?):(\/[^:]*)(?::(ro|rw))?$/.exec(text) ?? []
  return source === undefined || target === undefined ? undefined : { source, target, readOnly: mode === 'ro' }
}

export function rawOf(input: SettingInput, value: unknown): Raw {
  switch (input.kind) {
    case 'switch':
      return (value ?? input.unset) === true
    case 'variables':
      return Object.entries((value ?? {}) as Record<string, string>).map(([name, text]) => ({ name, value: text }))
    case 'number':
      return value === undefined ? '' : String(Math.round((Number(value) / (input.factor ?? 1)) * 1e6) / 1e6)
    case 'lines':
      return linesOf(input.of, value)
    default:
      return value === undefined ? '' : String(value)
  }
}

function linesOf(of: 'text' | 'numbers' | 'volumes', value: unknown): string {
  if (of !== 'volumes') return ((value ?? []) as readonly (string | number)[]).join('\n')
  return ((value ?? []) as readonly Volume[])
    .map(({ source, target, readOnly }) => `${source}:${target}${readOnly ? ':ro' : ''}`)
    .join('\n')
}

export function withUnit(value: number, unit: string): string {
  const unitText = value === 1 ? unit.replace(/^([A-Za-z]{2,})s\b/, '$1') : unit
  return `${value.toLocaleString('en', { maximumFractionDigits: 6 })} ${unitText}`.trim()
}

export const NO_VALUE = 'none'

/** One-line display of a value. Variable values may be secrets, so only names are shown. */
export function settingText({ input, missing }: Pick<SettingField, 'input' | 'missing'>, value: unknown): string {
  if (value === undefined && missing !== undefined) return `the default: ${missing}`
  if (input.kind === 'switch') return (value ?? input.unset) === true ? 'on' : 'off'
  if (input.kind === 'variables') return Object.keys((value ?? {}) as object).join(', ') || NO_VALUE
  if (input.kind === 'choice') return input.choices.find((one) => one.value === value)?.label ?? NO_VALUE
  if (input.kind === 'machine') return machineText(value === undefined ? undefined : String(value))
  const text = String(rawOf(input, value)).replaceAll('\n', ', ')
  if (text === '') return NO_VALUE
  if (input.kind === 'server') return withHiddenPassword(text)
  return input.kind === 'number' ? withUnit(Number(text), input.unit) : text
}

export type SettingField = {
  /** Path in the settings, like `container.gpu`; `container` alone means workers run in containers. */
  readonly path: string
  readonly label: string
  readonly help: string
  readonly input: SettingInput
  readonly option?: { readonly flags: string; readonly description: string }
  /** For one that may be missing: what applies then. */
  readonly missing?: string
  readonly startsWorkers?: true
  /** A person sets it, and deploys leave it alone. */
  readonly survivesDeploys?: true
  readonly applies?: (config: EndpointConfig) => boolean
}

export type SettingSection = {
  readonly id: string
  readonly title: string
  readonly about?: string
  readonly fields: readonly SettingField[]
}

/** Parts that an endpoint has or has not, with their first settings when they are switched on. */
export const PARTS: Readonly<Record<string, object>> = {
  container: containerSettings.parse({}),
  workflows: workflowWorker.parse({}),
}

/**
 * The value of a setting; undefined if unset.
 * @param path like `container.gpu`
 */
export function valueAt(settings: object, path: string): unknown {
  const config = settings as Readonly<Record<string, unknown>>
  const [first = '', second] = path.split('.')
  if (path in PARTS) return config[path] !== undefined
  const part = config[first]
  if (second === undefined) return part
  const within = part ?? PARTS[first] ?? {}
  return (within as Record<string, unknown>)[second]
}

export function settingAt(path: string, value: unknown): object {
  const [first = '', second] = path.split('.')
  return { [first]: second === undefined ? value : { [second]: value } }
}
