import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import pino from 'pino'
import type { Log, NewId, TimeSource } from '../../lib/clock.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const WORKER_ID_LENGTH = 14
const KEY_BYTES = 32

// A longer timer of Node ends at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** `after` never runs early, as Node's timers may by a fraction of a millisecond: its work would find nothing due. */
export const systemTime: TimeSource = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const due = performance.now() + ms
    let timer: NodeJS.Timeout | undefined
    const wait = (forMs: number) => {
      const runIfDue = () => {
        const left = due - performance.now()
        if (left > 0) wait(Math.ceil(left))
        else run()
      }
      timer = setTimeout(runIfDue, Math.min(Math.max(forMs, 0), LONGEST_TIMER_MS))
    }
    wait(ms)
    return () => clearTimeout(timer)
  },
}

export const systemIds: NewId = {
  uuid: timeOrderedUuid,
  // 256 is not a multiple of 36, so the first letters are slightly more frequent; an id is no secret.
  worker: () => [...randomBytes(WORKER_ID_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join(''),
  key: () => `dk_${randomBytes(KEY_BYTES).toString('base64url')}`,
  hash: (key) => hash('sha256', key, 'buffer'),
  sameHash: (a, b) => a.length === b.length && timingSafeEqual(a, b),
}

/**
 * UUID version 7: the first 48 bits are the time in ms, so consecutive jobs are index neighbours and a group of submits
 * writes one page.
 */
function timeOrderedUuid(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/**
 * JSON lines on stderr or in a file; keys and payloads are never fields, and key-like text is removed.
 * @param file defaults to stderr
 */
export function createLog(level: string, file: string | undefined): Log {
  const destination = pino.destination({ dest: file ?? 2, sync: true, mkdir: true, mode: 0o600 })
  // A full disk must not end the service; unwritten output goes out with the next line.
  destination.on('error', () => undefined)
  const logger = pino(
    {
      level,
      base: null,
      redact: { paths: ['key', 'token', 'authorization', '*.key', '*.token', '*.authorization'], censor: '(hidden)' },
      serializers: { error: pino.stdSerializers.err },
    },
    destination,
  )
  return {
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
  }
}
