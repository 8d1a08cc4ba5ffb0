import { AppError } from '../../contract/errors.ts'
import type { ImageBuildView } from '../../contract/image-builds.ts'
import { isEnough, type Role } from '../../contract/roles.ts'
import { followView } from '../../http/follow-view.ts'
import { type ManagementOperations, shownTo } from '../../http/operation.ts'
import type { Caller } from '../keys/keys.ts'
import type { ServiceBase } from '../service-context.ts'
import { requireWorkflow } from '../workflows/library.ts'
import type { ImageBuilds } from './image-builds.ts'
import { COMFYUI_NAME, COMFYUI_VERSION } from './rules/comfyui.ts'
import { readSource } from './rules/source-address.ts'

type Services = ServiceBase & { readonly imageBuilds: ImageBuilds }

export const IMAGE_BUILD_OPERATIONS = {
  imageBuildStart({ path, body, caller }, service) {
    // A key that may build images must not read any folder of this machine.
    if (!hasRole(caller, 'admin')) refuseFolders(body.sources)
    return service.imageBuilds.start(requireWorkflow(service, path.workflowId).id, body)
  },
  imageBuildRead({ c, path, query, caller }, service) {
    const { imageBuilds, stopping } = service
    const { id } = requireWorkflow(service, path.workflowId)
    const view = () => viewFor(caller, imageBuilds.read(id))
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

const hasRole = ({ role }: Caller, needed: Role) => role !== undefined && isEnough(role, needed)

/** The text of the lock has the values of its variables, too. */
function viewFor(caller: Caller, { lockText, ...view }: ImageBuildView): ImageBuildView {
  if (!hasRole(caller, 'deploy')) return shownTo(caller, view) as ImageBuildView
  return lockText === undefined ? view : { ...view, lockText }
}

function refuseFolders(sources: Readonly<Record<string, string>>): void {
  for (const [name, source] of Object.entries(sources)) {
    const isVersion = name === COMFYUI_NAME && COMFYUI_VERSION.test(source)
    if (isVersion || readSource(source, () => false) !== undefined) continue
    const why = 'must be ADDRESS@REF with https or ssh, or registry:ID@VERSION. Folders need a key with the role admin'
    throw new AppError('BAD_FIELD', { field: `sources.${name}`, why })
  }
}
