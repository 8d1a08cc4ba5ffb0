import { followView } from '../../http/follow-view.ts'
import type { ManagementOperations } from '../../http/operation.ts'
import type { ServiceBase } from '../service-context.ts'
import { requireWorkflow } from '../workflows/library.ts'
import type { ImageBuilds } from './image-builds.ts'

type Services = ServiceBase & { readonly imageBuilds: ImageBuilds }

export const IMAGE_BUILD_OPERATIONS = {
  imageBuildStart: ({ path, body }, service) =>
    service.imageBuilds.start(requireWorkflow(service, path.workflowId).id, body),
  imageBuildRead({ c, path, query }, service) {
    const { imageBuilds, stopping } = service
    const { id } = requireWorkflow(service, path.workflowId)
    const view = () => imageBuilds.read(id)
    if (query.follow !== 'true') return view()
    const { notifier } = imageBuilds
    return followView(c, { notifier, stopping, event: 'image', view, isLast: ({ state }) => state !== 'running' })
  },
  async imageBuildCancel({ path }, service) {
    const { id } = requireWorkflow(service, path.workflowId)
    await service.imageBuilds.cancel(id)
    return service.imageBuilds.read(id)
  },
} as const satisfies Partial<ManagementOperations<Services>>
