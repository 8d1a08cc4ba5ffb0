import type { AppMembership } from '../../contract/app.ts'
import type { Endpoint, Storage } from '../ports.ts'

/** An endpoint that belongs to an app. */
export type MemberEndpoint = Endpoint & { readonly app: AppMembership }

/** The endpoints of an environment, by the names that its app gives them. Membership is part of their settings. */
export function endpointsOf(
  { endpoints }: Pick<Storage, 'endpoints'>,
  { app, name }: { readonly app: string; readonly name: string },
): readonly MemberEndpoint[] {
  return endpoints
    .all()
    .flatMap((endpoint) => {
      const membership = endpoint.config.app
      return membership?.name === app && membership.environment === name ? [{ ...endpoint, app: membership }] : []
    })
    .sort((a, b) => (a.app.resource < b.app.resource ? -1 : 1))
}
