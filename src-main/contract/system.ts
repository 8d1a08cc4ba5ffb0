import { z } from 'zod'
import { DELETE, GET, POST, type Route } from './routes.ts'

export const FIX_ACTIONS = [
  'make-worker-image',
  'remove-old-images',
  'tighten-permissions',
  'remove-previews',
  'restart-endpoint',
] as const

export type FixAction = (typeof FIX_ACTIONS)[number]

export const doctorFix = z.object({
  action: z.enum(FIX_ACTIONS),
  target: z.string().optional().describe('id of an endpoint, for restart-endpoint'),
  label: z.string().describe('label of the button'),
  effect: z.string().describe('what it will do, one sentence'),
})

export type DoctorFix = z.infer<typeof doctorFix>

export const doctorRow = z.object({
  check: z.string(),
  state: z.enum(['ok', 'warning', 'failed']),
  found: z.string().describe('what was seen'),
  fix: z.string().optional().describe('what to do about it; missing when there is nothing to do'),
  action: doctorFix.optional().describe('what the service can do about it'),
  busy: z.string().optional().describe('how far that has come, while it is being done'),
})

export type DoctorRow = z.infer<typeof doctorRow>

const doctorReport = z.object({ at: z.number().int(), rows: z.array(doctorRow) })

const doctorFixRequest = z.strictObject({ action: z.enum(FIX_ACTIONS), target: z.string().max(100).optional() })

export const engineView = z.object({
  state: z.enum(['connected', 'reconnecting', 'absent']),
  version: z.string().optional(),
  source: z.string().optional().describe('who named it: DOCKER_HOST, a context, a usual place'),
  reason: z.string().optional().describe('why it is not connected'),
})

export type EngineView = z.infer<typeof engineView>

const cardView = z.object({
  id: z.string(),
  index: z.number().int(),
  name: z.string(),
  driver: z.string(),
  memoryBytes: z.number().int().optional(),
  usedBytes: z.number().int().optional().describe('when it was last read'),
  heldBy: z.array(z.object({ workerId: z.string(), endpointId: z.string(), shared: z.boolean() })),
})

export const localMachineView = z.object({
  engine: engineView,
  gpus: z.array(cardView),
  gpuFault: z.string().optional().describe('why there is no GPU, or which one is missing'),
  workers: z.object({ used: z.number().int(), limit: z.number().int() }),
})

export type LocalMachineView = z.infer<typeof localMachineView>

const versionView = z.object({
  name: z.string(),
  version: z.string().optional().describe('missing: it is not there'),
})

export const DISK_KINDS = [
  'database',
  'payloads',
  'logs',
  'artifacts',
  'assets',
  'models',
  'packages',
  'volumes',
  'previews',
  'images',
] as const

export type DiskKind = (typeof DISK_KINDS)[number]

export const diskUse = z.object({
  kind: z.enum(DISK_KINDS),
  bytes: z.number().int(),
  count: z.number().int().optional().describe('files, images or folders'),
  where: z.string().describe('a folder, or the Docker engine'),
  note: z.string().describe('what it is and how it gets less, one or two sentences'),
  fault: z.string().optional().describe('why the size is not known'),
  clean: z
    .object({ bytes: z.number().int(), effect: z.string() })
    .optional()
    .describe('what cleaning up now removes, and about how much that frees; missing: nothing'),
})

export type DiskUse = z.infer<typeof diskUse>

const diskView = z.object({
  at: z.number().int(),
  folder: z.string(),
  freeBytes: z.number().int().describe('of the disk of the data folder'),
  totalBytes: z.number().int(),
  uses: z.array(diskUse),
})

const diskClean = z.strictObject({ kind: z.enum(DISK_KINDS) })

export const SYSTEM_ROUTES = {
  doctorRead: GET('/api/doctor', 'Check what the service needs, and how to fix what is missing', {
    response: doctorReport,
  }),
  doctorFix: POST('/api/doctor/fix', 'Apply a fix that a check offers; responds when it is done', {
    role: 'admin',
    body: doctorFixRequest,
    response: z.object({ done: z.string().describe('what was done, one sentence') }),
    errors: ['NOT_JSON', 'BAD_FIELD', 'ENDPOINT_NOT_FOUND', 'NOT_DONE'],
  }),
  machineRead: GET(
    '/api/machine',
    'Read the state of the Docker engine, the GPUs with their workers, and the capacity for workers',
    {
      query: { fresh: z.enum(['true', 'false']).optional().describe('read the GPUs again') },
      response: localMachineView,
      errors: ['BAD_FIELD'],
      source: 'docs/spec/interface.md, 2',
    },
  ),
  versionsRead: GET('/api/versions', 'Read the versions of the service and its environment', {
    response: z.object({ versions: z.array(versionView) }),
    source: 'docs/spec/interface.md, 4',
  }),
  diskRead: GET('/api/disk', 'Read the disk usage by kind, and what cleaning up would free', {
    response: diskView,
    source: 'docs/spec/interface.md, 4',
  }),
  diskClean: POST('/api/disk/clean', 'Clean up one kind of data that is no longer needed; responds when it is done', {
    role: 'admin',
    body: diskClean,
    response: z.object({ freedBytes: z.number().int() }),
    errors: ['NOT_JSON', 'BAD_FIELD', 'NOT_DONE'],
    source: 'docs/spec/interface.md, 4',
  }),
  sessionList: GET('/api/sessions', 'Count the signed-in browsers, and name the file of the account key', {
    response: z.object({ open: z.number().int(), keyFile: z.string() }),
  }),
  sessionsEnd: DELETE('/api/sessions', 'Sign out all browsers, including this one', {
    role: 'admin',
    response: z.object({ ok: z.literal(true) }),
  }),
} as const satisfies Record<string, Route>
