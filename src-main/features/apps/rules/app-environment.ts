import type { AppMembership } from '../../../contract/app.ts'

export type AppTarget = { readonly app: string; readonly environment: string }

export function targetOf(membership: AppMembership | undefined): AppTarget | undefined {
  return membership && { app: membership.name, environment: membership.environment }
}

export function pathInApp({ name, environment, resource }: AppMembership): string {
  return `${name}/${environment}/${resource}`
}

/** Whether both name the same environment; endpoints without an app share none. */
export function isSameTarget(one: AppTarget | undefined, other: AppTarget | undefined): boolean {
  return one !== undefined && one.app === other?.app && one.environment === other.environment
}

/** Used by deploys, commands and pages when no environment is named. Source: docs/spec/app-deploy.md, 7. */
export const DEFAULT_ENVIRONMENT = 'production'

/**
 * Returns the requested environment, else `production`, else the only one. Source: ours; the specification rejects
 * commands once several environments exist.
 * @returns a name that may not exist yet
 */
export function chooseEnvironment(asked: string | undefined, existing: readonly string[]): string {
  if (asked !== undefined) return asked
  const [only, ...others] = existing
  return only !== undefined && others.length === 0 ? only : DEFAULT_ENVIRONMENT
}
