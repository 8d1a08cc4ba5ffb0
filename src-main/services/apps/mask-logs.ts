import { type AppPlace, isSamePlace } from '../../domain/app/app-place.ts'
import { createMask } from '../../domain/worker/mask-secrets.ts'
import type { Storage } from '../ports.ts'
import type { WorkerRegistry } from '../workers/worker-registry.ts'
import { secretValues } from './variables.ts'

/** Takes the variables of an app's environment out of the lines of its workers. */
export type MaskLogs = (app: AppPlace | undefined, lines: readonly string[]) => readonly string[]

/** The masks of all environments. */
export type LogMasks = {
  /** To be called before a worker is given variables: later its version of them may be gone, and the worker still there. */
  readonly learn: (app: AppPlace | undefined) => void
  readonly mask: MaskLogs
}

type Known = {
  readonly place: AppPlace
  readonly environmentId: number
  readonly version: number
  readonly values: ReadonlySet<string>
  readonly mask: (line: string) => string
}

/**
 * Makes the masks. A value that was once hidden stays hidden: workers of an earlier release may still print it.
 * Workers of no app have no variables that are kept secret.
 */
export function createLogMasks(
  storage: Pick<Storage, 'apps' | 'secrets'>,
  registry: Pick<WorkerRegistry, 'all'>,
): LogMasks {
  const known = new Map<string, Known>()

  function learn(place: AppPlace | undefined): Known | undefined {
    if (place === undefined) return undefined
    const key = JSON.stringify([place.app, place.environment])
    const before = known.get(key)
    const environment = storage.apps.environment(place.app, place.environment)
    if (environment === undefined) return before
    const { id: environmentId, variables: version } = environment
    if (before?.environmentId === environmentId && before.version === version) return before
    forgetDeleted()
    const values = new Set([...(before?.values ?? []), ...secretValues(storage, environment)])
    const current = { place, environmentId, version, values, mask: createMask([...values]) }
    known.set(key, current)
    return current
  }

  // Secrets are kept no longer than somebody could print them.
  function forgetDeleted(): void {
    for (const [key, { place }] of known) {
      const isThere = storage.apps.environment(place.app, place.environment) !== undefined
      if (!isThere && !registry.all().some(({ app }) => isSamePlace(app, place))) known.delete(key)
    }
  }

  return {
    learn: (place) => void learn(place),
    mask(place, lines) {
      const mask = learn(place)?.mask
      return mask === undefined ? lines : lines.map(mask)
    },
  }
}
