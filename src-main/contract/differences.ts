import { NOT_HERE_PATHS } from './platform-routes-not-here.ts'

/** A place where Drydock consciously differs from the platform. */
export interface Difference {
  readonly what: string
  readonly here: string
  /** As published; `Not published.` where no documentation and no public client says. */
  readonly there: string
  readonly evidence: string
  /** Makes both equal: `path: value`, of an endpoint, or of the service where it says so. */
  readonly setting?: string
}

const UNKNOWN = 'Not published.'

/** The differences by topic, for docs/spec/differences.md, `drydock doctor --production` and the page. */
export const DIFFERENCES = {
  'Job API': [
    {
      what: 'Empty input',
      here: 'A job whose input is {} runs, with a warning on the job and in the log.',
      there: 'It does not run.',
      evidence: 'docs/spec/job-api.md, 2',
      setting: 'emptyInput: refuse',
    },
    {
      what: 'Rate limits',
      here: 'None.',
      there: 'Requests above the limits of an operation get 429.',
      evidence: 'docs/spec/job-api.md, 8',
      setting: 'strictLimits: on (of the service)',
    },
    {
      what: 'Form of the stream',
      here: 'A list, with the state in the header Job-Status; clients that need an object get an object.',
      there: 'Public clients read an object with status and stream.',
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
      here: '`requests` lists jobs by state and searches their texts.',
      there: UNKNOWN,
      evidence: 'docs/spec/job-api.md, 1',
    },
    {
      what: 'Text of errors',
      here: 'Errors have a stable `code` and say what to do. `detail` is as on the platform where its text is known.',
      there: 'Most texts are not published.',
      evidence: 'docs/spec/job-api.md, 8',
    },
    {
      what: 'Lost workers',
      here: 'The error names how the last worker ended, after `job timed out after 1 retries`.',
      there: 'The error is that text alone.',
      evidence: 'docs/spec/job-api.md, 4',
    },
    {
      what: 'Time to live of a running job',
      here: 'Pages and commands still show a job that the job API has forgotten.',
      there: 'The job is deleted.',
      evidence: 'docs/spec/job-api.md, 4',
    },
    {
      what: 'Batches',
      here: 'Commands, pages and /api also take batches of up to 100,000 inputs; /v2/ID/batch has the limits of the platform.',
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
      here: 'They are refused until a setting of the service, `webhooksToPrivateAddresses`, allows them.',
      there: UNKNOWN,
      evidence: 'docs/spec/job-api.md, 6',
    },
  ],
  Workers: [
    {
      what: 'Processes',
      here: 'Without an image, workers are processes of this machine.',
      there: 'Workers are containers.',
      evidence: 'docs/spec/targets.md, 3',
      setting: 'container: on',
    },
    {
      what: 'Fitness checks of the SDK',
      here: 'The checks of memory, disk, network and GPU are off.',
      there: 'Workers run them before their first job.',
      evidence: 'docs/spec/worker-protocol.md, 1',
      setting: 'workerSystemChecks: on (of the service)',
    },
    {
      what: 'Files at private addresses',
      here: 'The SDK may download inputs from private addresses, where this service stores files.',
      there: 'The SDK refuses private addresses.',
      evidence: 'docs/spec/worker-protocol.md, 1',
    },
    {
      what: 'Saved code',
      here: 'Workers are replaced when the code that they run is saved.',
      there: 'Code comes with images and builds.',
      evidence: 'docs/spec/worker-protocol.md, 5',
      setting: 'reloadOnSave: off',
    },
    {
      what: 'Port of a process',
      here: 'A load-balanced worker that is a process gets a free port as PORT.',
      there: 'PORT is the port of the endpoint.',
      evidence: 'docs/spec/job-api.md, 10',
      setting: 'container: on',
    },
  ],
  Apps: [
    {
      what: 'Files of a build',
      here: 'docs/, build/, dist/, *.egg-info, ignore files and more files with credentials are left out.',
      there: 'The public package packs them.',
      evidence: 'docs/spec/app-deploy.md, 4',
    },
    {
      what: 'Links in a project',
      here: 'A link to a file of the project is packed as that file.',
      there: 'The public package packs no links.',
      evidence: 'docs/spec/app-deploy.md, 4',
    },
    {
      what: 'Activation',
      here: 'A build becomes active when all its endpoints are saved and ready, in one step.',
      there: 'A build is activated before its endpoints exist.',
      evidence: 'docs/spec/platform.md, 6',
    },
    {
      what: 'Interrupted uploads',
      here: 'An upload goes on where it stopped, with Content-Range.',
      there: UNKNOWN,
      evidence: 'docs/spec/platform.md, 6',
    },
    {
      what: 'Tasks',
      here: 'A call of a task is a job of the endpoint task-NAME. Ten run at once, others wait.',
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
      here: 'Load-balanced endpoints have a certificate of an authority of this service, which programs must be led to.',
      there: 'Certificates are publicly trusted.',
      evidence: 'docs/spec/platform.md, 6',
    },
    {
      what: 'Missing secrets',
      here: 'A secret that is not stored fails the start of the worker.',
      there: UNKNOWN,
      evidence: 'docs/spec/platform.md, 6',
    },
    {
      what: 'System packages of live calls',
      here: 'Live APIs, processes and images of your own do not get them.',
      there: 'They come with the call.',
      evidence: 'docs/spec/platform.md, 4',
    },
    {
      what: 'Schedules in code',
      here: 'With the setting `appSchedules` of the service, they run, in UTC. It is off by default.',
      there: 'Deploys refuse them.',
      evidence: 'docs/spec/app-deploy.md, 10',
      setting: 'appSchedules: off (of the service)',
    },
    {
      what: 'Routes of an API',
      here: 'Path and query parameters, and bodies other than a dict, work; a build warns of them.',
      there: 'The package after 2.0.0rc2 refuses them.',
      evidence: 'docs/spec/app-deploy.md, 4',
    },
    {
      what: 'Mounts',
      here: 'A task that is a process gets the folder itself as the path of its volume. There are no global volumes.',
      there: 'Volumes are mounts at the path that the app names.',
      evidence: 'docs/spec/platform.md, 4',
    },
  ],
  'Management API': [
    {
      what: 'Pods',
      here: 'A pod is a container of this machine, with ports on loopback, without privileges and without a key.',
      there: 'A pod is a rented machine with a key of its own.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Addresses that do not apply',
      here: `501 NOT_ON_THIS_MACHINE, also for routes below: ${NOT_HERE_PATHS.join(', ')}.`,
      there: 'They manage clusters, global volumes, bills, builds, SSH keys and delegations.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Ids of endpoints',
      here: 'The id is made from the name.',
      there: UNKNOWN,
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Runtime images of apps',
      here: 'A runtime of Drydock takes the place of `runpod/queue` and `runpod/api` images.',
      there: 'The images run.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Disk, ports, flash boot, data centers, CUDA versions',
      here: 'They are stored and returned, and have no other effect. The first of `ports` with /http may be the port.',
      there: 'They decide where and how workers run.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'GPUs',
      here: 'Workers get those asked for, if this machine lacks them others, otherwise none. All pools mean any GPU.',
      there: 'A pool is a set of models of GPUs.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Catalog',
      here: 'It has the GPUs of this machine. Each data center is this machine, and prices are 0.',
      there: 'It has what the platform rents out, at its prices.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Network volumes',
      here: 'A volume is a folder of this machine; deleting the volume leaves the folder.',
      there: 'A volume is storage in a data center.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Account key among the variables',
      here: 'RUNPOD_API_KEY with a key of this service is not stored; workers get a key of their own.',
      there: 'The public tools send it as a variable.',
      evidence: 'docs/spec/platform.md, 5',
    },
    {
      what: 'Reserved variables',
      here: 'Names that workers get from the service are refused in settings, apps and their variables.',
      there:
        'RUNPOD_API_KEY and identity fields of the runtime are reserved; no list and no text of the error is published.',
      evidence: 'docs/spec/worker-protocol.md, 1',
    },
    {
      what: 'Status of refusals',
      here: '400 for malformed requests, 422 for well-formed ones that are not possible, with a `code`.',
      there: UNKNOWN,
      evidence: 'docs/spec/platform.md, 5',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Difference[]>>

/** The differences, each with its topic. */
export const DIFFERENCE_ROWS: readonly (Difference & { readonly topic: string })[] = Object.entries(
  DIFFERENCES,
).flatMap(([topic, rows]) => rows.map((row) => ({ topic, ...row })))
