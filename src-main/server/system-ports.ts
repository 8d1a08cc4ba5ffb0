import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import pino from 'pino'
import type { Log, NewId, TimeSource } from '../core.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const WORKER_ID_LENGTH = 14
const KEY_BYTES = 32

/** The time of the machine. Timers keep the process alive only as long as the service itself does. */
export const systemTime: TimeSource = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Ids and keys from the generator of the system. */
export const systemIds: NewId = {
  uuid: timeOrderedUuid,
  // 256 is no multiple of 36, so the first letters come up a little more often; an id is no secret.
  worker: () => [...randomBytes(WORKER_ID_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join(''),
  key: () => `dk_${randomBytes(KEY_BYTES).toString('base64url')}`,
  hash: (key) => hash('sha256', key, 'buffer'),
  sameHash: (a, b) => a.length === b.length && timingSafeEqual(a, b),
}

/**
 * UUID version 7: its first 48 bits are the time in ms. Jobs that come one after the other are then neighbours in the
 * index of ids, so a group of submits writes one page of it instead of one each.
 */
function timeOrderedUuid(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/**
 * Log of the service as JSON lines on stderr or into a file; keys and payloads are never fields of it, and what looks
 * like a key is cut out all the same.
 * @param file path; stderr without it
 */
export function createLog(level: string, file: string | undefined): Log {
  const destination = pino.destination({ dest: file ?? 2, sync: true, mkdir: true, mode: 0o600 })
  // A full disk must not end the service; what could not be written is written with the next line.
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
