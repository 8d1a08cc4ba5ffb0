/**
 * What the fault injection of an endpoint hits and changes. Chance is a function of the id of a try, so that the same
 * try always fares the same, and each switch decides for itself. Source: ours, because a fault that can be looked at
 * again is worth more than one that cannot.
 */
import { type EndpointConfig, initializingLimitMs } from '../../contract/endpoint.ts'
import type { Faults } from '../../contract/faults.ts'

/** A fault that hits a share. */
export type FaultShare = 'failPercent' | 'killPercent' | 'outOfMemoryPercent'

// FNV-1a, 32 bits.
const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
const RANGE = 2 ** 32

/**
 * Whether an injected fault hits this try.
 * @param tryId see tryId, or the id of a request
 */
export function isHit(faults: Faults, share: FaultShare, tryId: string): boolean {
  const percent = faults[share]
  return percent !== undefined && (hash(`${share} ${tryId}`) / RANGE) * 100 < percent
}

/** Id of one try of a job: a job that is tried again may fare better, as it does where no fault is injected. */
export function tryId(jobId: string, attempt: number): string {
  return `${jobId} ${attempt}`
}

/** Why the worker that was given this try is killed; undefined: it is not. */
export function whyKilled(faults: Faults, tryId: string): string | undefined {
  if (isHit(faults, 'outOfMemoryPercent', tryId)) return 'out of memory (fault injection)'
  return isHit(faults, 'killPercent', tryId) ? 'killed by fault injection (killPercent) on its endpoint' : undefined
}

/** The error of a job that fault injection failed. */
export function failedByInjection(endpointId: string): string {
  return `failed by fault injection on endpoint ${endpointId}: set failPercent to 0`
}

/** Why something happens that an injected fault does by being on. */
export function faultReason(name: 'throttle' | 'coldStart'): string {
  return `fault injection (${name}) is on for this endpoint`
}

/** The injected faults that are on; undefined: all are off. */
export function activeFaults(faults: Faults | undefined): Faults | undefined {
  const on = Object.entries(faults ?? {}).filter(([, value]) => value !== undefined && value !== 0 && value !== false)
  return on.length === 0 ? undefined : Object.fromEntries(on)
}

/**
 * The settings that the fleet of an endpoint follows, with the limit of a start that its variables ask for. Where each
 * start is to be cold no worker is held for later, and a worker is worth one job.
 */
export function settingsWithFaults(settings: EndpointConfig): EndpointConfig {
  const config = { ...settings, initializingTimeoutMs: initializingLimitMs(settings) }
  if (config.faults?.coldStart !== true) return config
  const { scaler, container } = config
  return {
    ...config,
    workersMin: 0,
    idleTimeoutMs: 0,
    concurrency: 1,
    scaler: scaler.type === 'REQUEST_COUNT' ? { ...scaler, value: 1 } : scaler,
    ...(container && { container: { ...container, keepPausedMs: 0 } }),
  }
}

/** Whether the worker has had the one job that it may have. */
export function isUsedUp(
  faults: Faults | undefined,
  worker: { readonly jobsDone: number; readonly jobSpans: readonly unknown[]; readonly adopted: boolean },
): boolean {
  // What an adopted one ran before, nobody knows.
  return faults?.coldStart === true && (worker.jobsDone > 0 || worker.jobSpans.length > 0 || worker.adopted)
}

function hash(text: string): number {
  let value = OFFSET
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), PRIME)
  // FNV alone spreads the last characters badly over the high bits, and the number of the try comes last.
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
