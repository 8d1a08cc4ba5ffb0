import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectChange } from '../../../../app/app-builder/watch-app.ts'
import type { BuiltApp } from '../../../../contract/build.ts'
import { createEmitter } from '../../../../lib/emitter.ts'

export type ChangeQueue = ReturnType<typeof createChangeQueue>

export function createChangeQueue() {
  let waiting: ProjectChange | undefined
  const pushes = createEmitter()

  async function whenWaiting(signal: AbortSignal): Promise<void> {
    if (waiting !== undefined || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopListening = pushes.on(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    stopListening()
  }

  return {
    push(change: ProjectChange) {
      waiting = waiting === undefined ? change : merge(waiting, change)
      pushes.emit()
    },
    async next(signal: AbortSignal): Promise<ProjectChange | undefined> {
      await whenWaiting(signal)
      const change = signal.aborted ? undefined : waiting
      waiting = undefined
      return change
    },
    whenWaiting,
  }
}

function merge(earlier: ProjectChange, later: ProjectChange): ProjectChange {
  return { files: [...new Set([...earlier.files, ...later.files])].sort(), at: Math.min(earlier.at, later.at) }
}

// Keeps the newest code folders; an older one goes once no worker can still import from it.

/** `until`: when the next release took over; ms since the epoch. */
type Released = { readonly folder: string; readonly from: number; until: number | undefined }

// The active one, the previous one, whose workers may still work, and one more. Source: ours.
const MAX_FOLDERS = 3

export type CodeFolders = ReturnType<typeof createCodeFolders>

export function createCodeFolders(root: string) {
  let count = 0
  let released: readonly Released[] = []
  const remove = (folder: string) => rm(folder, { recursive: true, force: true })
  return {
    next(): string {
      count += 1
      return join(root, String(count))
    },
    drop: remove,
    /** @param from when its first worker could start, ms since the epoch */
    live(folder: string, from: number, now: number) {
      const before = released.at(-1)
      if (before !== undefined) before.until = now
      released = [...released, { folder, from, until: undefined }]
    },
    async tidy(startedAt: readonly number[]) {
      const mayHave = ({ from, until = Number.POSITIVE_INFINITY }: Released) =>
        startedAt.some((at) => at >= from && at <= until)
      const old = released.slice(0, -MAX_FOLDERS).filter((one) => !mayHave(one))
      released = released.filter((one) => !old.includes(one))
      for (const { folder } of old) await remove(folder)
    },
  }
}

// A release waits only for affected endpoints' workers. A wrong guess leaves no old code, but a failing start is
// noticed late.

export type BuiltCode = Pick<BuiltApp, 'endpoints' | 'packages' | 'pythonVersion' | 'appFile'>

/**
 * @param files relative paths changed since; undefined or empty: unknown
 * @returns endpoint names; undefined: all
 */
export function concernedEndpoints(
  live: BuiltCode,
  built: BuiltCode,
  files: readonly string[] | undefined,
): string[] | undefined {
  // Anybody may read data. For Python files the scanner knows who loads them.
  if (files === undefined || files.length === 0 || !files.every((file) => file.endsWith('.py'))) return undefined
  if (environmentOf(live) !== environmentOf(built)) return undefined
  const before = new Map(live.endpoints.map(({ name, code }) => [name, code]))
  return built.endpoints.flatMap(({ name, code }) => (code !== undefined && code === before.get(name) ? [] : [name]))
}

const environmentOf = ({ packages, pythonVersion }: BuiltCode) => JSON.stringify([pythonVersion, packages])
