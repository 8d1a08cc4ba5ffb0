import type { EnvironmentDetail } from '../../../contract/app.ts'
import { counted } from '../../../lib/text.ts'
import { named } from './dependents.ts'

/** All that is deleted with endpoints. */
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

/** Names a thing and all that is deleted with it. */
export const deletionText = (what: string, parts: readonly string[]): string =>
  parts.length === 0 ? what : `${what} with ${parts.join(', ')}, and all ${WITH_ENDPOINTS}`
