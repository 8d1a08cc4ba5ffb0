import { useEffect, useRef, useState } from 'react'
import { type JobRecord, runJob } from '../../../api-client/run-job.ts'
import { useApp } from '../../../store/app-context.ts'

/** What came of a request to a graph. */
export type GraphAnswer = {
  readonly isOpen: boolean
  readonly record?: JobRecord
  readonly error?: Error
}

/** The newest answer of a graph, and how to ask it. Leaving the page leaves the job alone. */
export function useAnswer(graphId: string) {
  const { client } = useApp()
  const [answer, setAnswer] = useState<GraphAnswer>()
  const open = useRef<AbortController>(undefined)
  useEffect(() => () => open.current?.abort(), [])
  const send = (body: string) => {
    open.current?.abort()
    open.current = new AbortController()
    const { signal } = open.current
    setAnswer({ isOpen: true })
    runJob(client, { endpointId: graphId, body, signal }).then(
      (record) => setAnswer({ isOpen: false, record }),
      (error: Error) => {
        if (!signal.aborted) setAnswer({ isOpen: false, error })
      },
    )
  }
  return { answer, send }
}
