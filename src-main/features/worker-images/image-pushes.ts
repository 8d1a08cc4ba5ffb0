/** Pushes of images to registries. They are in memory only: a push that was cut off is repeated and sends what is missing. */
import { AppError } from '../../contract/errors.ts'
import type { ImagePush } from '../../contract/worker-image-routes.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import { createNotifier } from '../../lib/wait.ts'
import type { Fleet } from '../../runtimes/port.ts'

export type ImagePushes = ReturnType<typeof createImagePushes>

const KEPT = 50

export function createImagePushes({
  fleet,
  clock,
  newId,
  log,
}: {
  readonly fleet: Pick<Fleet, 'containerHost'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
}) {
  const notifier = createNotifier(clock)
  const pushes = new Map<string, ImagePush>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()

  function change(id: string, changed: Partial<ImagePush>): void {
    const push = pushes.get(id)
    if (push !== undefined) pushes.set(id, { ...push, ...changed })
    notifier.notify()
  }

  async function run({ id, image }: ImagePush, registryAuth: string | undefined): Promise<void> {
    try {
      if (fleet.containerHost === undefined) throw new Error('this service has no Docker engine')
      const watch = { report: (progress: string) => change(id, { progress }), signal: stopping.signal }
      change(id, { state: 'done', digest: await fleet.containerHost.push({ image, registryAuth }, watch) })
    } catch (error) {
      const reason = (error as Error).message
      log.warn('image not pushed', { image, why: reason })
      change(id, { state: 'failed', reason })
    }
  }

  return {
    notifier,
    create({ image, registryAuth }: { readonly image: string; readonly registryAuth?: string | undefined }): ImagePush {
      if (stopping.signal.aborted) throw new AppError('STOPPING')
      const push: ImagePush = { id: newId.uuid(), image, state: 'running' }
      pushes.set(push.id, push)
      const [oldest] = pushes.keys()
      if (pushes.size > KEPT && oldest !== undefined) pushes.delete(oldest)
      const work = run(push, registryAuth).finally(() => running.delete(work))
      running.add(work)
      return push
    },
    list: (): ImagePush[] => [...pushes.values()].reverse(),
    read(id: string): ImagePush {
      const push = pushes.get(id)
      if (push === undefined) throw new AppError('IMAGE_PUSH_NOT_FOUND', { push: id.slice(0, 50) })
      return push
    },
    async stop() {
      stopping.abort(new Error('the service stopped'))
      await Promise.all(running)
    },
  }
}
