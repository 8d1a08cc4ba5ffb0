/** Acknowledgements to clients while the service worked, with their times: all must hold after a power cut. */
import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import type { Ns } from './trace.ts'

/** The endpoint whose worker answers, and the one whose jobs wait until they are purged. */
export const ENDPOINTS = { works: 'works', waits: 'waits' } as const
/** Where the app is deployed. */
export const APP = { app: 'shop', environment: 'production', variable: 'SECRET', resource: 'tool' } as const

/** Large texts are hashes. */
export type Told =
  | { readonly what: 'job'; readonly id: string; readonly endpointId: string; readonly input: string }
  /** A job has ended, as an answer, a webhook or an event says. */
  | { readonly what: 'end'; readonly id: string; readonly status: string; readonly output?: string }
  /** Another try of a failed job was asked for: it may have any state from now on. */
  | { readonly what: 'retried'; readonly id: string }
  /** A client has read so many chunks of a stream, or a worker was told that they came. */
  | { readonly what: 'chunks'; readonly id: string; readonly count: number }
  /** A worker was told that its result came: the job has ended, in this way unless somebody else ended it before. */
  | { readonly what: 'taken'; readonly id: string; readonly output: string }
  | { readonly what: 'event'; readonly eventId: number; readonly jobId: string; readonly to: string }
  | { readonly what: 'endpoint'; readonly id: string; readonly name: string }
  | { readonly what: 'asset'; readonly id: string; readonly name: string }
  | { readonly what: 'artifact'; readonly id: string }
  | { readonly what: 'release'; readonly number: number; readonly state: string; readonly artifact: string }
  | { readonly what: 'run'; readonly id: string; readonly status: string; readonly assets: readonly string[] }
  /** A value that is replaced again and again, by one client: the one stored is the last told or one asked for since. */
  | { readonly what: 'value' | 'asked'; readonly name: string; readonly value: string }

/** Something told, or asked for, at a moment. */
export type Note = { readonly ns: Ns; readonly told: Told }

/** Notes it in a file; one is shared by all processes of a run. */
export function noteIn(file: string): (told: Told) => void {
  return (told) => appendFileSync(file, `${JSON.stringify({ ns: String(process.hrtime.bigint()), told })}\n`)
}

/** All that was noted, in the order of time. */
export function readNotes(file: string): readonly Note[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  const notes = lines.map((line) => {
    const { ns, told } = JSON.parse(line) as { ns: string; told: Told }
    return { ns: BigInt(ns), told }
  })
  return notes.sort((one, other) => Number(one.ns - other.ns))
}

/** A short name of a text or of bytes. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** The same of a JSON value, however it was written. */
export const hashOfJson = (value: unknown): string => hashOf(JSON.stringify(value) ?? 'undefined')
