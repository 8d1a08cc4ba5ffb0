import { NOT_HERE_PATHS } from './platform-routes-not-here.ts'

export interface Difference {
  readonly what: string
  readonly here: string
  /** As documented or as public clients show; otherwise `Not published.` */
  readonly there: string
  readonly evidence: string
  /** Removes the difference: `path: value` of an endpoint, or `ofService`. */
  readonly setting?: string
}

const UNKNOWN = 'Not published.'

export const ofService = (setting: string) => `${setting} (of the service)`

/** Deliberate differences, for docs/spec/differences.md, `drydock doctor --production` and the page. */
export const DIFFERENCES = {
  'Job API': [
    {
      what: 'Empty input',
      here: 'A job whose input is {} runs, with a warning on the job and in the log.',
      there: 'The job does not run.',
      evidence: 'docs/spec/job-api.md, 2',
      setting: 'emptyInput: refuse',
    },
    {
      what: 'Rate limits',
      here: 'None.',
      there: "Requests above an operation's limit get 429.",
      evidence: 'docs/spec/job-api.md, 8',
      setting: ofService('strictLimits: on'),
    },
    {
      what: 'Format of the stream',
      here: 'A list, with the state in the Job-Status header; clients known to need an object get one.',
      there: 'Public clients expect an object with status and stream.',
      evidence: 'docs/spec/job-api.md, 5',
      setting: 'streamForm: object',
    },
    {
      what: 'Stream as events',
      here: 'With `Accept: text/event-stream`, the chunks come as server-sent events.',
      there: UNKNOWN,
      evidence: 'docs/spec/job-api.md, 5',
    },
    {
      what: 'Repeated requests',
      here: 'The same idempotency key on the same endpoint returns the first job.',
      there: UNKNOWN,
      evidence: 'docs/spec/job-api.md, 2',
    },
    {
      what: 'Priority',
      here: '`policy.priority` from -100 to 100 orders jobs, next to `lowPriority`.',
      there: 'Only `lowPriority` is documented.',
      evidence: 'docs/spec/job-api.md, 2',
    },
    {
      what: 'Search for jobs',
      here: '`requests` lists jobs by state and searches their text.',
      there: UNKNOWN,
      evidence: 'docs/spec/job-api.md, 1',
    },
    {
      what: 'Text of errors',
      here: "Errors have a stable `code` and say what to do. `detail` is the platform's text if that is known.",
      there: 'Most error texts are not published.',
      evidence: 'docs/spec/job-api.md, 8',
    },
    {
      what: 'Lost workers',
      here: 'The error is `job timed out after 1 retries`, followed by how the last worker ended.',
      there: 'The error has only the first part.',
      evidence: 'docs/spec/job-api.md, 4',
    },
    {
      what: 'Running jobs past their time to live',
      here: 'The job API no longer finds them; pages and commands still show them.',
      there: 'They are deleted.',
      evidence: 'docs/spec/job-api.md, 4',
    },
    {
      what: 'Batches',
      here: "Commands, pages and /api accept up to 100,000 inputs per batch; /v2/ID/batch has the platform's limits.",
      there: 'A batch has at most 5,000 requests.',
      evidence: 'docs/spec/batches.md, 1',
    },
    {
      what: 'Disconnected OpenAI clients',
      here: 'A client that disconnects cancels its job.',
      there: UNKNOWN,
      evidence: 'docs/spec/job-api.md, 7',
    },
    {
      what: 'Webhooks to private addresses',
      here: 'They are refused unless the service setting `webhooksToPrivateAddresses` allows them.',
      there: UNKNOWN,
      evidence: 'docs/spec/job-api.md, 6',
    },
  ],
  Workers: [
    {
      what: 'Processes',
      here: 'Without an image, workers are processes on this machine.',
      there: 'Workers are containers.',
      evidence: 'docs/spec/targets.md, 3',
      setting: 'container: on',
    },
    {
      what: 'Fitness checks of the SDK',
      here: 'The checks of memory, disk, network and GPU are off.',
      there: 'Workers run them before their first job.',
      evidence: 'docs/spec/worker-protocol.md, 1',
      setting: ofService('workerSystemChecks: on'),
    },
    {
      what: 'Files at private addresses',
      here: 'The SDK may download inputs from private addresses, since this service stores files at one.',
      there: 'The SDK refuses private addresses.',
      evidence: 'docs/spec/worker-protocol.md, 1',
    },
    {
      what: 'Saved code',
      here: 'Workers are replaced when you save their code.',
      there: 'Code changes only with a new image or build.',
      evidence: 'docs/spec/worker-protocol.md, 5',
      setting: 'reloadOnSave: off',
    },
    {
      what: 'Port of a process',
      here: 'For a load-balanced worker that is a process, PORT is any free port.',
      there: 'PORT is the port set for the endpoint.',
      evidence: 'docs/spec/job-api.md, 10',
      setting: 'container: on',
    },
  ],
  Apps: [
    {
      what: 'Files of a build',
      here: 'docs/, build/, dist/, *.egg-info, ignore files and more kinds of credential files are left out.',
      there: 'The public package packs them.',
      evidence: 'docs/spec/app-deploy.md, 4',
    },
    {
      what: 'Symbolic links in a project',
      here: 'A link to a file in the project is packed as that file.',
      there: 'The public package leaves links out.',
      evidence: 'docs/spec/app-deploy.md, 4',
    },
    {
      what: 'Activation',
      here: 'A build becomes active in one step, once all its endpoints are saved and ready.',
      there: 'A build is activated before its endpoints exist.',
      evidence: 'docs/spec/platform.md, 6',
    },
    {
      what: 'Interrupted uploads',
      here: 'An upload can resume where it stopped, with Content-Range.',
      there: UNKNOWN,
      evidence: 'docs/spec/platform.md, 6',
    },
    {
      what: 'Tasks',
      here: 'A call of a task is a job of the endpoint task-NAME. Ten run at once; the others wait.',
      there: 'Each call is a pod.',
      evidence: 'docs/spec/platform.md, 4',
    },
    {
      what: 'Ids of apps',
      here: "An app's id is its name, a build's id the SHA-256 of its artifact, a secret's id its name.",
      there: UNKNOWN,
      evidence: 'docs/spec/platform.md, 6',
    },
    {
      what: 'https',
      here: 'Certificates of load-balanced endpoints are signed by this service; programs must be told to trust it.',
      there: 'Certificates are publicly trusted.',
      evidence: 'docs/spec/platform.md, 6',
    },
    {
      what: 'Missing secrets',
      here: 'A worker whose secret is not stored fails to start.',
      there: UNKNOWN,
      evidence: 'docs/spec/platform.md, 6',
    },
    {
      what: 'System packages of live calls',
      here: 'They are not installed for live APIs, processes and custom images.',
      there: 'They are installed with the call.',
      evidence: 'docs/spec/platform.md, 4',
    },
    {
      what: 'Schedules in code',
      here: 'They run, in UTC, if the service setting `appSchedules` is on. It is off by default.',
      there: 'Deploys refuse them.',
      evidence: 'docs/spec/app-deploy.md, 10',
      setting: ofService('appSchedules: off'),
    },
    {
      what: 'Routes of an API',
      here: 'Path and query parameters and bodies other than a dict work; builds warn of them.',
      there: 'The package after 2.0.0rc2 refuses them.',
      evidence: 'docs/spec/app-deploy.md, 4',
    },
    {
      what: 'Mounts',
      here: "A task that is a process gets the volume's folder itself as its path. There are no global volumes.",
      there: 'Volumes are mounted at the path that the app names.',
      evidence: 'docs/spec/platform.md, 4',
    },
  ],
  'Management API': [
    {
      what: 'Pods',
      here: 'A pod is an unprivileged container on this machine, with ports on loopback and no key.',
      there: 'A pod is a rented machine with its own key.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Routes that do not apply',
      here: `501 NOT_ON_THIS_MACHINE for these and all routes below them: ${NOT_HERE_PATHS.join(', ')}.`,
      there: 'They manage clusters, global volumes, bills, builds, SSH keys and delegations.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Ids of endpoints',
      here: "An endpoint's id is derived from its name.",
      there: UNKNOWN,
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Runtime images of apps',
      here: "Drydock's own runtime replaces the images `runpod/queue` and `runpod/api`.",
      there: 'Workers run these images.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Disk, ports, flash boot, data centers, CUDA versions',
      here: 'They are stored and returned without effect, except that the first /http entry of `ports` may be the port.',
      there: 'They decide where and how workers run.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'GPUs',
      here: 'Workers get the requested GPUs, else others of this machine, else none. A list of all pools means any GPU.',
      there: 'A pool is a set of GPU models.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Catalog',
      here: 'It lists the GPUs of this machine. Each data center is this machine, and prices are 0.',
      there: 'It lists the hardware for rent, with prices.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Network volumes',
      here: 'A volume is a folder on this machine, which stays when the volume is deleted.',
      there: 'A volume is storage in a data center.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Account key as a variable',
      here: 'A key of this service sent as RUNPOD_API_KEY is not stored; workers get their own key.',
      there: 'Public tools send it as RUNPOD_API_KEY.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Reserved variables',
      here: 'Variables that the service sets for workers are refused in endpoint settings, apps and environments.',
      there:
        "RUNPOD_API_KEY and the runtime's identity fields are reserved; neither the list nor the error is published.",
      evidence: 'docs/spec/worker-protocol.md, 1',
    },
    {
      what: 'Status of refusals',
      here: '400 for malformed requests, 422 for well-formed ones that cannot be fulfilled, each with a `code`.',
      there: UNKNOWN,
      evidence: 'docs/spec/platform.md, 5',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Difference[]>>

export const PROBE_HINT =
  '`drydock probe --target NAME` sends the same requests to an account of the platform and to this service, and shows where the responses differ.'

export const DIFFERENCE_ROWS: readonly (Difference & { readonly topic: string })[] = Object.entries(
  DIFFERENCES,
).flatMap(([topic, rows]) => rows.map((row) => ({ topic, ...row })))
