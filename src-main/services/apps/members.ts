import type { AppMembership } from '../../contract/app.ts'
import type { Endpoint, Storage } from '../ports.ts'

/** An endpoint that belongs to an app. */
export type MemberEndpoint = Endpoint & { readonly app: AppMembership }

type Place = { readonly app: string; readonly name: string }

/** The endpoints of an environment, by the names that its app gives them. Membership is part of their settings. */
export function endpointsOf({ endpoints }: Pick<Storage, 'endpoints'>, environment: Place): readonly MemberEndpoint[] {
  return membersAmong(endpoints.all(), environment)
}

/** The same as they are inside a write, where others of the same transaction may have changed them. */
export function readEndpointsOf(
  { endpoints }: Pick<Storage, 'endpoints'>,
  environment: Place,
): readonly MemberEndpoint[] {
  return membersAmong(endpoints.readAll(), environment)
}

function membersAmong(endpoints: readonly Endpoint[], { app, name }: Place): readonly MemberEndpoint[] {
  return endpoints
    .flatMap((endpoint) => {
      const membership = endpoint.config.app
      return membership?.name === app && membership.environment === name ? [{ ...endpoint, app: membership }] : []
    })
    .sort((a, b) => (a.app.resource < b.app.resource ? -1 : 1))
}
