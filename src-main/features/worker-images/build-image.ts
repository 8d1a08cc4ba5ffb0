import { ImageBuildFailure, type WorkflowLock } from '../../contract/worker-images.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ImageEngine, PackContext, StepTimes } from './ports/image-build.ts'
import { type BuildNews, type BuiltStep, createBuildProgress } from './rules/build-progress.ts'
import { IMAGE_EPOCH, type ImageFiles } from './rules/dockerfile.ts'

export type ImageBuildRequest = {
  readonly lock: WorkflowLock
  readonly image: ImageFiles
  readonly tag: string
  readonly noCache: boolean
  readonly secrets: Readonly<Record<string, string>>
}

export type BuiltImage = {
  readonly tag: string
  readonly imageId: string
  readonly sizeBytes: number
  readonly tookMs: number
  readonly steps: readonly BuiltStep[]
}

type Ports = {
  readonly engine: ImageEngine
  readonly packContext: PackContext
  readonly times: StepTimes
  readonly clock: Pick<Clock, 'steady'>
}

export async function buildWorkerImage(
  { engine, packContext, times, clock }: Ports,
  { lock, image, tag, noCache, secrets }: ImageBuildRequest,
  watch: { readonly report: (news: BuildNews) => void; readonly signal: AbortSignal },
): Promise<BuiltImage> {
  const { signal } = watch
  const beganAt = clock.steady()
  const progress = createBuildProgress(image.steps, await times.read())
  const context = packContext(image, image.sources, signal)
  try {
    const { imageId } = await engine.build(
      { context, tag, secrets, noCache, epoch: IMAGE_EPOCH },
      {
        signal,
        report(event) {
          const news = progress.take(event, clock.steady())
          if (news !== undefined) watch.report(news)
        },
      },
    )
    const sizeBytes = await engine.sizeOf(imageId)
    return { tag, imageId, sizeBytes, tookMs: clock.steady() - beganAt, steps: progress.built() }
  } catch (error) {
    signal.throwIfAborted()
    if (context.errored) throw context.errored
    const step = progress.failure(lock, error instanceof Error ? error.message : String(error))
    throw step === undefined ? error : new ImageBuildFailure(step, { cause: error })
  } finally {
    context.destroy()
    await times.add(progress.times())
  }
}
