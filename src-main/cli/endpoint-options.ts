import { isAbsolute, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { EndpointConfig } from '../contract/endpoint.ts'
import { usageError } from './cli-error.ts'
import {
  CONTAINER_OPTIONS,
  CONTAINER_SWITCHES,
  type SomeContainerSettings,
  withAbsoluteVolumes,
} from './container-options.ts'
import { decimal, oneOf, spanInMs, wholeNumber } from './option-values.ts'
import { findVirtualEnv, searchOfShell } from './program-search.ts'
import type { Surroundings } from './surroundings.ts'

/** Some settings of an endpoint. */
export type EndpointSettings = Partial<Omit<EndpointConfig, 'container' | 'loadBalanced' | 'workflows'>> & {
  readonly workflows?: Partial<NonNullable<EndpointConfig['workflows']>>
  readonly container?: SomeContainerSettings
  readonly loadBalanced?: { readonly port?: number; readonly healthPort?: number }
}

/** One option of `endpoint create` and `update`: what it is called, and the settings it stands for. */
type EndpointOption = {
  readonly flags: string
  readonly description: string
  readonly settings: (text: string, before: EndpointSettings) => EndpointSettings
}

const CONTAINERS: readonly EndpointOption[] = CONTAINER_OPTIONS.map(({ flags, description, settings }) => ({
  flags,
  description,
  settings: (text, before) => ({ container: settings(text, before.container ?? {}) }),
}))

const OPTIONS: readonly EndpointOption[] = [
  { flags: '--workers <min,max>', description: 'minimum and maximum number of workers, like 0,3', settings: workers },
  {
    flags: '--idle-timeout <duration>',
    description: 'how long until an idle worker stops, in seconds or like 5min',
    settings: (text) => ({ idleTimeoutMs: spanInMs(text) }),
  },
  {
    flags: '--freeze-idle <when>',
    description: 'freeze idle processes until the next job: always or never',
    settings: (text) => ({ freezeIdle: oneOf(['always', 'never'], text) === 'always' }),
  },
  {
    flags: '--reload-on-save <when>',
    description:
      'replace workers when the file that they run, or one that it imports, is saved, as soon as a worker with the new code is ready: always or never (default: always)',
    settings: (text) => ({ reloadOnSave: oneOf(['always', 'never'], text) === 'always' }),
  },
  {
    flags: '--concurrency <jobs>',
    description: 'jobs that a worker runs at once',
    settings: (text) => ({ concurrency: wholeNumber(text) }),
  },
  {
    flags: '--env <name=value>',
    description: 'environment variable of the workers; may be repeated',
    settings: environment,
  },
  {
    flags: '--search-path <path>',
    description: 'PATH of process workers (default for --command: that of this shell)',
    settings: (text) => ({ searchPath: text }),
  },
  {
    flags: '--virtual-env <folder>',
    description: 'Python virtual environment of process workers (default: the active one)',
    settings: (text) => ({ virtualEnv: text }),
  },
  {
    flags: '--model <owner/name>',
    description: 'model of the hub that is downloaded before workers start, like owner/name:revision',
    settings: (text) => ({ model: text }),
  },
  {
    flags: '--execution-timeout <ms>',
    description: 'maximum run time of a job in ms',
    settings: (text) => ({ executionTimeoutMs: wholeNumber(text) }),
  },
  {
    flags: '--initializing-timeout <ms>',
    description: 'maximum start time of a worker in ms',
    settings: (text) => ({ initializingTimeoutMs: wholeNumber(text) }),
  },
  {
    flags: '--stop-grace <ms>',
    description: 'time for a worker to stop, in ms',
    settings: (text) => ({ stopGraceMs: wholeNumber(text) }),
  },
  {
    flags: '--redispatches <times>',
    description: 'retries of a job whose worker was lost',
    settings: (text) => ({ redispatches: wholeNumber(text) }),
  },
  {
    flags: '--wait-for-machine <ms>',
    description: 'how long a job whose machine is lost waits for it before it is queued again, in ms (default: 0)',
    settings: (text) => ({ waitForMachineMs: wholeNumber(text) }),
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
    flags: '--cors <origin>',
    description: 'origin of pages that may call the endpoint with its key, like http://localhost:5173; may be repeated',
    settings: (text, before) => ({ cors: [...(before.cors ?? []), text] }),
  },
  {
    flags: '--stream-form <form>',
    description: 'stream format for clients that do not ask for one: array or object (default: depends on the client)',
    settings: (text) => ({ streamForm: oneOf(['array', 'object'], text) }),
  },
  {
    flags: '--empty-input <what>',
    description: 'jobs whose input is {}: run (with a warning) or refuse (default: run)',
    settings: (text) => ({ emptyInput: oneOf(['run', 'refuse'], text) }),
  },
  {
    flags: '--ttl-while-running <what>',
    description:
      'jobs whose ttl passes while they run: forget (the API answers 404) or keep as TIMED_OUT (default: forget)',
    settings: (text) => ({ ttlWhileRunning: oneOf(['forget', 'keep'], text) }),
  },
  {
    flags: '--cancel-on-disconnect <when>',
    description: 'cancel the job of an OpenAI request when its client disconnects: always or never (default: always)',
    settings: (text) => ({ cancelOnDisconnect: oneOf(['always', 'never'], text) === 'always' }),
  },
  {
    flags: '--without-worker <status>',
    description: 'status of a load-balanced request that no worker takes: 400, as on the platform (default), or 503',
    settings: (text) => ({ noWorkerIs503: oneOf(['400', '503'], text) === '503' }),
  },
  {
    flags: '--models <files>',
    description: 'workers take workflows and have these models, like a.safetensors,b.pt; others are refused',
    settings: (text, before) => ({ workflows: { models: [...(before.workflows?.models ?? []), ...namesIn(text)] } }),
  },
  {
    flags: '--workflow-server <url>',
    description: 'workers take workflows and pass them to this ComfyUI server; no handler, command or image is needed',
    settings: (text) => ({ workflows: { server: text } }),
  },
]

/** Options that say what an endpoint runs. */
export type ProgramOptions = { readonly handler?: string; readonly command?: string }

/** What commander reads of the options of `create` and `update`. */
export type EndpointOptions = ProgramOptions & Readonly<Record<string, unknown>>

/** Adds the options from which `settingsOf` makes the settings of an endpoint. */
export function addEndpointOptions(command: Command): Command {
  command
    .option('--handler <file>', 'handler file that the workers run: Python (.py) or TypeScript (.ts)')
    .option('--command <command>', 'command line of a worker, started in the current folder')
  for (const { flags, description, settings } of [...OPTIONS, ...CONTAINERS]) {
    // One place for all of them: commander hands over what was made of the option's earlier uses.
    command.option(flags, description, (text: string, before: EndpointSettings | undefined) =>
      settings(text, before ?? {}),
    )
  }
  for (const { flags, description } of CONTAINER_SWITCHES) command.option(flags, description)
  return command
    .option('--no-cors', 'let no page of another origin call it')
    .option('--workflows', 'workers take workflows')
    .option('--no-check-models', 'also accept graphs that load other models')
    .option('--load-balanced', 'workers answer HTTP requests themselves, on PORT, instead of taking jobs')
    .option('--port <port>', 'port that a load-balanced container listens on (default 80)', wholeNumber)
    .option('--health-port <port>', 'its port for health checks, if that is a different one', wholeNumber)
}

/** The settings that the given options stand for. */
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

// Any of the options, even a port alone, makes the endpoint load-balanced.
function loadBalanced({ loadBalanced: wanted, port, healthPort }: EndpointOptions): EndpointSettings {
  const ports = {
    ...(typeof port === 'number' ? { port } : {}),
    ...(typeof healthPort === 'number' ? { healthPort } : {}),
  }
  return wanted === true || Object.keys(ports).length > 0 ? { loadBalanced: ports } : {}
}

// Any of the options makes it an endpoint for workflows.
function workflows(options: EndpointOptions, given: readonly EndpointSettings[]): EndpointSettings {
  const parts = [
    ...given.flatMap((one) => one.workflows ?? []),
    ...(options.workflows === true ? [{}] : []),
    ...(options.checkModels === false ? [{ checkModels: false }] : []),
  ]
  return parts.length === 0 ? {} : { workflows: Object.assign({}, ...parts) }
}

// Each option brings a part of them; any part, even an empty one, makes the workers containers.
function containers(
  options: EndpointOptions,
  given: readonly EndpointSettings[],
  surroundings: Surroundings,
): EndpointSettings {
  const parts = [
    ...given.flatMap(({ container }) => container ?? []),
    ...CONTAINER_SWITCHES.filter((each) => options[each.name] === each.given).map(({ settings }) => settings),
  ]
  return parts.length === 0 ? {} : { container: withAbsoluteVolumes(Object.assign({}, ...parts), surroundings) }
}

// Whether the handler is a file says the service, on whose machine it has to be.
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
