import { AppError } from '../../contract/errors.ts'
import { partsOf } from '../../domain/app/plan.ts'
import type { Environment, Release } from '../ports/apps.ts'
import type { Clock, Endpoint, Storage } from '../ports.ts'
import { readEndpointsOf } from './members.ts'
import type { ReleasePlan } from './plan-release.ts'
import type { NextEndpoint } from './stage-release.ts'
import { removeUnused } from './variables.ts'

/** A release that is ready: its plan, and the endpoints that it makes or changes. */
export type ReadyRelease = {
  readonly environment: Environment
  readonly release: Release
  readonly plan: Pick<ReleasePlan, 'steps' | 'targets'>
  readonly endpoints: readonly NextEndpoint[]
}

/**
 * Makes a release the active one, with all its endpoints, in one transaction: clients see the old one or the new one.
 * @throws AppError ENDPOINT_EXISTS, ENDPOINT_NOT_FOUND; Error where the release was given up or endpoints have changed
 */
export function activateRelease(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  { environment, release, plan, endpoints }: ReadyRelease,
): Promise<Release> {
  return storage.write(() => {
    const now = clock.now()
    refuseOtherEndpoints(storage, environment, plan)
    for (const { endpoint, before } of endpoints) {
      if (before === undefined) storage.endpoints.save(endpoint, 'created', now)
      else storage.endpoints.save(changed(storage, before, endpoint, now), 'updated', now)
    }
    const previous = storage.apps.releaseIn(environment.id, 'active')
    if (previous !== undefined)
      storage.apps.moveRelease(previous.id, 'supersede', `release ${release.number} took over`, now)
    const active = storage.apps.moveRelease(release.id, 'activate', undefined, now)
    if (active === undefined) throw new Error(`release ${release.number} is no longer being prepared`)
    removeUnused(storage, environment)
    const words = `release ${release.number} of ${environment.app}, ${environment.name}`
    for (const { endpoint } of endpoints) storage.events.recordActivation(endpoint.id, words, now)
    return active
  })
}

// An active release without one of its endpoints, or with one twice, would be a lie.
function refuseOtherEndpoints(storage: Storage, environment: Environment, plan: ReadyRelease['plan']): void {
  const there = new Map(readEndpointsOf(storage, environment).map((endpoint) => [endpoint.app.resource, endpoint]))
  for (const { resource, action, endpointId } of plan.steps) {
    const found = there.get(resource)
    const wanted = plan.targets[resource]?.app
    if (action === 'create' && found !== undefined)
      throw new AppError('ENDPOINT_EXISTS', { field: 'id', value: found.id })
    const isAsPlanned =
      found?.id === endpointId && found?.app.code === wanted?.code && found?.app.variables === wanted?.variables
    if (action === 'unchanged' && !isAsPlanned)
      throw new Error(`endpoint ${resource} was changed or deleted meanwhile. Deploy again`)
  }
}

// Begins from the row as it is: a pause, a new key and what a person has set stay. Other settings are refused: they would be
// undone, and the worker that is ready has been started without them.
function changed({ endpoints }: Storage, before: Endpoint, next: Endpoint, now: number): Endpoint {
  const current = endpoints.read(before.id)
  if (current === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: before.id })
  const { ofPerson, ofRelease } = partsOf(current.config)
  if (
    current.revision !== before.revision ||
    JSON.stringify(ofRelease) !== JSON.stringify(partsOf(before.config).ofRelease)
  )
    throw new Error(`the settings of endpoint ${before.id} were changed meanwhile. Deploy again`)
  const config = { ...next.config, ...ofPerson }
  return { ...current, config, revision: next.revision, updatedAt: now }
}
