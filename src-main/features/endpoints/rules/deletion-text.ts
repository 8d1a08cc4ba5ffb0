import type { EnvironmentDetail } from '../../../contract/app.ts'
import { counted } from '../../../lib/text.ts'
import { named } from './dependents.ts'
import { plainId } from './ids.ts'

export const WITH_ENDPOINTS = 'jobs, results, logs, metrics, schedules, batches, load tests and saved requests'

/** All that an environment consists of, like ["endpoint greet", "3 releases"]. */
export function environmentParts({
  endpoints,
  releases,
  variables,
}: Pick<EnvironmentDetail, 'endpoints' | 'releases' | 'variables'>): readonly string[] {
  return [
    ...named(
      'endpoint',
      endpoints.map(({ resource }) => resource),
    ),
    ...(releases.length === 0 ? [] : [counted(releases.length, 'release')]),
    ...(variables.length === 0 ? [] : [counted(variables.length, 'variable')]),
  ]
}

/** Tells the effect of a later rollback: an id with a random suffix is replaced by a new one. */
export function restoredText(endpoints: readonly { readonly id: string; readonly resource: string }[]): string {
  const renamed = endpoints.filter(({ id, resource }) => id !== plainId(resource)).map(({ id }) => id)
  const under = renamed.length === 1 ? 'a new id' : 'new ids'
  const ids = renamed.length === 0 ? '' : `, ${renamed.join(', ')} under ${under}`
  return `recreates the endpoints with new keys${ids}`
}

export const deletionText = (what: string, parts: readonly string[]): string =>
  parts.length === 0 ? what : `${what} with ${parts.join(', ')}, and all ${WITH_ENDPOINTS}`
