import { AppError } from '../../contract/errors.ts'
import type { ImageBuildRequest, ImageBuildView, ImageStep } from '../../contract/image-builds.ts'
import { type WorkflowLock, workflowLock } from '../../contract/worker-images.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import { counted, sizeText } from '../../lib/text.ts'
import { createNotifier, notifySoon } from '../../lib/wait.ts'
import { createWorkByKey } from '../../lib/work-by-key.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ImagePipeline } from './ports/image-pipeline.ts'
import { imageBegun, imageEnded, NOTHING_BUILT, withStep } from './rules/image-progress.ts'

export type ImageBuilds = ReturnType<typeof createImageBuilds>

export function createImageBuilds({
  storage,
  clock,
  log,
  pipeline,
}: {
  readonly storage: Pick<Storage, 'write' | 'workflowLocks'>
  readonly clock: Clock
  readonly log: Log
  readonly pipeline: ImagePipeline
}) {
  const notifier = createNotifier(clock)
  const builds = createWorkByKey<ImageBuildView>(notifySoon(clock, notifier))
  let stopping = false

  function keptLock(workflowId: string): Pick<ImageBuildView, 'lock' | 'lockText'> {
    const kept = storage.workflowLocks.get(workflowId)
    if (kept === undefined) return {}
    const { data: lock, error } = workflowLock.safeParse(JSON.parse(kept.lock))
    if (lock !== undefined) return { lockText: kept.text, lock }
    // Another version of Drydock wrote it. The next one replaces it.
    log.warn('the lock of a workflow cannot be read', { workflowId, error })
    return {}
  }

  function run(workflowId: string, request: ImageBuildRequest, change: Change, signal: AbortSignal) {
    const { text, until, tag, bake } = request

    async function step<Result>(
      name: ImageStep,
      work: (report: (progress: string) => void) => Promise<Result>,
      summary: (result: Result) => string,
    ): Promise<Result> {
      const startedAt = clock.steady()
      change((view) => withStep(view, name, { state: 'running' }))
      const result = await work((progress) => change((view) => withStep(view, name, { text: progress }), false))
      const tookMs = Math.round(clock.steady() - startedAt)
      change((view) => withStep(view, name, { state: 'done', tookMs, text: summary(result) }))
      return result
    }

    async function lockAll(): Promise<string> {
      const { lockText: previous } = keptLock(workflowId)
      const asked = { ...request, ...(previous === undefined ? {} : { previous }) }
      const locked = await step(
        'lock',
        (report) => pipeline.lock(asked, { report, signal }),
        ({ lock, conflicts }) => (lock === undefined ? counted(conflicts.length, 'conflict') : lockSummary(lock)),
      )
      const { lock, text: lockText } = locked
      if (lockText !== undefined) {
        await storage.write(() =>
          storage.workflowLocks.save({ workflowId, lock: JSON.stringify(lock), text: lockText }),
        )
        change((view) => ({ ...view, lock, lockText }))
      }
      change((view) => ({ ...view, conflicts: [...locked.conflicts] }))
      const blocking = locked.conflicts.filter(({ blocks }) => blocks).length
      if (lockText === undefined || (blocking > 0 && until !== 'lock'))
        throw new Blocked(`Solve ${counted(blocking, 'conflict')} first.`)
      return lockText
    }

    return async () => {
      const lockText = await lockAll()
      if (until === 'lock' || tag === undefined) return
      const image = await step(
        'build',
        (report) => pipeline.build({ text, bake, lockText, tag }, { report, signal }),
        ({ sizeBytes, built, reused }) =>
          `${sizeText(sizeBytes)}, ${counted(built.length, 'new layer')}, ${reused} from the cache`,
      )
      change((view) => ({ ...view, image }))
      if (until === 'build') return
      const checks = await step(
        'test',
        (report) => pipeline.test({ lockText, text, image: image.reference }, { report, signal }),
        (all) => `${all.filter(({ passed }) => passed).length} of ${counted(all.length, 'check')} passed`,
      )
      change((view) => ({ ...view, checks: [...checks] }))
      const failed = checks.find(({ passed }) => !passed)
      if (failed !== undefined) throw new Blocked(`${failed.name}: ${failed.why ?? 'failed'}`)
    }
  }

  return {
    notifier,
    read: (workflowId: string): ImageBuildView =>
      builds.newest(workflowId)?.view() ?? { ...NOTHING_BUILT, ...keptLock(workflowId) },
    start(workflowId: string, request: ImageBuildRequest): ImageBuildView {
      if (stopping) throw new AppError('STOPPING')
      if (builds.isRunning(workflowId)) throw new AppError('IMAGE_BUILD_RUNNING', { workflowId })
      if (request.until !== 'lock' && request.tag === undefined)
        throw new AppError('BAD_FIELD', { field: 'tag', why: 'is missing; an image needs a name' })
      const work = builds.begin(workflowId, {
        view: imageBegun(request.until, clock.now(), keptLock(workflowId)),
        async run(change, signal) {
          try {
            await run(workflowId, request, change, signal)()
            change((view) => imageEnded(view, { state: 'done', endedAt: clock.now() }))
          } catch (error) {
            const state = signal.aborted ? 'cancelled' : 'failed'
            const problem = error instanceof Error ? error.message : String(error)
            if (state === 'failed' && !(error instanceof Blocked))
              log.warn('the image of a workflow could not be built', { workflowId, error })
            const why = state === 'failed' ? { problem } : {}
            change((view) => imageEnded(view, { state, endedAt: clock.now(), ...why }))
          }
        },
      })
      return work.view()
    },
    cancel: builds.cancel,
    async stop(): Promise<void> {
      stopping = true
      await builds.cancelAll()
    },
  }
}

type Change = (to: (view: ImageBuildView) => ImageBuildView, isUrgent?: boolean) => void

class Blocked extends Error {
  override readonly name = 'Blocked'
}

function lockSummary({ nodes, python, models }: WorkflowLock): string {
  return [
    counted(nodes.length, 'node package'),
    counted(python.length, 'Python package'),
    counted(models.length, 'model'),
  ].join(', ')
}
