/** The trace that the preloaded library (record-writes.c) writes: what a service did to its files, in order. */
import { readFileSync } from 'node:fs'

/** A moment of CLOCK_MONOTONIC in ns, as `process.hrtime.bigint()` gives it. */
export type Ns = bigint

/** The kinds of records, numbered as the library does. */
const KINDS = ['open', 'write', 'truncate', 'sync', 'rename', 'unlink', 'mkdir', 'rmdir', 'end'] as const

/** Paths are below the data folder; the folder itself is ''. `file` is an inode. */
export type TraceRecord = {
  readonly kind: (typeof KINDS)[number]
  /** Of a call; the record of its end has the same. */
  readonly id: bigint
  readonly ns: Ns
  readonly file: number
  /** write: where, in bytes. truncate: the new length. end: what the call returned. open: OPENED. */
  readonly at: number
  readonly path: string
  /** rename: the new path; '' of either: it lies outside. */
  readonly other: string
  readonly bytes: Buffer
  /** Of the record itself, in bytes. */
  readonly size: number
}

/** Bits of an open's `at`. */
export const OPENED = { isNew: 1, isEmptied: 2, isFolder: 4 } as const

const HEAD_BYTES = 48

/** Reads a whole trace; one that was cut off by a kill ends with its last whole record. */
export function readTrace(file: string): readonly TraceRecord[] {
  const all = readFileSync(file)
  const records: TraceRecord[] = []
  for (let start = 0; start + HEAD_BYTES <= all.length; ) {
    const size = all.readUInt32LE(start)
    if (start + size > all.length) break
    records.push(recordOf(all.subarray(start, start + size)))
    start += size
  }
  return records
}

function recordOf(record: Buffer): TraceRecord {
  const kind = KINDS[record.readUInt32LE(4) - 1]
  if (kind === undefined) throw new Error(`the trace has a record of kind ${record.readUInt32LE(4)}`)
  const pathEnd = HEAD_BYTES + record.readUInt32LE(40)
  const otherEnd = pathEnd + record.readUInt32LE(44)
  return {
    kind,
    id: record.readBigUInt64LE(8),
    ns: record.readBigUInt64LE(16),
    file: Number(record.readBigUInt64LE(24)),
    at: Number(record.readBigInt64LE(32)),
    path: record.toString('utf8', HEAD_BYTES, pathEnd),
    other: record.toString('utf8', pathEnd, otherEnd),
    bytes: record.subarray(otherEnd),
    size: record.length,
  }
}
