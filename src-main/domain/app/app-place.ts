import type { AppMembership } from '../../contract/app.ts'

/** An environment of an app, by the names. */
export type AppPlace = { readonly app: string; readonly environment: string }

/** Where an endpoint belongs; undefined: to no app. */
export function placeOf(membership: AppMembership | undefined): AppPlace | undefined {
  return membership && { app: membership.name, environment: membership.environment }
}

/** Whether both are the same environment of the same app. What is nowhere is in no place, not even in its own. */
export function isSamePlace(one: AppPlace | undefined, other: AppPlace | undefined): boolean {
  return one !== undefined && one.app === other?.app && one.environment === other.environment
}
