import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { GPU_PROCESSES_ARGUMENTS, type GpuProcess, readGpuProcesses } from '../../features/workers/rules/usage.ts'
import { MIB } from '../../lib/units.ts'
import {
  GPU_LIST_ARGUMENTS,
  type GpuInventory,
  NVIDIA_SMI_PATHS,
  type ProgramEnd,
  programFailure,
  readGpuList,
} from '../rules/gpu-list.ts'

export type GpuReader = {
  readonly inventory: () => Promise<GpuInventory>
  readonly processes: () => Promise<readonly GpuProcess[]>
}

export type GpuReaderOptions = {
  readonly programs?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly limitMs?: number | undefined
}

// Limit of nvidia-smi, ms; source: ours, eight sleeping GPUs take some seconds.
const LIMIT_MS = 10_000
// Output limit, bytes; source: ours, a GPU is a line of 200.
const MOST_BYTES = MIB

export function createGpuReader(options: GpuReaderOptions = {}): GpuReader {
  return gpuReaderBy((args) => runFirst(args, options))
}

export function gpuReaderBy(ask: (args: readonly string[]) => Promise<ProgramEnd>): GpuReader {
  return {
    inventory: async () => readGpuList(await ask(GPU_LIST_ARGUMENTS)),
    processes: async () => readGpuProcesses((await ask(GPU_PROCESSES_ARGUMENTS)).stdout),
  }
}

/**
 * Whether Docker's `nvidia` driver hook is installed, which /info does not report.
 * @param path - folders like those in PATH
 */
export function hasNvidiaHook(path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'nvidia-container-runtime-hook'), constants.X_OK)
      return true
    } catch {
      return false
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
      // SIGKILL, as a hanging nvidia-smi ignores others. LC_ALL: decimal points.
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
