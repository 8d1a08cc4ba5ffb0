import { GIB, MIB } from '../../contract/units.ts'

/** What nvidia-smi says of the graphics cards of a machine, read from its text. */

/** A card. Bytes for memory, percent of the last moments for use; undefined where the driver does not tell. */
export type GpuCard = {
  /** The driver's id of the card, like GPU-5a6b...; it stays the same over restarts and in other slots. */
  readonly id: string
  readonly index: number
  readonly name: string
  readonly memoryBytes: number | undefined
  readonly usedBytes: number | undefined
  readonly usePercent: number | undefined
  readonly driver: string
  /** Like 8.9. */
  readonly computeCapability: string | undefined
  /** Whether it is cut into slices (MIG). */
  readonly mig: boolean
  readonly bus: string
}

/** The cards that can be used. */
export type GpuInventory = {
  readonly cards: readonly GpuCard[]
  /** What is wrong, for a person: why there is no card, or which one is missing. */
  readonly fault?: string | undefined
  /** What to do about it, a sentence. */
  readonly fix?: string | undefined
}

/** How a program ended. */
export type ProgramEnd = {
  readonly stdout: string
  readonly stderr: string
  /** Undefined: it ended well. */
  readonly failure?: 'missing' | 'failed' | 'timeout' | undefined
}

/** Why a program failed, by the error with which starting it ended. @param error of execFile, null where all is well */
export function programFailure(
  error: {
    readonly code?: unknown
    readonly killed?: boolean | undefined
  } | null,
): ProgramEnd['failure'] {
  if (error === null) return undefined
  if (error.code === 'ENOENT' || error.code === 'EACCES') return 'missing'
  return error.killed === true ? 'timeout' : 'failed'
}

/** Where nvidia-smi is: on the PATH, else where Windows shows it to its Linux. Source: NVIDIA, CUDA on WSL. */
export const NVIDIA_SMI_PATHS = ['nvidia-smi', '/usr/lib/wsl/lib/nvidia-smi'] as const

const FIELDS = [
  ...['index', 'uuid', 'name', 'memory.total', 'memory.used', 'utilization.gpu'],
  ...['driver_version', 'compute_cap', 'mig.mode.current', 'pci.bus_id'],
]

/** Asks nvidia-smi for the cards, in the form that readGpuList reads. */
export const GPU_LIST_ARGUMENTS = [`--query-gpu=${FIELDS.join(',')}`, '--format=csv,noheader,nounits'] as const

const SEPARATOR = /,\s*/
// The fields before and after the name, which alone could have a comma in it.
const BEFORE_NAME = 2
const AFTER_NAME = FIELDS.length - BEFORE_NAME - 1

const NO_GPU = 'there is no NVIDIA GPU'
const RESTART = 'Restart the machine; if that does not help, look for NVRM in its kernel log (dmesg).'
const INSTALL = 'Handlers without a GPU do not need it; otherwise install the NVIDIA driver.'

// What nvidia-smi prints, and what it means. Source: NVIDIA, nvidia-smi and NVML error texts.
const FAULTS: readonly { readonly says: RegExp; readonly fault: string; readonly fix: string }[] = [
  {
    says: /Driver\/library version mismatch/i,
    fault: 'the NVIDIA driver was updated, but the old one is still running',
    fix: 'Restart the machine.',
  },
  {
    says: /couldn't communicate with the NVIDIA driver/i,
    fault: 'the NVIDIA driver is not loaded',
    fix: 'Install the NVIDIA driver for the running kernel, or restart the machine after an update of either.',
  },
  { says: /No devices were found/i, fault: `${NO_GPU}: its driver finds none`, fix: RESTART },
  {
    says: /Insufficient Permissions/i,
    fault: 'this user may not use the NVIDIA GPUs',
    fix: 'Let the user write to /dev/nvidia*, on most systems by adding them to the group video, and log in again.',
  },
  {
    says: /is not a valid field to query/i,
    fault: 'the NVIDIA driver is too old to be queried',
    fix: 'Update the NVIDIA driver to 525 or later.',
  },
]

// A card that fell off the bus. nvidia-smi says where: "Unable to determine the device handle for GPU0000:05:00.0:
// ...".
const LOST_CARD = /Unable to determine the device handle for .*?([\da-f]{4,8}:[\da-f]{2}:[\da-f]{2}\.\d)/i

/**
 * Reads the answer to GPU_LIST_ARGUMENTS. Never fails: what is wrong becomes `fault` and `fix`. A card that the driver
 * has lost is left out and named; the others stay usable.
 */
export function readGpuList(end: ProgramEnd): GpuInventory {
  const said = `${end.stdout}\n${end.stderr}`
  const rows = end.stdout.split('\n').flatMap(readRow)
  const cards = rows.flatMap(({ card }) => card ?? [])
  const lost = LOST_CARD.exec(said)?.[1] ?? rows.find(({ lostAt }) => lostAt !== undefined)?.lostAt
  if (lost !== undefined) return { cards, fault: `the GPU at ${lost} does not answer any more`, fix: RESTART }
  return cards.length > 0 ? { cards } : { cards, ...whyNone(end, said) }
}

function whyNone({ failure }: ProgramEnd, said: string): { readonly fault: string; readonly fix: string } {
  if (failure === 'missing') return { fault: `${NO_GPU}: nvidia-smi is not there`, fix: INSTALL }
  if (failure === 'timeout') return { fault: 'nvidia-smi does not answer', fix: RESTART }
  const known = FAULTS.find(({ says }) => says.test(said))
  if (known !== undefined) return { fault: known.fault, fix: known.fix }
  const line = said.split('\n').find((text) => text.trim() !== '')
  if (line === undefined && failure === undefined) return { fault: `${NO_GPU}: its driver finds none`, fix: RESTART }
  return { fault: `nvidia-smi failed${line === undefined ? '' : `: ${line.trim()}`}`, fix: RESTART }
}

/** What a line says: a card, or where one is that the driver has lost; nothing where it is no row of a card. */
function readRow(line: string): readonly { readonly card?: GpuCard; readonly lostAt?: string }[] {
  const fields = line.trim().split(SEPARATOR)
  const [index, id = ''] = fields
  if (fields.length < FIELDS.length || !Number.isInteger(Number(index))) return []
  const name = fields.slice(BEFORE_NAME, fields.length - AFTER_NAME).join(', ')
  const [total, used, use, driver, computeCapability, mig, bus] = fields.slice(-AFTER_NAME)
  // Instead of its id a lost card has the error.
  if (!id.startsWith('GPU-')) return [{ lostAt: text(bus) ?? `place ${index}` }]
  const card = {
    id,
    index: Number(index),
    name,
    memoryBytes: mebibytes(total),
    usedBytes: mebibytes(used),
    usePercent: number(use),
    driver: text(driver) ?? 'unknown',
    computeCapability: text(computeCapability),
    mig: mig === 'Enabled',
    bus: text(bus) ?? '',
  }
  return [{ card }]
}

/** A field; undefined for what a card does not have: '[N/A]', '[Not Supported]', '[Unknown Error]'. */
function text(field: string | undefined): string | undefined {
  return field === undefined || field === '' || /^\[.*\]$|^N\/A$/.test(field) ? undefined : field
}

function number(field: string | undefined): number | undefined {
  const reported = text(field)
  return reported !== undefined && Number.isFinite(Number(reported)) ? Number(reported) : undefined
}

function mebibytes(field: string | undefined): number | undefined {
  const reported = number(field)
  return reported === undefined ? undefined : reported * MIB
}

/** A card for a person: 'NVIDIA GeForce RTX 4090 (24 GB)'. */
function cardText({ name, memoryBytes }: Pick<GpuCard, 'name' | 'memoryBytes'>): string {
  return memoryBytes === undefined ? name : `${name} (${Math.round(memoryBytes / GIB)} GB)`
}

/** Cards for a person, the same ones counted: '2 x NVIDIA L40S (45 GB), NVIDIA A100 80GB PCIe (80 GB)'. */
export function cardsText(cards: readonly Pick<GpuCard, 'name' | 'memoryBytes'>[]): string {
  const counts = new Map<string, number>()
  for (const words of cards.map(cardText)) counts.set(words, (counts.get(words) ?? 0) + 1)
  return [...counts].map(([words, count]) => (count === 1 ? words : `${count} x ${words}`)).join(', ')
}
