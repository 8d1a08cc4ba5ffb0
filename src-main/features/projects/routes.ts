import { AppError } from '../../contract/errors.ts'
import { followView } from '../../http/follow-view.ts'
import { requireRoleOf } from '../../http/guards.ts'
import { DONE, type ManagementOperations } from '../../http/operation.ts'
import type { ServiceBase, ServiceContext } from '../service-context.ts'
import { planProject } from './plan-project.ts'
import type { Projects } from './projects.ts'

type Services = ServiceBase &
  Pick<ServiceContext, 'models' | 'fleet' | 'processHost' | 'pythonPackages'> & { readonly projects: Projects }

const followed = ({ projects: { notifier }, stopping }: Services) => ({ notifier, stopping })

const projectOf = ({ projectId }: { readonly projectId: string }, { projects }: Services) => projects.require(projectId)

// Callers who may not choose a folder may not browse the machine either.
async function isOfProjectsOrModels(path: string, { storage, projects, models }: Services): Promise<boolean> {
  const { folders } = await models.folders()
  return projects.folders.isWithin(path, [
    ...storage.projects.all().map(({ folder }) => folder),
    ...folders.map((one) => one.path),
  ])
}

export const PROJECT_OPERATIONS = {
  async folderList({ query, caller }, service) {
    const { projects } = service
    const isOpen = query.path !== undefined && (await isOfProjectsOrModels(query.path, service))
    if (!isOpen) requireRoleOf(caller, 'deploy')
    return await projects.folders.list(query.path, query.files !== undefined)
  },
  exampleList: async (_request, { projects }) => ({ examples: await projects.folders.examples() }),
  projectList: async (_request, { projects }) => ({ projects: await projects.list() }),
  projectOpen: async ({ body }, { projects }) => await projects.open(body.folder, body.from),
  projectRead: async ({ path }, service) => await service.projects.read(projectOf(path, service)),
  async projectForget({ path }, service) {
    await service.projects.forget(projectOf(path, service))
    return DONE
  },
  projectBuild: async ({ path, body }, service) =>
    service.projects.builds.start(projectOf(path, service), body).view().shown,
  buildRead({ c, path, query }, service) {
    const build = buildOf(service, projectOf(path, service).id)
    const view = () => build.view().shown
    if (query.follow !== 'true') return view()
    return followView(c, { ...followed(service), event: 'build', view, isLast: ({ state }) => state !== 'running' })
  },
  async buildCancel({ path }, service) {
    const { id } = projectOf(path, service)
    const build = buildOf(service, id)
    await service.projects.builds.cancel(id)
    return build.view().shown
  },
  projectPlan: async ({ path, body }, service) => await planProject(service, projectOf(path, service), body),
  previewStart: ({ path }, service) => service.projects.previews.start(projectOf(path, service)).view(),
  previewRead({ c, path, query }, service) {
    const preview = previewOf(service, projectOf(path, service).id)
    if (query.follow !== 'true') return preview.view()
    const { view } = preview
    return followView(c, { ...followed(service), event: 'preview', view, isLast: ({ state }) => state === 'ended' })
  },
  async previewStop({ path }, service) {
    const { id } = projectOf(path, service)
    const preview = previewOf(service, id)
    await service.projects.previews.stop(id)
    return preview.view()
  },
  previewLink: async ({ path }, service) => await service.projects.previews.link(projectOf(path, service).id),
} as const satisfies Partial<ManagementOperations<Services>>

function buildOf({ projects }: Services, projectId: string) {
  const build = projects.builds.newest(projectId)
  if (build === undefined) throw new AppError('NO_BUILD', { projectId })
  return build
}

function previewOf({ projects }: Services, projectId: string) {
  const preview = projects.previews.newest(projectId)
  if (preview === undefined) throw new AppError('NO_PREVIEW', { projectId })
  return preview
}
