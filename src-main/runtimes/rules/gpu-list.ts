import { GIB, MIB } from '../../lib/units.ts'

/** Bytes for memory, recent percent for use; undefined: not reported. */
export type Gpu = {
  /** Driver id like GPU-5a6b..., stable across restarts and slots. */
  readonly id: string
  readonly index: number
  readonly name: string
  readonly memoryBytes: number | undefined
  readonly usedBytes: number | undefined
  readonly usePercent: number | undefined
  readonly driver: string
  readonly computeCapability: string | undefined
  readonly mig: boolean
  readonly bus: string
}

export type GpuInventory = {
  readonly cards: readonly Gpu[]
  readonly fault?: string | undefined
  readonly fix?: string | undefined
}

export type ProgramEnd = {
  readonly stdout: string
  readonly stderr: string
  readonly failure?: 'missing' | 'failed' | 'timeout' | undefined
}

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

/** On the PATH, else where WSL has it. Source: NVIDIA, CUDA on WSL. */
export const NVIDIA_SMI_PATHS = ['nvidia-smi', '/usr/lib/wsl/lib/nvidia-smi'] as const

const FIELDS = [
  ...['index', 'uuid', 'name', 'memory.total', 'memory.used', 'utilization.gpu'],
  ...['driver_version', 'compute_cap', 'mig.mode.current', 'pci.bus_id'],
]

export const GPU_LIST_ARGUMENTS = [`--query-gpu=${FIELDS.join(',')}`, '--format=csv,noheader,nounits'] as const

const SEPARATOR = /,\s*/
// Fields around the name, which alone may contain a comma.
const BEFORE_NAME = 2
const AFTER_NAME = FIELDS.length - BEFORE_NAME - 1

const NO_GPU = 'there is no NVIDIA GPU'
const RESTART = 'Restart the machine; if that does not help, look for NVRM in its kernel log (dmesg).'
const INSTALL = 'Handlers without a GPU do not need it; otherwise install the NVIDIA driver.'

// Messages of nvidia-smi and their meaning. Source: NVIDIA, nvidia-smi and NVML error texts.
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

// A GPU that fell off the bus: "Unable to determine the device handle for GPU0000:05:00.0: ...".
const LOST_CARD = /Unable to determine the device handle for .*?([\da-f]{4,8}:[\da-f]{2}:[\da-f]{2}\.\d)/i

/** Never fails: problems become `fault` and `fix`. A lost GPU is left out and named; the others stay usable. */
export function readGpuList(end: ProgramEnd): GpuInventory {
  const said = `${end.stdout}\n${end.stderr}`
  const rows = end.stdout.split('\n').flatMap(readRow)
  const cards = rows.flatMap(({ card }) => card ?? [])
  const lost = LOST_CARD.exec(said)?.[1] ?? rows.find(({ lostAt }) => lostAt !== undefined)?.lostAt
  if (lost !== undefined) return { cards, fault: `the GPU at ${lost} does not answer any more`, fix: RESTART }
  return cards.length > 0 ? { cards } : { cards, ...whyNone(end, said) }
}

function whyNone({ failure }: ProgramEnd, said: string): { readonly fault: string; readonly fix: string } {
  if (failure === 'missing') return { fault: `${NO_GPU}: nvidia-smi was not found`, fix: INSTALL }
  if (failure === 'timeout') return { fault: 'nvidia-smi does not answer', fix: RESTART }
  const known = FAULTS.find(({ says }) => says.test(said))
  if (known !== undefined) return { fault: known.fault, fix: known.fix }
  const line = said.split('\n').find((text) => text.trim() !== '')
  if (line === undefined && failure === undefined) return { fault: `${NO_GPU}: its driver finds none`, fix: RESTART }
  return { fault: `nvidia-smi failed${line === undefined ? '' : `: ${line.trim()}`}`, fix: RESTART }
}

function readRow(line: string): readonly { readonly card?: Gpu; readonly lostAt?: string }[] {
  const fields = line.trim().split(SEPARATOR)
  const [index, id = ''] = fields
  if (fields.length < FIELDS.length || !Number.isInteger(Number(index))) return []
  const name = fields.slice(BEFORE_NAME, fields.length - AFTER_NAME).join(', ')
  const [total, used, use, driver, computeCapability, mig, bus] = fields.slice(-AFTER_NAME)
  // A lost GPU has the error instead of its id.
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

/** Returns undefined for missing values: '[N/A]', '[Not Supported]', '[Unknown Error]'. */
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

function cardText({ name, memoryBytes }: Pick<Gpu, 'name' | 'memoryBytes'>): string {
  return memoryBytes === undefined ? name : `${name} (${Math.round(memoryBytes / GIB)} GB)`
}

export function cardsText(cards: readonly Pick<Gpu, 'name' | 'memoryBytes'>[]): string {
  const counts = new Map<string, number>()
  for (const words of cards.map(cardText)) counts.set(words, (counts.get(words) ?? 0) + 1)
  return [...counts].map(([words, count]) => (count === 1 ? words : `${count} x ${words}`)).join(', ')
}
