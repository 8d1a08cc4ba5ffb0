import { z } from 'zod'
import { DELETE, done, GET, POST, type Route } from './routes.ts'
import { doctorRow } from './system.ts'

/** Value of `container.machine` for the machine of the service. */
export const THIS_MACHINE = 'this machine'

export const ANY_MACHINE = 'any'

const machineName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be letters, digits, dots, hyphens and underscores')
  .refine((name) => name !== ANY_MACHINE, 'is what endpoints say that may run on each of them')

export const machineChoice = z
  .union([z.literal(THIS_MACHINE), z.literal(ANY_MACHINE), machineName])
  .describe('name of a machine, "any", or "this machine" (default)')

// A leading hyphen would be parsed as an ssh option.
const sshTarget = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9_[][\w.@:%[\]-]*$/, 'must look like user@host, or be a host of the SSH configuration')

const sshConnection = z.strictObject({
  kind: z.literal('ssh'),
  to: sshTarget.describe('as the command ssh takes it'),
  port: z.number().int().min(1).max(65_535).optional(),
})

const contextConnection = z.strictObject({
  kind: z.literal('context'),
  name: z
    .string()
    .regex(/^[A-Za-z0-9][\w.+-]{0,254}$/, 'must be the name of a context of Docker')
    .describe('as `docker context ls` lists it'),
})

const tcpConnection = z.strictObject({
  kind: z.literal('tcp'),
  url: z
    .string()
    .max(300)
    .regex(/^tcp:\/\/[A-Za-z0-9.-]+(:\d{1,5})?$/, 'must look like tcp://HOST:2376'),
  tlsFolder: z
    .string()
    .regex(/^(\/|[A-Za-z]:[\\/])/, 'must be an absolute folder')
    .max(4096)
    .optional()
    .describe('folder of the service’s machine with ca.pem, cert.pem and key.pem'),
})

export const machineConnection = z.discriminatedUnion('kind', [sshConnection, contextConnection, tcpConnection])

export type MachineConnection = z.output<typeof machineConnection>

export const machineCreate = z.strictObject({
  name: machineName,
  way: machineConnection,
  swarm: z.boolean().default(false).describe('its engine is a manager of a Docker swarm, whose nodes run the workers'),
})

export type MachineCreate = z.output<typeof machineCreate>

/** A GPU of a machine or node; memory in bytes. */
const machineCard = z.object({
  name: z.string(),
  memoryBytes: z.number().int().optional(),
  used: z.number().int().optional().describe('workers that hold it'),
})

/** A node of a swarm; memory in bytes. */
const machineNode = z.object({
  name: z.string(),
  role: z.enum(['manager', 'worker']),
  state: z.string().describe('ready, down, drained ... as the engine says'),
  reason: z.string().optional(),
  cpus: z.number(),
  memoryBytes: z.number().int(),
  cards: z.array(machineCard),
  workers: z.number().int(),
  dockerDiskBytes: z.number().int().optional().describe('what images, containers, volumes and build cache take there'),
})

/** Facts of a machine. Sizes in bytes; unknown ones are missing. */
export const machineFacts = z.object({
  engine: z.string().describe('version of its engine'),
  system: z.string().optional().describe('like Debian GNU/Linux 12'),
  cpus: z.number(),
  memoryBytes: z.number().int(),
  diskFreeBytes: z.number().int().optional(),
  diskTotalBytes: z.number().int().optional(),
  dockerDiskBytes: z.number().int().optional().describe('what images, containers, volumes and build cache take'),
  load: z.number().optional().describe('processes that want a CPU, mean of the last minute'),
  cpusUsed: z.number().optional().describe('CPUs that containers of its engine used, mean since they were read before'),
  unknown: z.string().optional().describe('why load and free disk are not known'),
  cards: z.array(machineCard),
  cardFault: z.string().optional().describe('why there is no GPU, or which one is missing'),
  images: z.array(z.object({ name: z.string(), bytes: z.number().int() })),
  nodes: z.array(machineNode).optional().describe('of a swarm'),
})

export type MachineFacts = z.infer<typeof machineFacts>

export const MACHINE_STATES = ['connecting', 'connected', 'unreachable'] as const

export const machineView = z.object({
  name: z.string(),
  way: machineConnection,
  swarm: z.boolean(),
  addedAt: z.number().int(),
  state: z.enum(MACHINE_STATES),
  reason: z.string().optional().describe('what is being done, or why it is not reachable'),
  since: z.number().int().describe('of the state, ms since the epoch'),
  facts: machineFacts.optional().describe('as last read; missing before it was reached'),
  workers: z.array(z.object({ workerId: z.string(), endpointId: z.string() })),
  endpoints: z.array(z.string()).describe('ids of those that name it'),
  test: z.object({
    isRunning: z.boolean(),
    steps: z.array(doctorRow).describe('of the last test, each as soon as it is known'),
  }),
})

export type MachineView = z.infer<typeof machineView>

const PATH = '/api/machines/:machine'
const remainsId = z
  .string()
  .regex(/^[a-z0-9]{1,64}$/, 'must be a-z and 0-9')
  .describe('names all that a service made there')

const READ_BODY = ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'] as const

export const MACHINE_ROUTES = {
  machineList: GET('/api/machines', 'List the machines that were added', {
    response: z.object({ machines: z.array(machineView) }),
    source: 'docs/spec/machines.md, 1',
  }),
  machineAdd: POST('/api/machines', 'Add a machine and start its test; reading the machine shows the steps', {
    role: 'admin',
    body: machineCreate,
    response: machineView,
    errors: [...READ_BODY, 'MACHINE_EXISTS', 'TOO_MANY_MACHINES'],
    source: 'docs/spec/machines.md, 1',
  }),
  machineGet: GET(PATH, 'Read a machine: its connection, its hardware and its workers', {
    response: machineView,
    errors: ['MACHINE_NOT_FOUND'],
    source: 'docs/spec/machines.md, 1',
  }),
  machineTest: POST(`${PATH}/test`, 'Start the test of a machine; one test runs at a time', {
    response: machineView,
    errors: ['MACHINE_NOT_FOUND'],
    source: 'docs/spec/machines.md, 1',
  }),
  machineRemove: DELETE(PATH, 'Remove a machine and end its workers; endpoints that name it wait', {
    role: 'admin',
    response: done.extend({
      left: z
        .object({ machine: machineName, swarm: z.boolean(), id: remainsId, why: z.string() })
        .optional()
        .describe('what could not be removed there, and why; it is noted, and removed when the machine is added again'),
    }),
    errors: ['MACHINE_NOT_FOUND'],
    source: 'docs/spec/machines.md, 3',
  }),
  machineRemains: POST(
    `${PATH}/remains`,
    'Record what a preview could not remove from a machine; it is removed when the machine is reachable',
    {
      role: 'admin',
      body: z.strictObject({ id: remainsId }),
      response: done,
      errors: [...READ_BODY, 'MACHINE_NOT_FOUND'],
      source: 'docs/spec/machines.md, 3',
    },
  ),
  machineJoin: GET(
    `${PATH}/join`,
    'Read the Docker commands with which a node joins the swarm of a machine; they contain its secret',
    {
      role: 'admin',
      response: z.object({ worker: z.string(), manager: z.string() }),
      errors: ['MACHINE_NOT_FOUND', 'MACHINE_REFUSED'],
      source: 'docs/spec/machines.md, 4',
    },
  ),
} as const satisfies Record<string, Route>
