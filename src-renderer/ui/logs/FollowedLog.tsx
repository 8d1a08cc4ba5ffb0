import { useEffect, useState } from 'react'
import { limit } from '../../../src-main/contract/limits.ts'
import { type LogLine, logLine } from '../../../src-main/contract/management.ts'
import { useApp } from '../../store/app-context.ts'
import { LogView } from './LogView.tsx'

/** Whose lines. */
export type FollowedLogProps = {
  readonly of: 'endpoint' | 'worker' | 'job'
  readonly id: string
  readonly label: string
}

// As many as the service keeps of a worker; of an endpoint the newest.
const LINES_KEPT = limit('logLinesPerWorker')
const FIRST_LINES = 5000

const SOURCES = {
  endpoint: { operation: 'endpointLogs', place: 'endpointId' },
  worker: { operation: 'workerLogs', place: 'workerId' },
  job: { operation: 'jobLogs', place: 'jobId' },
} as const

/** The log of an endpoint, a worker or a job, followed while it is shown. */
export function FollowedLog({ of, id, label }: FollowedLogProps) {
  const { client } = useApp()
  const [lines, setLines] = useState<readonly LogLine[]>([])

  useEffect(() => {
    const { operation, place } = SOURCES[of]
    setLines([])
    return client.follow<LogLine>({
      operation,
      path: { [place]: id },
      query: (last) => (last === undefined ? { tail: FIRST_LINES } : { after: last.id }),
      event: 'line',
      schema: logLine,
      onItems: (items) => setLines((before) => [...before, ...items].slice(-LINES_KEPT)),
    })
  }, [client, of, id])

  return <LogView lines={lines} label={label} />
}
