/**
 * Fault injection by a hash of the try's id, so that each try is reproducible and switches are independent. Source:
 * ours.
 */
import { type EndpointConfig, initializingLimitMs } from '../../../contract/endpoint.ts'
import type { Faults } from '../../../contract/faults.ts'
import { durationText } from '../../../lib/text.ts'

export type FaultShare = 'failPercent' | 'killPercent' | 'outOfMemoryPercent'

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
const RANGE = 2 ** 32

export function isHit(faults: Faults, share: FaultShare, tryId: string): boolean {
  const percent = faults[share]
  return percent !== undefined && (hash(`${share} ${tryId}`) / RANGE) * 100 < percent
}

export function tryId(jobId: string, attempt: number): string {
  return `${jobId} ${attempt}`
}

export function whyKilled(faults: Faults, tryId: string): string | undefined {
  if (isHit(faults, 'outOfMemoryPercent', tryId)) return 'out of memory (fault injection)'
  return isHit(faults, 'killPercent', tryId) ? 'killed by fault injection (killPercent) on its endpoint' : undefined
}

export function failedByInjection(endpointId: string): string {
  return `failed by fault injection on endpoint ${endpointId}: set failPercent to 0`
}

export function faultReason(name: 'throttle' | 'coldStart'): string {
  return `fault injection (${name}) is on for this endpoint`
}

export function activeFaults(faults: Faults | undefined): Faults | undefined {
  const on = Object.entries(faults ?? {}).filter(([, value]) => value !== undefined && value !== 0 && value !== false)
  return on.length === 0 ? undefined : Object.fromEntries(on)
}

/** Applies faults: with forced cold starts no worker is kept, and each serves one job. */
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

export function isUsedUp(
  faults: Faults | undefined,
  worker: { readonly jobsDone: number; readonly jobSpans: readonly unknown[]; readonly adopted: boolean },
): boolean {
  return faults?.coldStart === true && (worker.jobsDone > 0 || worker.jobSpans.length > 0 || worker.adopted)
}

function hash(text: string): number {
  let value = OFFSET
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), PRIME)
  // FNV spreads the last characters, which hold the attempt, badly over the high bits.
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** `delays each job by 2.0 s, fails 10 %`; empty: all off. */
export function faultsText(faults: Faults = {}): string {
  const { delayMs, failPercent, killPercent, outOfMemoryPercent, throttle, coldStart } = faults
  return [
    delayMs ? `delays each job by ${durationText(delayMs)}` : '',
    failPercent ? `fails ${failPercent} %` : '',
    killPercent ? `kills the worker of ${killPercent} %` : '',
    outOfMemoryPercent ? `runs out of memory on ${outOfMemoryPercent} %` : '',
    throttle ? 'has no capacity for further workers' : '',
    coldStart ? 'starts cold for every job' : '',
  ]
    .filter((words) => words !== '')
    .join(', ')
}
