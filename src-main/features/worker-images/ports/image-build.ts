import type { Readable } from 'node:stream'
import type { ImageBuildEvent } from '../../../contract/worker-images.ts'
import type { ContextSource, ImageFiles } from '../rules/dockerfile.ts'

export type BuildImage = (
  build: {
    readonly context: Readable
    readonly tag: string
    readonly secrets: Readonly<Record<string, string>>
    readonly noCache: boolean
    readonly epoch: number
  },
  watch: { readonly report: (event: ImageBuildEvent) => void; readonly signal: AbortSignal },
) => Promise<{ readonly imageId: string }>

export type ImageEngine = {
  readonly build: BuildImage
  readonly sizeOf: (image: string) => Promise<number>
}

export type PackContext = (
  files: Pick<ImageFiles, 'dockerfile' | 'files'>,
  sources: readonly ContextSource[],
  signal: AbortSignal,
) => Readable

export type StepTimes = {
  readonly read: () => Promise<Readonly<Record<string, number>>>
  readonly add: (times: Readonly<Record<string, number>>) => Promise<void>
}
