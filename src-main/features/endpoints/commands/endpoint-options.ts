import { isAbsolute, join, resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { usageError } from '../../../app/cli/cli-error.ts'
import { decimal, oneOf, sizeInBytes, spanIn, wholeNumber, wordsOf } from '../../../app/cli/option-values.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ContainerSettings } from '../../../contract/container.ts'
import type { EndpointConfig } from '../../../contract/endpoint.ts'
import { SETTING_SECTIONS } from '../rules/settings/sections.ts'
import { clearsSetting, readVolume, type SettingField, settingAt, valueAt } from '../rules/settings/setting.ts'
import { findVirtualEnv, searchOfShell } from './program-search.ts'

export type EndpointSettings = Partial<Omit<EndpointConfig, 'container' | 'loadBalanced' | 'workflows'>> & {
  readonly workflows?: Partial<NonNullable<EndpointConfig['workflows']>>
  readonly container?: Partial<ContainerSettings>
  readonly loadBalanced?: { readonly port?: number; readonly healthPort?: number }
}

type EndpointOption = {
  readonly flags: string
  readonly description: string
  readonly settings: (text: string, before: EndpointSettings, isNew: boolean) => EndpointSettings
}

// Of the table of settings; the others are not one option for one setting.
const OF_SETTINGS: readonly EndpointOption[] = SETTING_SECTIONS.flatMap(({ fields }) =>
  fields.flatMap((field) => {
    const { option, path } = field
    if (option === undefined) return []
    const settings: EndpointOption['settings'] = (text, before, isNew) => {
      if (field.input.kind !== 'lines' && clearsSetting(field, text))
        return isNew ? {} : (settingAt(path, null) as EndpointSettings)
      const value = readOption(field, option.flags, text)
      const all = Array.isArray(value) ? [...((valueAt(before, path) as unknown[] | undefined) ?? []), ...value] : value
      return settingAt(path, all) as EndpointSettings
    }
    return [{ ...option, settings }]
  }),
)

// An option that may be repeated gives a list each time.
function readOption({ input }: SettingField, flags: string, text: string): unknown {
  switch (input.kind) {
    case 'switch':
      return oneOf(['always', 'never'], text) === 'always'
    case 'choice':
      return oneOf(
        input.choices.map(({ value }) => value),
        text,
      )
    case 'number':
      if (flags.endsWith('<duration>')) return spanIn('s')(text)
      if (flags.endsWith('<ms>')) return spanIn('ms')(text)
      return flags.endsWith('<size>') ? sizeInBytes(text) : wholeNumber(text)
    case 'lines':
      if (input.of === 'volumes') return [volumeOf(text)]
      if (input.of === 'numbers') return [wholeNumber(text)]
      return flags.endsWith('<words...>') ? wordsOf(text) : [text]
    default:
      return text
  }
}

const OPTIONS: readonly EndpointOption[] = [
  { flags: '--workers <min,max>', description: 'minimum and maximum number of workers, like 0,3', settings: workers },
  {
    flags: '--env <name=value>',
    description: 'environment variable of the workers; may be repeated',
    settings: environment,
  },
  {
    flags: '--scale-by-delay <s>',
    description: 'add a worker when a job has waited this many seconds',
    settings: (text) => ({ scaler: { type: 'QUEUE_DELAY', value: decimal(text) } }),
  },
  {
    flags: '--scale-by-jobs <jobs>',
    description: 'run one worker for this many jobs',
    settings: (text) => ({ scaler: { type: 'REQUEST_COUNT', value: wholeNumber(text) } }),
  },
  {
    flags: '--calls-others',
    description: 'give workers a key for calls to other endpoints',
    settings: () => ({ callsOthers: true }),
  },
  {
    flags: '--cap-add <name>',
    description: 'capability to keep, like SYS_NICE; may be repeated',
    settings: (text, { container: { capabilities = [] } = {} }) => ({
      container: { capabilities: [...capabilities, text.toUpperCase()] },
    }),
  },
  {
    flags: '--without-worker <status>',
    description: 'status when no worker accepts a load-balanced request: 400, as on the platform (default), or 503',
    settings: (text) => ({ noWorkerIs503: oneOf(['400', '503'], text) === '503' }),
  },
  {
    flags: '--models <files>',
    description: 'workers take only workflows that use these models, like a.safetensors,b.pt; others are refused',
    settings: (text, before) => ({ workflows: { models: [...(before.workflows?.models ?? []), ...namesIn(text)] } }),
  },
  {
    flags: '--workflow-server <url>',
    description:
      'workers take workflows and pass them to this ComfyUI server; no handler, command or image is needed; may be repeated',
    settings: (text, { workflows: { server, moreServers = [] } = {} }) => ({
      workflows: server === undefined ? { server: text } : { server, moreServers: [...moreServers, text] },
    }),
  },
]

type ContainerSwitch = {
  readonly flags: string
  readonly description: string
  readonly name: string
  readonly given: boolean
  readonly settings: Partial<ContainerSettings>
}

const CONTAINER_SWITCHES: readonly ContainerSwitch[] = [
  {
    flags: '--container',
    description: 'run in containers, with the worker image of Drydock if none is named',
    name: 'container',
    given: true,
    settings: {},
  },
  {
    flags: '--gpu-shared',
    description: 'share the GPU with other workers that have this option',
    name: 'gpuShared',
    given: true,
    settings: { gpuShared: true },
  },
  {
    flags: '--no-egress',
    description: 'block network access except to this service',
    name: 'egress',
    given: false,
    settings: { egress: false },
  },
]

export type ProgramOptions = { readonly handler?: string; readonly command?: string }

export type EndpointOptions = ProgramOptions & Readonly<Record<string, unknown>>

export function addEndpointOptions(command: CliCommand, isNew = true): CliCommand {
  command
    .option('--handler <file>', 'handler file that the workers run: Python (.py) or TypeScript (.ts)')
    .option('--command <command>', 'command line of a worker, started in the current folder')
  for (const { flags, description, settings } of [...OPTIONS, ...OF_SETTINGS]) {
    // All repeated options are merged here: commander passes the result of the earlier uses.
    command.option(flags, description, (text: string, before: EndpointSettings | undefined) =>
      settings(text, before ?? {}, isNew),
    )
  }
  for (const { flags, description } of CONTAINER_SWITCHES) command.option(flags, description)
  return command
    .option('--no-container', 'run workers as processes on this machine')
    .option('--no-cors', 'do not allow pages of other origins to call it')
    .option('--workflows', 'workers take workflows')
    .option('--no-check-models', 'also accept graphs that load other models')
    .option('--load-balanced', 'workers answer HTTP requests themselves, on PORT, instead of taking jobs')
    .option('--port <port>', 'port that a load-balanced container listens on (default 80)', wholeNumber)
    .option('--health-port <port>', 'its port for health checks, if different', wholeNumber)
}

export function settingsOf(options: EndpointOptions, surroundings: Surroundings): EndpointSettings {
  const given = Object.values(options).filter(
    (value): value is EndpointSettings => typeof value === 'object' && value !== null,
  )
  const container = containers(options, given, surroundings)
  const { virtualEnv } = Object.assign({}, ...given) as EndpointSettings
  const search = container.container === undefined ? searchOfShell(options, surroundings) : {}
  return Object.assign(
    search,
    ...given,
    typeof virtualEnv === 'string' ? { virtualEnv: findVirtualEnv(virtualEnv, surroundings) } : {},
    options.callsOthers === true ? { callsOthers: true } : {},
    options.cors === false ? { cors: [] } : {},
    program(options, surroundings),
    container,
    loadBalanced(options),
    workflows(options, given),
  )
}

// Any of the options, even only a port, makes the endpoint load-balanced.
function loadBalanced({ loadBalanced: wanted, port, healthPort }: EndpointOptions): EndpointSettings {
  const ports = {
    ...(typeof port === 'number' ? { port } : {}),
    ...(typeof healthPort === 'number' ? { healthPort } : {}),
  }
  return wanted === true || Object.keys(ports).length > 0 ? { loadBalanced: ports } : {}
}

function workflows(options: EndpointOptions, given: readonly EndpointSettings[]): EndpointSettings {
  const parts = [
    ...given.flatMap((one) => one.workflows ?? []),
    ...(options.workflows === true ? [{}] : []),
    ...(options.checkModels === false ? [{ checkModels: false }] : []),
  ]
  return parts.length === 0 ? {} : { workflows: Object.assign({}, ...parts) }
}

// Any part, even an empty one, makes the workers containers.
function containers(
  options: EndpointOptions,
  given: readonly EndpointSettings[],
  surroundings: Surroundings,
): EndpointSettings {
  const parts = [
    ...given.flatMap(({ container }) => container ?? []),
    ...CONTAINER_SWITCHES.filter((each) => options[each.name] === each.given).map(({ settings }) => settings),
  ]
  if (options.container === false && parts.length > 0)
    throw usageError('--no-container makes workers processes, which do not take options of containers.')
  return parts.length === 0 ? {} : { container: withAbsoluteVolumes(Object.assign({}, ...parts), surroundings) }
}

function program({ handler, command }: ProgramOptions, { cwd }: Surroundings): EndpointSettings {
  if (handler !== undefined && command !== undefined) throw usageError('Give --handler or --command, not both.')
  if (handler !== undefined) return { handler: isAbsolute(handler) ? handler : resolve(cwd, handler) }
  return command === undefined ? {} : { command, cwd }
}

function workers(text: string): EndpointSettings {
  const [, min, max] = /^(\d{1,3}),(\d{1,3})$/.exec(text) ?? []
  if (min === undefined || max === undefined) throw new InvalidArgumentError('Give two whole numbers, like 0,3.')
  if (Number(min) > Number(max)) throw new InvalidArgumentError('The first number must not be above the second.')
  return { workersMin: Number(min), workersMax: Number(max) }
}

function namesIn(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('Give file names, separated by commas.')
  return names
}

function environment(text: string, before: EndpointSettings): EndpointSettings {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Give NAME=VALUE.')
  return { env: { ...before.env, [name]: value } }
}

function withAbsoluteVolumes(
  settings: Partial<ContainerSettings>,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): Partial<ContainerSettings> {
  if (settings.volumes === undefined) return settings
  const absolute = (source: string) => {
    if (source === '~' || source.startsWith('~/')) return join(home, source.slice(1))
    return isAbsolute(source) || !/^\.|[/\\]/.test(source) ? source : resolve(cwd, source)
  }
  return { ...settings, volumes: settings.volumes.map((each) => ({ ...each, source: absolute(each.source) })) }
}

function volumeOf(text: string): ContainerSettings['volumes'][number] {
  const volume = readVolume(text)
  if (volume === undefined)
    throw new InvalidArgumentError('Give HOST:CONTAINER or HOST:CONTAINER:ro, like ./models:/models:ro.')
  return volume
}
