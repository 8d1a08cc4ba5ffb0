/** An environment of an app, and which one is meant where nobody names one. */
import type { AppMembership } from '../../contract/app.ts'

/** An environment of an app, by the names. */
export type AppTarget = { readonly app: string; readonly environment: string }

/** Where an endpoint belongs; undefined: to no app. */
export function targetOf(membership: AppMembership | undefined): AppTarget | undefined {
  return membership && { app: membership.name, environment: membership.environment }
}

/**
 * Whether both are the same environment of the same app. What has no target is in none, not even in that of another
 * without one.
 */
export function isSameTarget(one: AppTarget | undefined, other: AppTarget | undefined): boolean {
  return one !== undefined && one.app === other?.app && one.environment === other.environment
}

/**
 * The environment that a deploy makes, and that commands and pages mean, unless another one is named. Source:
 * docs/spec/app-deploy.md, 7.
 */
export const DEFAULT_ENVIRONMENT = 'production'

/**
 * Which environment of an app is meant: the one asked for, else `production`, else the only one there is. Several are
 * no reason to ask: a second environment must not change what the same command did before. Source: ours, because the
 * specification refuses the command there, and so would refuse what its own first example made possible.
 * @param asked name that the user gave
 * @param existing names of the app's environments
 * @returns a name; it need not exist yet
 */
export function chooseEnvironment(asked: string | undefined, existing: readonly string[]): string {
  if (asked !== undefined) return asked
  const [only, ...others] = existing
  return only !== undefined && others.length === 0 ? only : DEFAULT_ENVIRONMENT
}
