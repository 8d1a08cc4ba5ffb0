/** A disk whose syncs take longer, fail or are counted: a small library that is loaded into a process before all else. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How syncs behave. */
export type SyncBehaviour = {
  /** Added to each, in ms. */
  readonly addedMs?: number
  /** As long as this file is there, each fails. */
  readonly failPath?: string
  /** The file in which they are counted. */
  readonly countPath?: string
}

let built: string | undefined

/** Why the library cannot be built here; undefined where it can. */
export const noSlowSync: string | undefined =
  process.platform === 'linux' ? missingCompiler() : 'syncs are slowed down by a preloaded library of Linux'

function missingCompiler(): string | undefined {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'there is no C compiler `cc` to build the library that slows syncs down'
  }
}

/** The variables for a process whose syncs behave so. The library is built when it is first asked for. */
export function slowSyncs({ addedMs, failPath, countPath }: SyncBehaviour): Readonly<Record<string, string>> {
  built ??= build()
  return {
    LD_PRELOAD: built,
    ...(addedMs === undefined ? {} : { SLOW_SYNC_MS: String(addedMs) }),
    ...(failPath === undefined ? {} : { SLOW_SYNC_FAIL: failPath }),
    ...(countPath === undefined ? {} : { SLOW_SYNC_COUNT: countPath }),
  }
}

function build(): string {
  const library = join(mkdtempSync(join(tmpdir(), 'drydock-slow-sync-')), 'slow-sync.so')
  const source = join(import.meta.dirname, 'slow-sync.c')
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  return library
}

/** How many syncs there were since the process began: of the thread with the event loop, and of all others. */
export function syncCounts(countPath: string): { readonly eventLoop: number; readonly others: number } {
  const bytes = readFileSync(countPath)
  return { eventLoop: Number(bytes.readBigUInt64LE(0)), others: Number(bytes.readBigUInt64LE(8)) }
}
