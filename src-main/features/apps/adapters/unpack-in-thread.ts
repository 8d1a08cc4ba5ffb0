/** Unpacks each artifact in a thread of its own, as reading the header fields of a crafted archive may take seconds. */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { AppError } from '../../../contract/errors.ts'
import type { UnpackArtifact } from '../ports/artifacts.ts'
import { unpackArtifact } from './unpack-artifact.ts'

type Given = { readonly file: string; readonly folder: string }
type Ended = { readonly problem?: string; readonly isDiskFull?: boolean }

// Source: ours; the paths of the largest archive take half of it.
const MEMORY_MIB = 1024

export const unpackInThread: UnpackArtifact = async (file, folder, signal) => {
  signal.throwIfAborted()
  const resourceLimits = { maxOldGenerationSizeMb: MEMORY_MIB }
  const thread = new Worker(new URL(import.meta.url), { workerData: { file, folder } satisfies Given, resourceLimits })
  const abort = () => thread.postMessage('abort')
  signal.addEventListener('abort', abort)
  try {
    const [{ problem, isDiskFull = false }] = (await once(thread, 'message')) as [Ended]
    signal.throwIfAborted()
    if (isDiskFull) throw new AppError('DISK_FULL')
    if (problem !== undefined) throw new Error(problem)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function unpack({ file, folder }: Given): Promise<Ended> {
  const stopping = new AbortController()
  parentPort?.on('message', () => stopping.abort())
  try {
    await unpackArtifact(file, folder, stopping.signal)
    return {}
  } catch (error) {
    const isDiskFull = error instanceof AppError && error.code === 'DISK_FULL'
    return { problem: (error as Error).message, isDiskFull }
  }
}

if (!isMainThread) {
  parentPort?.postMessage(await unpack(workerData as Given))
  parentPort?.close()
}
