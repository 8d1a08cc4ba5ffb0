/** Every setting of an endpoint that a person may change, section by section. Settings of containers are in their own file. */
import type { EndpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { CONTAINER_SECTIONS } from './container-sections.ts'
import type { SettingField, SettingSection } from './setting-field.ts'

const SECONDS = { kind: 'number', unit: 's', factor: 1000 } as const
const PERCENT = { kind: 'number', unit: '%', optional: true } as const

const GENERAL: readonly SettingField[] = [
  {
    path: 'name',
    label: 'Name',
    help: 'What people see. The id in its address stays as it is.',
    input: { kind: 'text' },
  },
  {
    path: 'callsOthers',
    label: 'May call other endpoints',
    help: 'Workers get a key for calls to other endpoints of this service, as the variable that the SDKs read.',
    input: { kind: 'switch' },
  },
  {
    path: 'cors',
    label: 'Pages that may call it',
    help: 'Origins of web pages, one a line, like http://localhost:5173. They still need its key. Without any, only programs may.',
    input: { kind: 'lines', of: 'text', optional: true },
  },
  {
    path: 'streamForm',
    label: 'Form of a stream',
    help: 'For clients that do not ask with ?format=. None: an array, as specified, and an object with the state for clients that are known to need it.',
    input: {
      kind: 'choice',
      optional: true,
      choices: [
        { value: 'array', label: 'Array' },
        { value: 'object', label: 'Object with the state' },
      ],
    },
    applies: ({ loadBalanced }) => loadBalanced === undefined,
  },
]

const PROGRAM: readonly SettingField[] = [
  {
    path: 'handler',
    label: 'Handler file',
    help: 'Absolute path of a file with a handler, in Python or TypeScript. It takes the place of a command.',
    input: { kind: 'path', wants: 'handler', title: 'Choose a handler file' },
    applies: ({ handler, loadBalanced }) => handler !== undefined || loadBalanced === undefined,
  },
  {
    path: 'command',
    label: 'Command',
    help: 'Command line of a program that takes jobs by the worker protocol, or answers HTTP. It takes the place of a handler file.',
    input: { kind: 'text', mono: true },
  },
  {
    path: 'cwd',
    label: 'Working folder',
    help: 'Absolute folder in which it runs. Without it: the folder of the handler file.',
    input: { kind: 'text', mono: true, optional: true },
  },
  {
    path: 'searchPath',
    label: 'Search path',
    help: 'PATH of its processes: where programs are looked for. Without it: that of the service.',
    input: { kind: 'text', mono: true, optional: true },
    applies: ({ container }) => container === undefined,
  },
  {
    path: 'virtualEnv',
    label: 'Virtual environment',
    help: 'VIRTUAL_ENV of its processes: a folder of Python packages. Its programs are found by the search path.',
    input: { kind: 'text', mono: true, optional: true },
    applies: ({ container }) => container === undefined,
  },
  {
    path: 'concurrency',
    label: 'Jobs at once',
    help: 'How many jobs one worker runs side by side. More than one needs an async handler.',
    input: { kind: 'number', unit: 'jobs per worker' },
  },
  {
    path: 'loadBalanced.port',
    label: 'Port',
    help: 'On which its container listens, told as PORT. A process gets a free one.',
    input: { kind: 'number', unit: '' },
    applies: ({ loadBalanced }) => loadBalanced !== undefined,
  },
  {
    path: 'loadBalanced.healthPort',
    label: 'Port for /ping',
    help: 'Where GET /ping is answered, if that is another port.',
    input: { kind: 'number', unit: '', optional: true },
    applies: ({ loadBalanced }) => loadBalanced !== undefined,
  },
]

const SCALING: readonly SettingField[] = [
  {
    path: 'workersMin',
    label: 'Fewest workers',
    help: 'So many stay ready, also when there is nothing to do. With 0 the first job after a rest waits for a start.',
    input: { kind: 'number', unit: 'workers' },
  },
  {
    path: 'workersMax',
    label: 'Most workers',
    help: 'More jobs than they can run wait. With 0 the endpoint is closed and refuses jobs.',
    input: { kind: 'number', unit: 'workers' },
  },
  {
    path: 'scaler.type',
    label: 'Grows by',
    help: 'When a further worker starts.',
    input: {
      kind: 'choice',
      choices: [
        { value: 'QUEUE_DELAY', label: 'How long a job waits' },
        { value: 'REQUEST_COUNT', label: 'How many jobs there are' },
      ],
    },
  },
  {
    path: 'scaler.value',
    label: 'Wait before it grows',
    help: 'A further worker starts when a job has waited so long.',
    input: { kind: 'number', unit: 's' },
    applies: ({ scaler }) => scaler.type === 'QUEUE_DELAY',
  },
  {
    path: 'scaler.value',
    label: 'Jobs for one worker',
    help: 'There is one worker for so many jobs that wait or run.',
    input: { kind: 'number', unit: 'jobs per worker' },
    applies: ({ scaler }) => scaler.type === 'REQUEST_COUNT',
  },
  {
    path: 'idleTimeoutMs',
    label: 'Stops after',
    help: 'A worker above the fewest stops when it had nothing to do for so long.',
    input: SECONDS,
  },
  {
    path: 'freezeIdle',
    label: 'Freeze idle processes',
    help: 'A process that waits for a job uses no processor and goes on with the next one. Off, for handlers that work between jobs.',
    input: { kind: 'switch', unset: true },
    applies: ({ container, loadBalanced }) => container === undefined && loadBalanced === undefined,
  },
]

const LIMITS: readonly SettingField[] = [
  {
    path: 'executionTimeoutMs',
    label: 'Longest job',
    help: 'A job that runs longer is stopped and ends as timed out. A request may ask for another limit.',
    input: SECONDS,
  },
  {
    path: 'initializingTimeoutMs',
    label: 'Longest start',
    help: 'A worker that is not ready by then is stopped. The pull of an image is not counted.',
    input: SECONDS,
  },
  {
    path: 'stopGraceMs',
    label: 'Time to stop',
    help: 'So long a worker that is told to stop may end what it does.',
    input: SECONDS,
  },
  {
    path: 'redispatches',
    label: 'New tries after a lost worker',
    help: 'A job whose worker was lost goes back to the queue so often, then it fails.',
    input: { kind: 'number', unit: 'times' },
  },
]

const VARIABLES: readonly SettingField[] = [
  {
    path: 'env',
    label: 'Variables',
    help: 'Environment of its workers. A whole .env file can be pasted into a name.',
    input: { kind: 'variables' },
  },
]

const takesWorkflows = ({ workflows }: EndpointConfig) => workflows !== undefined

const WORKFLOWS: readonly SettingField[] = [
  {
    path: 'workflows',
    label: 'Takes workflows',
    help: 'Its workers run graphs of nodes: the editor offers it, and its jobs are in the gallery.',
    input: { kind: 'switch' },
  },
  {
    path: 'workflows.models',
    label: 'Models that are installed',
    help: 'Names of the files as nodes ask for them, one a line. Without any nobody knows, and none is checked.',
    input: { kind: 'lines', of: 'text', optional: true },
    applies: takesWorkflows,
  },
  {
    path: 'workflows.checkModels',
    label: 'Refuse other models',
    help: 'On, a graph that loads a model which is not installed is refused at once, and not after it has waited.',
    input: { kind: 'switch' },
    applies: ({ workflows }) => workflows?.models !== undefined,
  },
  {
    path: 'workflows.modelFolders',
    label: 'Models of this machine',
    help: 'On, containers have the folders of the Models page, read-only at /opt/drydock/models, and a ComfyUI image finds them. Behind a bridge their models count as installed.',
    input: { kind: 'switch' },
    applies: takesWorkflows,
  },
  {
    path: 'workflows.server',
    label: 'ComfyUI server',
    help: 'Address of the server behind the bridge, like http://127.0.0.1:8188 or http://user:password@host:8188.',
    input: { kind: 'server', optional: true },
    applies: takesWorkflows,
  },
]

const FAULTS: readonly SettingField[] = [
  {
    path: 'faults.delayMs',
    label: 'Delay',
    help: 'Clients see: each job waits at least so long for a worker. A request to a load-balanced endpoint is passed on later.',
    input: { kind: 'number', unit: 's', factor: 1000, optional: true },
  },
  {
    path: 'faults.failPercent',
    label: 'Fail',
    help: 'Clients see: this share of the jobs ends as failed, and of the requests is answered 500.',
    input: PERCENT,
  },
  {
    path: 'faults.killPercent',
    label: 'Kill',
    help: 'Clients see: jobs that take longer or are tried again, and some that fail with a lost worker.',
    input: PERCENT,
  },
  {
    path: 'faults.outOfMemoryPercent',
    label: 'Out of memory',
    help: 'Clients see: the same, with an error that says out of memory.',
    input: PERCENT,
  },
  {
    path: 'faults.throttle',
    label: 'Throttle',
    help: 'Clients see: jobs that wait, as no place is found for a further worker.',
    input: { kind: 'switch' },
  },
  {
    path: 'faults.coldStart',
    label: 'Cold start always',
    help: 'Clients see: every job waits for the start of a worker, which runs this one and ends.',
    input: { kind: 'switch' },
  },
]

/** The section of the fault switches, which are no part of an app. */
export const FAULT_SECTION = 'faults'

/** All sections with fields, in the order of the page. */
export const SETTING_SECTIONS: readonly SettingSection[] = [
  { id: 'general', title: 'General', fields: GENERAL },
  { id: 'program', title: 'Program', fields: PROGRAM },
  { id: 'scaling', title: 'Scaling', fields: SCALING },
  { id: 'limits', title: 'Limits and times', fields: LIMITS },
  { id: 'variables', title: 'Variables', fields: VARIABLES },
  ...CONTAINER_SECTIONS,
  { id: 'workflows', title: 'Workflows', fields: WORKFLOWS },
  {
    id: FAULT_SECTION,
    title: 'Fault switches',
    about:
      'What a client meets on a bad day, on purpose. All are off unless somebody wants to see how a client takes it.',
    fields: FAULTS,
  },
]
