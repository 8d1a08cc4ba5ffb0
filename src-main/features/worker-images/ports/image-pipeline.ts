import type { BuiltImage, ImageBuildRequest, ImageCheck } from '../../../contract/image-builds.ts'
import type { ImageConflict, WorkflowLock } from '../../../contract/worker-images.ts'
import type { Watch } from '../../../runtimes/port.ts'

export type LockedWorkflow = { readonly conflicts: readonly ImageConflict[] } & (
  | { readonly lock: WorkflowLock; readonly text: string }
  | { readonly lock: undefined; readonly text: undefined }
)

export type ImagePipeline = {
  readonly lock: (
    request: Pick<ImageBuildRequest, 'text' | 'endpoint' | 'update' | 'sources' | 'base' | 'worker'> & {
      readonly previous?: string
    },
    watch: Watch,
  ) => Promise<LockedWorkflow>
  readonly build: (
    request: Pick<ImageBuildRequest, 'text' | 'bake'> & { readonly lockText: string; readonly tag: string },
    watch: Watch,
  ) => Promise<BuiltImage>
  readonly test: (
    request: { readonly lockText: string; readonly text: string; readonly image: string },
    watch: Watch,
  ) => Promise<readonly ImageCheck[]>
}
