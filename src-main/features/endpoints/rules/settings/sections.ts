import type { EndpointConfig } from '../../../../contract/endpoint.ts'
import { CONTAINER_SECTIONS } from './container-sections.ts'
import type { SettingField, SettingSection } from './setting.ts'

const SECONDS = { kind: 'number', unit: 's', factor: 1000 } as const
const PERCENT = { kind: 'number', unit: '%', optional: true } as const

const GENERAL: readonly SettingField[] = [
  {
    path: 'name',
    label: 'Name',
    help: 'The display name. The id in its address does not change.',
    input: { kind: 'text' },
  },
  {
    path: 'callsOthers',
    label: 'Can call other endpoints',
    help: 'Workers get a key for calls to other endpoints of this service, in the variable that the SDKs read.',
    input: { kind: 'switch' },
    startsWorkers: true,
  },
  {
    path: 'cors',
    label: 'Allowed origins',
    help: 'Web pages that may call it, one origin per line, like http://localhost:5173. They still need its key. Empty: only programs can call it.',
    input: { kind: 'lines', of: 'text', optional: true },
    option: {
      flags: '--cors <origin>',
      description:
        'origin of pages that may call the endpoint with its key, like http://localhost:5173; may be repeated',
    },
    survivesDeploys: true,
  },
  {
    path: 'ttlWhileRunning',
    label: 'Time to live exceeded while running',
    help: 'A job that is forgotten gets 404 from the job API, as the platform documents. Pages and commands still show it.',
    missing: 'forget the job',
    input: {
      kind: 'choice',
      choices: [
        { value: 'forget', label: 'Forget the job' },
        { value: 'keep', label: 'Keep it as TIMED_OUT' },
      ],
    },
    option: {
      flags: '--ttl-while-running <what>',
      description:
        'what to do with a job whose ttl expires while it runs: forget (the API answers 404) or keep as TIMED_OUT (default: forget)',
    },
    survivesDeploys: true,
    applies: ({ loadBalanced }) => loadBalanced === undefined,
  },
  {
    path: 'emptyInput',
    label: 'Empty input',
    help: 'For jobs whose input is {}, which the platform does not run.',
    missing: 'run it, with a warning',
    input: {
      kind: 'choice',
      choices: [
        { value: 'run', label: 'Run it' },
        { value: 'refuse', label: 'Refuse it' },
      ],
    },
    option: {
      flags: '--empty-input <what>',
      description: 'jobs whose input is {}: run (with a warning) or refuse (default: run)',
    },
    survivesDeploys: true,
    applies: ({ loadBalanced }) => loadBalanced === undefined,
  },
  {
    path: 'streamForm',
    label: 'Stream format',
    help: 'For clients that do not ask with ?format=. By the client: an array, as specified, but an object with the state for those known to need it.',
    missing: 'by the client',
    input: {
      kind: 'choice',
      choices: [
        { value: 'array', label: 'Array' },
        { value: 'object', label: 'Object with the state' },
      ],
    },
    option: {
      flags: '--stream-form <form>',
      description:
        'stream format for clients that do not ask for one: array or object (default: depends on the client)',
    },
    survivesDeploys: true,
    applies: ({ loadBalanced }) => loadBalanced === undefined,
  },
  {
    path: 'cancelOnDisconnect',
    label: 'Cancel when the client disconnects',
    help: 'Cancels the job of an OpenAI request whose client disconnects, so that its worker is free for others.',
    input: { kind: 'switch', unset: true },
    option: {
      flags: '--cancel-on-disconnect <when>',
      description: 'cancel the job of an OpenAI request when its client disconnects: always or never (default: always)',
    },
    survivesDeploys: true,
    applies: ({ loadBalanced }) => loadBalanced === undefined,
  },
  {
    path: 'noWorkerIs503',
    label: 'Answer 503 without a worker',
    help: 'When on, a request that no worker takes gets 503. When off, it gets 400, as on the platform.',
    input: { kind: 'switch' },
    survivesDeploys: true,
    applies: ({ loadBalanced }) => loadBalanced !== undefined,
  },
]

const PROGRAM: readonly SettingField[] = [
  {
    path: 'handler',
    label: 'Handler file',
    help: 'Absolute path of a file with a handler, in Python or TypeScript. Replaces a command.',
    input: { kind: 'path', wants: 'handler', title: 'Choose a handler file' },
    startsWorkers: true,
    applies: ({ handler, loadBalanced }) => handler !== undefined || loadBalanced === undefined,
  },
  {
    path: 'command',
    label: 'Command',
    help: 'Command line of a program that takes jobs through the worker protocol, or serves HTTP. Replaces a handler file.',
    input: { kind: 'text', mono: true },
    startsWorkers: true,
  },
  {
    path: 'cwd',
    label: 'Working folder',
    help: 'Absolute folder in which it runs.',
    missing: 'the folder of the handler file',
    input: { kind: 'text', mono: true },
    startsWorkers: true,
  },
  {
    path: 'searchPath',
    label: 'Search path',
    help: 'PATH of its processes, where programs are looked up.',
    missing: 'the PATH of the service',
    input: { kind: 'text', mono: true },
    option: {
      flags: '--search-path <path>',
      description: 'PATH of process workers (default for --command: that of this shell)',
    },
    startsWorkers: true,
    applies: ({ container }) => container === undefined,
  },
  {
    path: 'virtualEnv',
    label: 'Virtual environment',
    help: 'Folder of a Python virtual environment. Its interpreter runs the handler, and its programs come first on the search path.',
    input: { kind: 'text', mono: true, optional: true },
    option: {
      flags: '--virtual-env <folder>',
      description: 'Python virtual environment of process workers (default: the active one)',
    },
    startsWorkers: true,
    applies: ({ container }) => container === undefined,
  },
  {
    path: 'model',
    label: 'Model',
    help: 'A model of the hub, like owner/name:revision. Its files are downloaded before workers start and are available to them as a folder.',
    input: { kind: 'text', mono: true, optional: true },
    option: {
      flags: '--model <owner/name>',
      description: 'model of the hub that is downloaded before workers start, like owner/name:revision',
    },
    startsWorkers: true,
  },
  {
    path: 'reloadOnSave',
    label: 'Reload on save',
    help: 'Replaces workers when the file that they run, or one that it imports, is saved. Calls run the previous code until a worker with the new code is ready. Busy workers finish their jobs first.',
    input: { kind: 'switch', unset: true },
    option: {
      flags: '--reload-on-save <when>',
      description:
        'on save of the program file or an import, replace workers once one with the new code is ready: always or never (default: always)',
    },
    survivesDeploys: true,
    applies: ({ handler, container, app }) => (handler !== undefined || container === undefined) && app === undefined,
  },
  {
    path: 'concurrency',
    label: 'Jobs at once',
    help: 'How many jobs a worker runs at the same time. More than one needs an async handler.',
    input: { kind: 'number', unit: 'jobs per worker' },
    option: { flags: '--concurrency <jobs>', description: 'jobs that a worker runs at once' },
    startsWorkers: true,
  },
  {
    path: 'loadBalanced.port',
    label: 'Port',
    help: 'The port its container listens on, set as PORT. A process gets a free one.',
    input: { kind: 'number', unit: '' },
    startsWorkers: true,
    applies: ({ loadBalanced }) => loadBalanced !== undefined,
  },
  {
    path: 'loadBalanced.healthPort',
    label: 'Health port',
    help: 'The port that is asked for /ping, or for the path in the variable HEALTH_CHECK_PATH, if different. The variable PORT_HEALTH takes precedence.',
    missing: 'the port',
    input: { kind: 'number', unit: '' },
    startsWorkers: true,
    applies: ({ loadBalanced }) => loadBalanced !== undefined,
  },
]

const SCALING: readonly SettingField[] = [
  {
    path: 'workersMin',
    label: 'Minimum workers',
    help: 'This many stay ready, even when idle. With 0, the first job after an idle time waits for a worker to start.',
    input: { kind: 'number', unit: 'workers' },
  },
  {
    path: 'workersMax',
    label: 'Maximum workers',
    help: 'Jobs beyond their capacity wait. With 0, the endpoint is closed and refuses jobs.',
    input: { kind: 'number', unit: 'workers' },
  },
  {
    path: 'batchWorkersMax',
    label: 'Batch workers',
    help: 'Workers above the maximum that run only batch jobs, in slots that no other worker needs. With 0, the other workers run batch jobs after all other jobs.',
    missing: '1',
    input: { kind: 'number', unit: 'workers' },
    option: {
      flags: '--batch-workers <number>',
      description: 'maximum number of workers that run only batch jobs (default: 1)',
    },
    survivesDeploys: true,
    applies: ({ loadBalanced }) => loadBalanced === undefined,
  },
  {
    path: 'scaler.type',
    label: 'Scale by',
    help: 'When to start another worker.',
    input: {
      kind: 'choice',
      choices: [
        { value: 'QUEUE_DELAY', label: 'Waiting time' },
        { value: 'REQUEST_COUNT', label: 'Number of jobs' },
      ],
    },
  },
  {
    path: 'scaler.value',
    label: 'Wait before scaling',
    help: 'Another worker starts when a job has waited this long.',
    input: { kind: 'number', unit: 's' },
    applies: ({ scaler }) => scaler.type === 'QUEUE_DELAY',
  },
  {
    path: 'scaler.value',
    label: 'Jobs per worker',
    help: 'One worker for each group of this many waiting or running jobs.',
    input: { kind: 'number', unit: 'jobs per worker' },
    applies: ({ scaler }) => scaler.type === 'REQUEST_COUNT',
  },
  {
    path: 'idleTimeoutMs',
    label: 'Idle timeout',
    help: 'A worker above the minimum stops after being idle for this long.',
    input: SECONDS,
    option: {
      flags: '--idle-timeout <duration>',
      description: 'how long an idle worker is kept before it stops, in seconds or like 5min',
    },
  },
  {
    path: 'freezeIdle',
    label: 'Freeze idle processes',
    help: 'An idle process uses no CPU and wakes for the next job. Turn off for handlers that work between jobs.',
    input: { kind: 'switch', unset: true },
    option: { flags: '--freeze-idle <when>', description: 'freeze idle processes until the next job: always or never' },
    applies: ({ container, loadBalanced }) => container === undefined && loadBalanced === undefined,
  },
]

const LIMITS: readonly SettingField[] = [
  {
    path: 'executionTimeoutMs',
    label: 'Execution timeout',
    help: 'A job that runs longer is stopped and ends as timed out. A request can set its own limit.',
    input: SECONDS,
    option: { flags: '--execution-timeout <ms>', description: 'maximum run time of a job in ms, or like 60s' },
  },
  {
    path: 'initializingTimeoutMs',
    label: 'Start timeout',
    help: 'A worker that is not ready by then is stopped. Pulling an image does not count.',
    input: SECONDS,
    option: { flags: '--initializing-timeout <ms>', description: 'maximum start time of a worker in ms, or like 5min' },
  },
  {
    path: 'stopGraceMs',
    label: 'Grace time',
    help: 'How long a stopping worker may take to finish its jobs.',
    input: SECONDS,
    option: { flags: '--stop-grace <ms>', description: 'time for a worker to stop, in ms or like 10s' },
  },
  {
    path: 'redispatches',
    label: 'Retries after a lost worker',
    help: 'How many times a job goes back to the queue when its worker is lost, before it fails.',
    input: { kind: 'number', unit: 'times' },
    option: { flags: '--redispatches <times>', description: 'retries of a job whose worker was lost' },
  },
  {
    path: 'waitForMachineMs',
    label: 'Wait for a lost machine',
    help: 'For jobs that must not run twice: how long a job waits for its unreachable machine before another worker starts it again.',
    missing: '0, which does not wait',
    input: { kind: 'number', unit: 's', factor: 1000 },
    option: {
      flags: '--wait-for-machine <ms>',
      description:
        'how long to wait for a lost machine before its jobs are queued again, in ms or like 5min (default: 0)',
    },
    survivesDeploys: true,
    applies: ({ loadBalanced, container }) => loadBalanced === undefined && container !== undefined,
  },
]

const VARIABLES: readonly SettingField[] = [
  {
    path: 'env',
    label: 'Variables',
    help: 'Environment variables of its workers. To add several, paste the contents of a .env file into a name field.',
    input: { kind: 'variables' },
    startsWorkers: true,
  },
]

const takesWorkflows = ({ workflows }: EndpointConfig) => workflows !== undefined

const hasServer = ({ workflows }: EndpointConfig) => workflows?.server !== undefined

const WORKFLOWS: readonly SettingField[] = [
  {
    path: 'workflows',
    label: 'Takes workflows',
    help: 'Its workers run graphs of nodes: the editor lists it, and its jobs appear in the gallery.',
    input: { kind: 'switch' },
  },
  {
    path: 'workflows.models',
    label: 'Installed models',
    help: 'File names as nodes use them, one per line. Empty: models are not checked.',
    input: { kind: 'lines', of: 'text', optional: true },
    applies: takesWorkflows,
  },
  {
    path: 'workflows.checkModels',
    label: 'Refuse other models',
    help: 'When on, a graph that loads a model that is not installed is refused at once, not after it has waited.',
    input: { kind: 'switch', unset: true },
    applies: ({ workflows }) => workflows?.models !== undefined,
  },
  {
    path: 'workflows.modelFolders',
    label: 'Models of this machine',
    help: 'When on, containers get the folders of the Models page, read-only at /opt/drydock/models, and a ComfyUI image finds them. For a bridge, their models count as installed.',
    input: { kind: 'switch', unset: true },
    applies: takesWorkflows,
  },
  {
    path: 'workflows.server',
    label: 'ComfyUI server',
    help: 'Address of the server that the bridge uses, like http://127.0.0.1:8188 or http://user:password@host:8188.',
    input: { kind: 'server', optional: true },
    applies: takesWorkflows,
  },
  {
    path: 'workflows.moreServers',
    label: 'More ComfyUI servers',
    help: 'Addresses, one per line. Each server that answers then has one worker, and a graph goes to a server that has its node classes and models, preferably already loaded.',
    input: { kind: 'lines', of: 'text', optional: true },
    applies: hasServer,
  },
  {
    path: 'workflows.drainedServers',
    label: 'Drained ComfyUI servers',
    help: 'Addresses, one per line. These servers finish their prompts and get no new ones.',
    input: { kind: 'lines', of: 'text', optional: true },
    applies: hasServer,
  },
  {
    path: 'exclusiveGroup',
    label: 'Exclusive group',
    help: 'Give the same name to endpoints whose ComfyUI servers share the memory of one GPU. They run jobs in turns, and a server unloads its models before the next one starts.',
    input: { kind: 'text', optional: true },
    survivesDeploys: true,
    applies: hasServer,
    option: {
      flags: '--exclusive-group <name>',
      description:
        'run jobs in turns with the other endpoints of this group, whose servers share the memory of one GPU',
    },
  },
  {
    path: 'comfyuiWithoutKey',
    label: 'ComfyUI clients without a key',
    help: 'Most ComfyUI clients cannot send a key. If this is on, all programs and users of this machine may run workflows here. Web pages of other sites still cannot.',
    input: { kind: 'switch' },
    option: {
      flags: '--comfyui-without-key <when>',
      description: 'whether ComfyUI clients on this machine need no key: always or never',
    },
    survivesDeploys: true,
    applies: takesWorkflows,
  },
  {
    path: 'comfyuiPort',
    label: 'Port for ComfyUI clients',
    help: 'For clients that accept only a host and a port: the endpoint acts as a ComfyUI server at this port of 127.0.0.1. ComfyUI itself uses 8188.',
    input: { kind: 'number', unit: '', optional: true },
    option: {
      flags: '--comfyui-port <port>',
      description:
        'port of 127.0.0.1 for ComfyUI clients that accept only a host and a port, such as 8188; an empty value closes it',
    },
    survivesDeploys: true,
    applies: takesWorkflows,
  },
]

const FAULTS: readonly SettingField[] = [
  {
    path: 'faults.delayMs',
    label: 'Delay',
    help: 'Clients see: each job waits at least this long for a worker. Requests to a load-balanced endpoint are delayed.',
    input: { kind: 'number', unit: 's', factor: 1000, optional: true },
    survivesDeploys: true,
  },
  {
    path: 'faults.failPercent',
    label: 'Fail',
    help: 'Clients see: this percentage of jobs fails, or of requests gets status 500.',
    input: PERCENT,
    survivesDeploys: true,
  },
  {
    path: 'faults.killPercent',
    label: 'Kill',
    help: 'Clients see: jobs that take longer or are retried, and some that fail because their worker was lost.',
    input: PERCENT,
    survivesDeploys: true,
  },
  {
    path: 'faults.outOfMemoryPercent',
    label: 'Out of memory',
    help: 'Clients see: the same, with an error that says out of memory.',
    input: PERCENT,
    survivesDeploys: true,
  },
  {
    path: 'faults.throttle',
    label: 'Throttle',
    help: 'Clients see: jobs that wait because there is no capacity for another worker.',
    input: { kind: 'switch' },
    survivesDeploys: true,
  },
  {
    path: 'faults.coldStart',
    label: 'Always cold start',
    help: 'Clients see: every job waits for a new worker, which runs only this job and ends.',
    input: { kind: 'switch' },
    survivesDeploys: true,
  },
]

export const FAULT_SECTION = 'faults'

const GENERAL_SECTION: SettingSection = { id: 'general', title: 'General', fields: GENERAL }

export const SETTING_SECTIONS: readonly SettingSection[] = [
  GENERAL_SECTION,
  { id: 'program', title: 'Program', fields: PROGRAM },
  { id: 'scaling', title: 'Scaling', fields: SCALING },
  { id: 'limits', title: 'Limits and times', fields: LIMITS },
  { id: 'variables', title: 'Variables', fields: VARIABLES },
  ...CONTAINER_SECTIONS,
  { id: 'workflows', title: 'Workflows', fields: WORKFLOWS },
  {
    id: FAULT_SECTION,
    title: 'Fault injection',
    about: 'Simulated failures, to test how clients handle them. All are off by default.',
    fields: FAULTS,
  },
]

export function appliedSections(config: EndpointConfig): readonly SettingSection[] {
  const isGraph = config.graph !== undefined
  const sections = isGraph ? [GENERAL_SECTION] : SETTING_SECTIONS
  const isApplied = ({ applies, startsWorkers }: SettingField) =>
    applies?.(config) !== false && !(isGraph && startsWorkers === true)
  return sections
    .map((section) => ({ ...section, fields: section.fields.filter(isApplied) }))
    .filter(({ fields }) => fields.length > 0)
}

export function settingsWith(mark: 'startsWorkers' | 'survivesDeploys'): readonly (keyof EndpointConfig)[] {
  const marked = SETTING_SECTIONS.flatMap(({ fields }) => fields.filter((field) => field[mark] === true))
  return [...new Set(marked.map(({ path }) => path.split('.')[0] as keyof EndpointConfig))]
}
