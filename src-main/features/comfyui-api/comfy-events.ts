/** Events of a job of Comfy API v2: each is complete, and the last one is its end. Source: docs/spec/comfyui.md, 11. */
import { AppError } from '../../contract/errors.ts'
import { createKeyedEmitter } from '../../lib/emitter.ts'
import { pause, wait } from '../../lib/wait.ts'
import type { RunDeps } from '../workflows/runs.ts'
import { readComfyJob, requireComfyRun } from './comfy-jobs.ts'
import { readPreview } from './encode-preview.ts'
import { readJobProgress } from './progress.ts'
import { ENDED } from './rules/comfy-job.ts'
import { type ComfyPlace, nodesOf } from './view-comfy-job.ts'

type Deps = Pick<RunDeps, 'storage' | 'clock'>

export type ComfyEvent = { readonly event: string; readonly data: object }

/** Clients take a stream without a byte for 45 s as lost. */
const QUIET_MS = 15_000
/** Pause between two reads of a job: about two events per second, as documented. */
const PAUSE_MS = 500

export function createComfyEvents({ storage, clock }: Deps) {
  const { emit, on } = createKeyedEmitter()
  storage.onCommit((changes) => {
    for (const endpointId of new Set(changes.map((change) => change.endpointId))) emit(endpointId)
  })

  /**
   * @returns events; undefined where nothing was new for a while
   * @throws AppError JOB_NOT_FOUND
   */
  async function* follow(
    place: ComfyPlace,
    id: string,
    signal: AbortSignal,
  ): AsyncGenerator<ComfyEvent | undefined, void, void> {
    const deps = { storage, clock }
    const { id: runId } = requireComfyRun(deps, place, id)
    const nodes = nodesOf(storage, runId)
    let isChanged = false
    let wake = () => {}
    const off = on(place.endpointId, () => {
      isChanged = true
      wake()
    })
    const sent = new Map<string, string>()
    const isNew = (event: string, data: object) => {
      const text = JSON.stringify(data)
      if (sent.get(event) === text) return false
      sent.set(event, text)
      return true
    }
    try {
      while (!signal.aborted) {
        isChanged = false
        const job = await readComfyJob(deps, place, id, nodes)
        const preview = ENDED.has(job.status) ? undefined : await previewOf(runId)
        await storage.durable()
        const status = { status: job.status, queue_position: job.queue_position }
        const events: ComfyEvent[] = [
          ...(ENDED.has(job.status) ? [] : [{ event: 'status', data: status }]),
          ...(job.progress === null ? [] : [{ event: 'progress', data: job.progress }]),
          ...(preview === undefined ? [] : [{ event: 'preview', data: preview }]),
        ].filter(({ event, data }) => isNew(event, data))
        yield* events
        if (ENDED.has(job.status)) {
          yield* job.outputs.map((data) => ({ event: 'output', data }))
          yield { event: 'status', data: status }
          return
        }
        await pause(clock, PAUSE_MS)
        const listen = (woken: () => void) => {
          wake = woken
          return () => {
            wake = () => {}
          }
        }
        if (!isChanged && (await wait(clock, { ms: QUIET_MS, signal, listen })) === 'quiet') yield undefined
      }
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'JOB_NOT_FOUND')) throw error
    } finally {
      off()
    }
  }

  async function previewOf(runId: string) {
    const { preview, node = '' } = (await readJobProgress(storage, storage.jobs.find(runId))) ?? {}
    const read = preview === undefined ? undefined : readPreview(preview)
    return read && { node_id: node, content_type: read.type, data_base64: read.base64 }
  }

  return { follow }
}
