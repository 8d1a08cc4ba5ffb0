/** Reads large bodies, results and files in a thread; for small ones the transfer would take longer. */
import { isMainThread } from 'node:worker_threads'
import { limit } from '../contract/limits.ts'
import { COMFYUI_READERS } from '../features/comfyui-api/adapters/readers.ts'
import { JOB_READERS } from '../features/jobs/adapters/readers.ts'
import { factsOfHead } from '../features/models/rules/recognise-model.ts'
import { systemPackagesIn } from '../features/platform-api/rules/system-packages.ts'
import type { ServiceBase } from '../features/service-context.ts'
import { WORKFLOW_READERS } from '../features/workflows/adapters/readers.ts'
import type { Problem } from '../lib/in-thread.ts'
import type { Json } from '../lib/json/bytes.ts'
import { jsonText } from '../lib/json/text.ts'
import { answerIn, createThread } from '../lib/node/thread.ts'

const READERS = {
  ...JOB_READERS,
  ...WORKFLOW_READERS,
  ...COMFYUI_READERS,
  modelHead: factsOfHead,
  systemPackages: (input: Json) => systemPackagesIn(jsonText(input)),
}

type Readers = typeof READERS
type Told = { readonly name: keyof Readers; readonly given: readonly unknown[] }
type Answer = ReturnType<Readers[keyof Readers]>

function read({ name, given }: Told): Answer | Problem {
  try {
    // Name and arguments belong together, which the compiler cannot see through a message.
    return (READERS[name] as (...all: readonly unknown[]) => Answer)(...given)
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

// Thread memory, MiB: twenty times the largest body, which empty lists need.
const MEMORY_MIB = 1024

/** A thread starts with the first large item and ends after an idle period. */
export function createReadInThread() {
  const start = (timeMs: number) =>
    createThread<Told, Answer | Problem>(new URL(import.meta.url), {
      timeMs,
      memoryMib: MEMORY_MIB,
      idleMs: limit('readInThreadIdleMs'),
    })
  const [usual, pictures] = [start(limit('readInThreadMs')), start(limit('pictureMs'))]
  const ask = async (name: keyof Readers, given: readonly unknown[]): Promise<Answer | Problem> => {
    const isPicture = OF_PICTURES.has(name)
    const isSmall = given.every((one) => sizeOf(one) <= (SMALL_BYTES[name] ?? limit('payloadInRowBytes')))
    if (isSmall && !isPicture) return read({ name, given })
    return (isPicture ? pictures : usual).ask({ name, given }, transferredOf(name, given))
  }
  return {
    // Each reader gets its own arguments, which the compiler cannot see through names.
    readInThread: Object.fromEntries(
      (Object.keys(READERS) as (keyof Readers)[]).map((name) => [name, (...given: unknown[]) => ask(name, given)]),
    ) as unknown as ServiceBase['readInThread'],
    async stop() {
      await Promise.all([usual.stop(), pictures.stop()])
    },
  }
}

// Results of jobs must not wait for large pictures, which small files may contain.
const OF_PICTURES: ReadonlySet<keyof Readers> = new Set(['picture', 'maskedPicture'])

// Also read in the thread below the usual size: a small graph may take long to check.
const SMALL_BYTES: Partial<Record<keyof Readers, number>> = {
  ...{ prompt: limit('graphInTurnBytes'), runGraph: limit('graphInTurnBytes'), serverClasses: -1 },
}

// Their bodies are not needed here once they are read; copying the largest holds the event loop for 10 ms.
const TRANSFERRED: ReadonlySet<keyof Readers> = new Set(['object', 'items', 'report', 'chunk'])

function transferredOf(name: keyof Readers, given: readonly unknown[]): readonly ArrayBuffer[] {
  if (!TRANSFERRED.has(name)) return []
  // Part of a buffer is copied, as others may use the rest.
  return given.flatMap((one) =>
    one instanceof Uint8Array && one.buffer instanceof ArrayBuffer && one.length === one.buffer.byteLength
      ? one.buffer
      : [],
  )
}

// Counts only texts and bytes, since accompanying lists are short.
function sizeOf(given: unknown): number {
  if (typeof given === 'string' || given instanceof Uint8Array) return given.length
  if (Array.isArray(given)) return 0
  return typeof given === 'object' && given !== null
    ? Object.values(given).reduce<number>((sum, part) => sum + sizeOf(part), 0)
    : 0
}

if (!isMainThread) answerIn(read)
