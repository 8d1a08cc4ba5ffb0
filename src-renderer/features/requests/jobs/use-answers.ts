import { useCallback, useEffect, useRef, useState } from 'react'
import { useApp } from '../../../store/app-context.ts'
import type { Answer, JobOperation } from './answer.ts'
import { sendJob } from './send-job.ts'

/** The answers to one body, one for each way in which it was sent. */
export type Answers = {
  readonly answers: readonly Answer[]
  /** Sends a body; answers to another body go. */
  readonly send: (operations: readonly JobOperation[], body: string) => void
  readonly close: (operation: JobOperation) => void
}

/** Sends jobs and holds what comes of them while the page is shown. */
export function useAnswers(endpointId: string): Answers {
  const { client, platform } = useApp()
  const [answers, setAnswers] = useState<readonly Answer[]>([])
  const sendings = useRef(new Map<JobOperation, AbortController>())

  useEffect(() => {
    const { current } = sendings
    return () => {
      for (const sending of current.values()) sending.abort()
      current.clear()
    }
  }, [])

  const close = useCallback((operation: JobOperation) => {
    sendings.current.get(operation)?.abort()
    setAnswers((before) => before.filter((answer) => answer.operation !== operation))
  }, [])

  const send = useCallback(
    (operations: readonly JobOperation[], body: string) => {
      const sentAt = platform.now()
      const fresh = operations.map((operation): Answer => ({ operation, body, sentAt, chunks: [] }))
      setAnswers((before) => [
        ...before.filter((answer) => answer.body === body && !operations.includes(answer.operation)),
        ...fresh,
      ])
      for (const operation of operations) {
        sendings.current.get(operation)?.abort()
        const sending = new AbortController()
        sendings.current.set(operation, sending)
        const onChange = (change: Partial<Answer>) => {
          if (sending.signal.aborted) return
          setAnswers((before) => before.map((one) => (one.operation === operation ? { ...one, ...change } : one)))
        }
        const { signal } = sending
        void sendJob({ client, now: platform.now, endpointId, operation, body, signal, onChange })
      }
    },
    [client, platform, endpointId],
  )
  return { answers, send, close }
}
