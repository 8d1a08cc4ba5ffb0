import { createMask } from '../../domain/worker/mask-secrets.ts'
import type { Storage } from '../ports.ts'
import { secretValues } from './variables.ts'

/** Takes the variables of an app's environment out of the lines of its workers. */
export type MaskLogs = (endpointId: string, lines: readonly string[]) => readonly string[]

type Known = { readonly version: number; readonly values: Set<string>; readonly mask: (line: string) => string }

/**
 * Makes the masks. A value that was once hidden stays hidden: workers of an earlier release may still print it.
 * Endpoints of no app have no variables that are kept secret.
 */
export function createLogMasks(storage: Pick<Storage, 'apps' | 'secrets' | 'endpoints'>): MaskLogs {
  const known = new Map<number, Known>()
  return (endpointId, lines) => {
    const app = storage.endpoints.get(endpointId)?.config.app
    const environment = app && storage.apps.environment(app.name, app.environment)
    if (app === undefined || environment === undefined) return lines
    let current = known.get(environment.id)
    if (current?.version !== environment.variables) {
      const values = new Set([...(current?.values ?? []), ...secretValues(storage, app)])
      current = { version: environment.variables, values, mask: createMask([...values]) }
      known.set(environment.id, current)
    }
    return lines.map(current.mask)
  }
}
