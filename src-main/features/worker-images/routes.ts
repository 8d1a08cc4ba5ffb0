import { followView } from '../../http/follow-view.ts'
import type { ManagementOperations } from '../../http/operation.ts'
import type { ServiceBase } from '../service-context.ts'
import type { ImagePushes } from './image-pushes.ts'
import { type ImageServices, planImageRelease } from './plan-image-release.ts'

type Services = ServiceBase & ImageServices & { readonly pushes: ImagePushes }

export const WORKER_IMAGE_OPERATIONS = {
  imagePlan: async ({ path, body }, service) => await planImageRelease(service, path, body),
  imagePushList: (_request, { pushes }) => ({ pushes: pushes.list() }),
  imagePushCreate: ({ body }, { pushes }) => pushes.create(body),
  imagePushRead({ c, path, query }, { pushes, stopping }) {
    const view = () => pushes.read(path.pushId)
    if (query.follow !== 'true') return view()
    view()
    const { notifier } = pushes
    return followView(c, { notifier, stopping, event: 'push', view, isLast: ({ state }) => state !== 'running' })
  },
} as const satisfies Partial<ManagementOperations<Services>>
