/**
 * What of the code of a preview has changed: which saves are one change, whom it concerns, and which folders with the
 * code of releases stay.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectChange } from '../../app-builder/watch-app.ts'
import type { BuiltApp } from '../../contract/build.ts'
import { createEmitter } from '../../domain/emitter.ts'

/** Changes of a project that wait to be taken over. */
export type ChangeQueue = {
  readonly push: (change: ProjectChange) => void
  /** Waits for a change and takes all that came until then as one; undefined: the signal was aborted. */
  readonly next: (signal: AbortSignal) => Promise<ProjectChange | undefined>
  /** Settles when a change waits, or the signal is aborted. */
  readonly whenWaiting: (signal: AbortSignal) => Promise<void>
}

/** Makes an empty queue. */
export function createChangeQueue(): ChangeQueue {
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
    push(change) {
      waiting = waiting === undefined ? change : merge(waiting, change)
      pushes.emit()
    },
    async next(signal) {
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

// The folders with the code of a preview's releases. The newest stay; an older one goes when no worker can have its
// code any more, since a worker with a long job may still import from it.

/** A folder whose code was released; `until`: when another release took over. Times in ms since the epoch. */
type Released = { readonly folder: string; readonly from: number; until: number | undefined }

// The one that answers, the one before, whose workers may still work, and one more. Source: ours.
const MAX_FOLDERS = 3

/** The folders of one preview. */
export type CodeFolders = {
  /** A folder that is not there yet. */
  readonly next: () => string
  /** Its code was never used. */
  readonly drop: (folder: string) => Promise<void>
  /** Its code answers from now on. @param from when its first worker could start; @param now both ms since the epoch */
  readonly live: (folder: string, from: number, now: number) => void
  /** Removes those that no worker has any more. @param startedAt when each of the workers that live was started */
  readonly tidy: (startedAt: readonly number[]) => Promise<void>
}

/** Makes the list. @param root folder of the folders */
export function createCodeFolders(root: string): CodeFolders {
  let count = 0
  let released: readonly Released[] = []
  const remove = (folder: string) => rm(folder, { recursive: true, force: true })
  return {
    next() {
      count += 1
      return join(root, String(count))
    },
    drop: remove,
    live(folder, from, now) {
      const before = released.at(-1)
      if (before !== undefined) before.until = now
      released = [...released, { folder, from, until: undefined }]
    },
    async tidy(startedAt) {
      const mayHave = ({ from, until = Number.POSITIVE_INFINITY }: Released) =>
        startedAt.some((at) => at >= from && at <= until)
      const old = released.slice(0, -MAX_FOLDERS).filter((one) => !mayHave(one))
      released = released.filter((one) => !old.includes(one))
      for (const { folder } of old) await remove(folder)
    },
  }
}

// Whom a change concerns: a release waits for the workers of these endpoints, and the others get the same code when it
// is active. A wrong answer leaves nobody on old code; it is only not noticed in time that an endpoint does not start.

/** What of a build tells whom a change concerns. */
export type BuiltCode = Pick<BuiltApp, 'endpoints' | 'packages' | 'pythonVersion' | 'appFile'>

/**
 * Compares a build with the one that answers.
 * @param files relative paths that changed since then; none, or undefined: it is not known which
 * @returns names; undefined: all
 */
export function concernedEndpoints(
  live: BuiltCode,
  built: BuiltCode,
  files: readonly string[] | undefined,
): string[] | undefined {
  // Data may be read by anybody. Of Python files the scanner knows who loads them.
  if (files === undefined || files.length === 0 || !files.every((file) => file.endsWith('.py'))) return undefined
  if (environmentOf(live) !== environmentOf(built)) return undefined
  const before = new Map(live.endpoints.map(({ name, code }) => [name, code]))
  return built.endpoints.flatMap(({ name, code }) => (code !== undefined && code === before.get(name) ? [] : [name]))
}

const environmentOf = ({ packages, pythonVersion }: BuiltCode) => JSON.stringify([pythonVersion, packages])
