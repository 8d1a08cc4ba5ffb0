import { useEffect, useRef, useState } from 'react'
import { isFinal } from '../../../../src-main/domain/job/transitions.ts'
import type { AnswerOf } from '../../../api-client/client.ts'
import type { JobDetail } from '../../../api-client/job-queries.ts'
import { useApp } from '../../../store/app-context.ts'

/** A piece of a stream. */
export type Chunk = AnswerOf<'jobChunks'>['chunks'][number]

type Chunks = { readonly chunks: readonly Chunk[]; readonly error: Error | undefined }

const NOTHING: Chunks = { chunks: [], error: undefined }
// A piece of an answer that the window parses without a pause.
const AT_ONCE = 5000
const EVERY_MS = 400

/** The chunks of a job's stream, read on while it runs and once more at its end. A new attempt begins its stream anew. */
export function useChunks({ id, attempt, status }: JobDetail): Chunks {
  const { client, platform } = useApp()
  const [read, setRead] = useState(NOTHING)
  const place = useRef({ stream: '', count: 0 })
  const ended = isFinal(status)
  const stream = `${id} ${attempt}`

  useEffect(() => {
    const stop = new AbortController()
    let cancel: (() => void) | undefined
    // What has come stays when the job ends: whoever reads it keeps the place.
    if (place.current.stream !== stream) {
      place.current = { stream, count: 0 }
      setRead(NOTHING)
    }
    const here = place.current

    async function readOn(): Promise<void> {
      try {
        const query = { after: here.count, limit: AT_ONCE }
        const { chunks } = await client.call('jobChunks', { path: { jobId: id }, query, signal: stop.signal })
        if (stop.signal.aborted) return
        here.count += chunks.length
        setRead((before) =>
          chunks.length === 0 && before.error === undefined
            ? before
            : { chunks: [...before.chunks, ...chunks], error: undefined },
        )
        if (chunks.length === AT_ONCE) return await readOn()
      } catch (error) {
        if (stop.signal.aborted) return
        setRead((before) => ({ ...before, error: error as Error }))
      }
      if (!ended && !stop.signal.aborted) cancel = platform.after(EVERY_MS, () => void readOn())
    }

    void readOn()
    return () => {
      stop.abort()
      cancel?.()
    }
  }, [client, platform, id, stream, ended])

  return read
}
