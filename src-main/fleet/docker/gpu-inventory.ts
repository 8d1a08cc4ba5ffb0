/** Asks nvidia-smi. The only place of the fleet that starts it. */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { MIB } from '../../contract/units.ts'
import {
  GPU_LIST_ARGUMENTS,
  type GpuInventory,
  NVIDIA_SMI_PATHS,
  type ProgramEnd,
  programFailure,
  readGpuList,
} from '../../domain/worker/gpu-list.ts'
import { GPU_PROCESSES_ARGUMENTS, type GpuProcess, readGpuProcesses } from '../../domain/worker/usage.ts'

/** The cards of a machine. Neither call rejects. */
export type GpuReader = {
  /** The cards as they are now. Takes 20 ms to some seconds, the first one after a pause most. */
  readonly inventory: () => Promise<GpuInventory>
  /** The processes on the cards; none where they are not known. */
  readonly processes: () => Promise<readonly GpuProcess[]>
}

/** How nvidia-smi is started. */
export type GpuReaderOptions = {
  /** Places to try, the first one that is there counts. */
  readonly programs?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** How long it may take, ms. */
  readonly limitMs?: number | undefined
}

// How long nvidia-smi may take, ms; source: ours, eight cards whose driver was asleep take some seconds.
const LIMIT_MS = 10_000
// Most text that is read, bytes; source: ours, a card is a line of 200.
const MOST_BYTES = MIB

/** Makes the reader; nothing is started yet. */
export function createGpuReader(options: GpuReaderOptions = {}): GpuReader {
  return gpuReaderBy((args) => runFirst(args, options))
}

/** Makes a reader of the cards of any machine. @param ask runs nvidia-smi there; never rejects */
export function gpuReaderBy(ask: (args: readonly string[]) => Promise<ProgramEnd>): GpuReader {
  return {
    inventory: async () => readGpuList(await ask(GPU_LIST_ARGUMENTS)),
    processes: async () => readGpuProcesses((await ask(GPU_PROCESSES_ARGUMENTS)).stdout),
  }
}

/**
 * Whether the hook by which Docker's driver `nvidia` works is on this machine; /info does not tell.
 * @param path - folders like those in PATH
 */
export function hasNvidiaHook(path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'nvidia-container-runtime-hook'), constants.X_OK)
      return true
    } catch {
      return false // not there, or not to be run: the next folder
    }
  })
}

async function runFirst(args: readonly string[], options: GpuReaderOptions): Promise<ProgramEnd> {
  for (const program of options.programs ?? NVIDIA_SMI_PATHS) {
    const end = await run(program, args, options)
    if (end.failure !== 'missing') return end
  }
  return { stdout: '', stderr: '', failure: 'missing' }
}

function run(program: string, args: readonly string[], { env, limitMs }: GpuReaderOptions): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    execFile(
      program,
      [...args],
      // SIGKILL: nvidia-smi reacts to nothing else where its driver hangs. LC_ALL: a number must have its point.
      {
        timeout: limitMs ?? LIMIT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MOST_BYTES,
        env: { ...(env ?? process.env), LC_ALL: 'C' },
      },
      (error, stdout, stderr) => resolve({ stdout, stderr, failure: programFailure(error) }),
    )
  })
}
