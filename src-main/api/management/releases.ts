import type { Context } from 'hono'
import { releaseCreate } from '../../contract/app.ts'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { findOrCreateEnvironment, requireRelease } from '../../services/apps/environments.ts'
import { planRollback, showPlan } from '../../services/apps/plan-release.ts'
import { viewProgress, viewRelease } from '../../services/apps/views.ts'
import type { Environment, Release } from '../../services/ports/apps.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { followAsEvents } from '../follow.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'
import { environmentOf, placeOf } from './apps.ts'

function releaseOf(c: Context, service: ServiceContext) {
  const environment = environmentOf(c, service)
  const given = c.req.param('number') ?? ''
  if (!/^\d{1,9}$/.test(given)) throw new AppError('BAD_FIELD', { field: 'number', why: 'must be a whole number' })
  return { environment, release: requireRelease(service, environment, Number(given)) }
}

/** Plans and releases. */
export const RELEASE_OPERATIONS = {
  async planCreate(c, service) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const { artifact, ...wanted } = APP_ROUTES.planCreate.body.parse(value)
    return c.json(await showPlan(service, { ...wanted, ...placeOf(c), code: artifact }))
  },
  releaseList(c, service) {
    const environment = environmentOf(c, service)
    const releases = service.storage.apps.releases(environment.id, limit('releasesKept'))
    return c.json({ releases: releases.map((release) => viewRelease(environment, release)) })
  },
  async releaseCreate(c, service) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const request = releaseCreate.parse(value)
    const { app, environment: name } = placeOf(c)
    const isNew = 'artifact' in request.source || 'folder' in request.source
    // A deploy makes what is missing; there is nothing to go back to in an environment that is not there.
    const environment = isNew ? await findOrCreateEnvironment(service, app, name) : environmentOf(c, service)
    const release = await service.releases.create(environment, request)
    return c.json(viewProgress(service, environment, release))
  },
  releaseRead(c, service) {
    const { environment, release } = releaseOf(c, service)
    const follow = queryValue(c, 'follow', APP_ROUTES.releaseRead.query.follow)
    if (follow === 'true') return followRelease(c, service, environment, release)
    return c.json(viewProgress(service, environment, release))
  },
  async releasePlan(c, service) {
    const { environment, release } = releaseOf(c, service)
    return c.json(await planRollback(service, environment, release))
  },
  async releaseCancel(c, service) {
    const { environment, release } = releaseOf(c, service)
    await service.releases.cancel(release, 'it was cancelled')
    return c.json(viewProgress(service, environment, release))
  },
} as const satisfies Record<string, AppHandler>

/** Sends the progress whenever it is another one than before, until the release is decided. */
function followRelease(c: Context, service: ServiceContext, environment: Environment, release: Release): Response {
  let id = 0
  let sent = ''
  return followAsEvents(c, {
    bell: service.releases.bell,
    stopping: service.stopping,
    read() {
      const progress = viewProgress(service, environment, release)
      const data = JSON.stringify(progress)
      const end = progress.release.state !== 'preparing' && service.releases.run(release)?.ended !== false
      if (data === sent) return { items: [], more: false, end }
      sent = data
      id += 1
      return { items: [{ id, event: 'release', data }], more: false, end }
    },
  })
}
