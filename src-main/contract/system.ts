/** What the system page and the status bar show: checks with their fixes, the machine, versions, what takes disk. */
import { z } from 'zod'

/** What the service can do about a row of the checks by itself. */
export const FIX_ACTIONS = [
  'make-worker-image',
  'remove-old-images',
  'tighten-permissions',
  'remove-previews',
  'restart-endpoint',
] as const

/** One of them. */
export type FixAction = (typeof FIX_ACTIONS)[number]

/** A fix that a button does. */
export const doctorFix = z.object({
  action: z.enum(FIX_ACTIONS),
  target: z.string().optional().describe('id of an endpoint, for restart-endpoint'),
  label: z.string().describe('words of the button'),
  effect: z.string().describe('what it will do, one sentence'),
})

/** A fix that a button does. */
export type DoctorFix = z.infer<typeof doctorFix>

/** One row of the checks, in the pages and in `drydock doctor`. */
export const doctorRow = z.object({
  check: z.string(),
  state: z.enum(['ok', 'warning', 'failed']),
  found: z.string().describe('what was seen'),
  fix: z.string().optional().describe('what to do about it; missing when there is nothing to do'),
  action: doctorFix.optional().describe('what the service can do about it'),
  busy: z.string().optional().describe('how far that has come, while it is being done'),
})

/** One row of the checks. */
export type DoctorRow = z.infer<typeof doctorRow>

/** All rows. */
export const doctorReport = z.object({ at: z.number().int(), rows: z.array(doctorRow) })

/** Body of 'do a fix'. */
export const doctorFixRequest = z.strictObject({ action: z.enum(FIX_ACTIONS), target: z.string().max(100).optional() })

/** The Docker engine as the service sees it. */
export const engineView = z.object({
  state: z.enum(['connected', 'reconnecting', 'absent']),
  version: z.string().optional(),
  source: z.string().optional().describe('who named it: DOCKER_HOST, a context, a usual place'),
  reason: z.string().optional().describe('why it is not connected'),
})

/** The Docker engine. */
export type EngineView = z.infer<typeof engineView>

/** A graphics card and who holds it. Bytes for memory. */
const cardView = z.object({
  id: z.string(),
  index: z.number().int(),
  name: z.string(),
  driver: z.string(),
  memoryBytes: z.number().int().optional(),
  usedBytes: z.number().int().optional().describe('when it was last read'),
  heldBy: z.array(z.object({ workerId: z.string(), endpointId: z.string(), shared: z.boolean() })),
})

/** What the status bar shows of the machine. */
export const machineView = z.object({
  engine: engineView,
  gpus: z.array(cardView),
  gpuFault: z.string().optional().describe('why there is no card, or which one is missing'),
  workers: z.object({ used: z.number().int(), limit: z.number().int() }),
})

/** The machine. */
export type MachineView = z.infer<typeof machineView>

/** A program that the service stands on. */
export const versionView = z.object({
  name: z.string(),
  version: z.string().optional().describe('missing: it is not there'),
})

/** What takes disk. */
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

/** One of them. */
export type DiskKind = (typeof DISK_KINDS)[number]

/** One kind of what takes disk. */
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

/** One kind of what takes disk. */
export type DiskUse = z.infer<typeof diskUse>

/** What takes disk, and what is left of it. */
export const diskView = z.object({
  at: z.number().int(),
  folder: z.string(),
  freeBytes: z.number().int().describe('of the disk of the data folder'),
  totalBytes: z.number().int(),
  uses: z.array(diskUse),
})

/** Body of 'clean up'. */
export const diskClean = z.strictObject({ kind: z.enum(DISK_KINDS) })
