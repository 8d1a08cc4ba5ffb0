import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { planProject } from '../../services/projects/plan-project.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { followAsEvents } from '../follow.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

const DONE = { ok: true as const }

const projectOf = (c: Context, { projects }: ServiceContext) => projects.require(c.req.param('projectId') ?? '')

/** Folders of this machine with apps, their builds and previews. */
export const PROJECT_OPERATIONS = {
  async folderList(c, { projects }) {
    const { query } = APP_ROUTES.folderList
    const withFiles = queryValue(c, 'files', query.files) !== undefined
    return c.json(await projects.folders.list(queryValue(c, 'path', query.path), withFiles))
  },
  exampleList: async (c, { projects }) => c.json({ examples: await projects.folders.examples() }),
  projectList: async (c, { projects }) => c.json({ projects: await projects.list() }),
  async projectOpen(c, { projects }) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const { folder, from } = APP_ROUTES.projectOpen.body.parse(value)
    return c.json(await projects.open(folder, from))
  },
  projectRead: async (c, service) => c.json(await service.projects.read(projectOf(c, service))),
  async projectForget(c, service) {
    await service.projects.forget(projectOf(c, service))
    return c.json(DONE)
  },
  async projectBuild(c, service) {
    const project = projectOf(c, service)
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const request = APP_ROUTES.projectBuild.body.parse(value)
    return c.json(service.projects.builds.start(project, request).view())
  },
  buildRead(c, service) {
    const build = buildOf(service, projectOf(c, service).id)
    const follow = queryValue(c, 'follow', APP_ROUTES.buildRead.query.follow) === 'true'
    if (!follow) return c.json(build.view())
    return followView(c, service, { event: 'build', view: build.view, isLast: ({ state }) => state !== 'running' })
  },
  async buildCancel(c, service) {
    const { id } = projectOf(c, service)
    const build = buildOf(service, id)
    await service.projects.builds.cancel(id)
    return c.json(build.view())
  },
  async projectPlan(c, service) {
    const project = projectOf(c, service)
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    return c.json(await planProject(service, project, APP_ROUTES.projectPlan.body.parse(value)))
  },
  previewStart: (c, service) => c.json(service.projects.previews.start(projectOf(c, service)).view()),
  previewRead(c, service) {
    const preview = previewOf(service, projectOf(c, service).id)
    const follow = queryValue(c, 'follow', APP_ROUTES.previewRead.query.follow) === 'true'
    if (!follow) return c.json(preview.view())
    return followView(c, service, { event: 'preview', view: preview.view, isLast: ({ state }) => state === 'ended' })
  },
  async previewStop(c, service) {
    const { id } = projectOf(c, service)
    const preview = previewOf(service, id)
    await service.projects.previews.stop(id)
    return c.json(preview.view())
  },
  previewLink: async (c, service) => c.json(await service.projects.previews.link(projectOf(c, service).id)),
} as const satisfies Record<string, AppHandler>

/** @throws AppError NO_BUILD */
function buildOf({ projects }: ServiceContext, projectId: string) {
  const build = projects.builds.newest(projectId)
  if (build === undefined) throw new AppError('NO_BUILD', { projectId })
  return build
}

/** @throws AppError NO_PREVIEW */
function previewOf({ projects }: ServiceContext, projectId: string) {
  const preview = projects.previews.newest(projectId)
  if (preview === undefined) throw new AppError('NO_PREVIEW', { projectId })
  return preview
}

/** Sends a view whenever it is another one than before, until it is the last. A view that has changed is another object. */
function followView<View extends object>(
  c: Context,
  { projects, stopping }: ServiceContext,
  {
    event,
    view,
    isLast,
  }: { readonly event: string; readonly view: () => View; readonly isLast: (view: View) => boolean },
): Response {
  let id = 0
  let sent: View | undefined
  return followAsEvents(c, {
    bell: projects.bell,
    stopping,
    read() {
      const now = view()
      const end = isLast(now)
      if (now === sent) return { items: [], more: false, end }
      sent = now
      id += 1
      return { items: [{ id, event, data: JSON.stringify(now) }], more: false, end }
    },
  })
}
