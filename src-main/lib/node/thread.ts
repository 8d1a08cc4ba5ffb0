/**
 * A thread that answers requests sequentially, started on demand. A request that takes too long or too much memory ends
 * the thread and yields a problem; the next one starts another.
 */
import { parentPort, Worker } from 'node:worker_threads'
import { errorCode } from '../error-code.ts'
import type { Problem } from '../in-thread.ts'

type Bounds = {
  readonly timeMs: number
  readonly memoryMib: number
  /** Idle time after which it ends and frees its memory; undefined means only on release. */
  readonly idleMs?: number
}

export type Thread<Told, Answer> = {
  /** @param transferred buffers of `told` that are moved instead of copied: they are empty here afterwards */
  readonly ask: (told: Told, transferred?: readonly ArrayBuffer[]) => Promise<Answer | Problem>
  /** Frees its memory once everything is answered; it can be used again. */
  readonly release: () => Promise<void>
  /** Ends it at once: all current and later requests get a problem. */
  readonly stop: () => Promise<void>
}

const STOPPED: Problem = { problem: 'it was stopped' }

export function createThread<Told, Answer>(file: URL, { timeMs, memoryMib, idleMs }: Bounds): Thread<Told, Answer> {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined
  let stopped = false

  function start(): Worker {
    const started = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: memoryMib } })
    // Without a listener an error between two requests would end the process.
    started.on('error', () => undefined)
    return started.on('exit', () => {
      if (thread === started) thread = undefined
    })
  }

  async function end(): Promise<void> {
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }

  async function tell(told: Told, transferred: readonly ArrayBuffer[]): Promise<Answer | Problem> {
    clearTimeout(idle)
    if (stopped) return STOPPED
    thread ??= start()
    const answer = await answerOf<Told, Answer>(thread, { told, transferred, timeMs })
    if ('failed' in answer) await end()
    if (stopped) return 'given' in answer ? answer.given : STOPPED
    // A thread that waits for work keeps no process alive.
    thread?.unref()
    if (idleMs !== undefined) idle = setTimeout(() => void inTurn(end), idleMs).unref()
    return 'given' in answer ? answer.given : { problem: answer.failed }
  }

  function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const done = last.then(() => act())
    last = done.catch(() => undefined)
    return done
  }

  return {
    ask: (told, transferred = []) => inTurn(() => tell(told, transferred)),
    release: () => inTurn(end),
    async stop() {
      stopped = true
      clearTimeout(idle)
      await end()
    },
  }
}

type Request<Told> = {
  readonly told: Told
  readonly transferred: readonly ArrayBuffer[]
  readonly timeMs: number
}

type Answered<Answer> = { readonly given: Answer } | { readonly failed: string }

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'

function answerOf<Told, Answer>(
  thread: Worker,
  { told, transferred, timeMs }: Request<Told>,
): Promise<Answered<Answer>> {
  const { promise, resolve } = Promise.withResolvers<Answered<Answer>>()
  const onMessage = (given: Answer) => resolve({ given })
  const onError = (error: Error) =>
    resolve({ failed: errorCode(error) === OUT_OF_MEMORY ? 'it needed more memory than there is' : error.message })
  const onEnd = (code: number) => resolve({ failed: `its thread ended with code ${code}` })
  const timer = setTimeout(() => resolve({ failed: `it took longer than ${timeMs / 1000} s` }), timeMs)
  thread.ref()
  thread.on('message', onMessage).on('error', onError).on('exit', onEnd)
  thread.postMessage(told, transferred)
  return promise.finally(() => {
    clearTimeout(timer)
    thread.off('message', onMessage).off('error', onError).off('exit', onEnd)
  })
}

/** In the thread: answers requests. Bytes in an answer are transferred without copying. */
export function answerIn<Told, Answer extends object>(answer: (told: Told) => Answer): void {
  parentPort?.on('message', (told: Told) => {
    const given = answer(told)
    parentPort?.postMessage(given, [...new Set(buffersIn(given, BUFFER_DEPTH))])
  })
}

// Four levels: an answer, a list in it, an item of that list, its bytes.
const BUFFER_DEPTH = 4

function buffersIn(value: unknown, depth: number): readonly ArrayBuffer[] {
  if (value instanceof Uint8Array) {
    const { buffer } = value
    // Small buffers are parts of a shared pool.
    return buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize ? [buffer] : []
  }
  if (typeof value !== 'object' || value === null || depth === 0) return []
  const parts = value instanceof Map ? [...value.values()] : Object.values(value)
  return parts.flatMap((part) => buffersIn(part, depth - 1))
}
