import { useEffect, useRef, useState } from 'react'
import { isFinal } from '../../../../src-main/features/jobs/rules/transitions.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { type JobRecord, runJob, waitForJob } from '../../../api-client/jobs.ts'
import { useApp } from '../../../store/app-context.ts'

export function useResponses(endpointId: string) {
  const { client, platform } = useApp()
  const [responses, setResponses] = useState<readonly JobResponse[]>([])
  const sendings = useRef(new Map<JobOperation, AbortController>())

  useEffect(() => {
    const { current } = sendings
    return () => {
      for (const sending of current.values()) sending.abort()
      current.clear()
    }
  }, [])

  const close = (operation: JobOperation) => {
    sendings.current.get(operation)?.abort()
    setResponses((before) => before.filter((response) => response.operation !== operation))
  }

  const send = (operations: readonly JobOperation[], body: string) => {
    const sentAt = platform.now()
    const fresh = operations.map((operation): JobResponse => ({ operation, body, sentAt, chunks: [] }))
    setResponses((before) => [
      ...before.filter((response) => response.body === body && !operations.includes(response.operation)),
      ...fresh,
    ])
    for (const operation of operations) {
      sendings.current.get(operation)?.abort()
      const sending = new AbortController()
      sendings.current.set(operation, sending)
      const onChange = (change: Partial<JobResponse>) => {
        if (sending.signal.aborted) return
        setResponses((before) => before.map((one) => (one.operation === operation ? { ...one, ...change } : one)))
      }
      const { signal } = sending
      void sendJob({ client, now: platform.now, endpointId, operation, body, signal, onChange })
    }
  }
  return { responses, send, close }
}

type SendJob = {
  readonly client: ApiClient
  readonly now: () => number
  readonly endpointId: string
  readonly operation: JobOperation
  readonly body: string
  readonly signal: AbortSignal
  readonly onChange: (change: Partial<JobResponse>) => void
}

const STREAM_WAIT_MS = 5000

/** Follows the job to its end. Never rejects; an abort leaves the job alone. */
export async function sendJob(send: SendJob): Promise<void> {
  const { signal, onChange, now } = send
  try {
    const record = await WAYS[send.operation](send)
    onChange({ record, jobId: record.id, endedAt: now() })
  } catch (error) {
    if (!signal.aborted) onChange({ error: error as Error, endedAt: now() })
  }
}

const WAYS: Readonly<Record<JobOperation, (send: SendJob) => Promise<JobRecord>>> = {
  runsync: (send) => runJob(send.client, send, (jobId) => send.onChange({ jobId })),
  run: async (send) => waitForJob(send.client, send, await queue(send)),
  async stream(send) {
    const { client, endpointId, signal, onChange } = send
    const jobId = await queue(send)
    const path = { endpointId, jobId }
    let chunks: readonly unknown[] = []
    for (;;) {
      const read = await client.call('stream', { path, query: { format: 'object', wait: STREAM_WAIT_MS }, signal })
      if (!('stream' in read)) break
      chunks = [...chunks, ...read.stream.map(({ output }) => output)]
      if (read.stream.length > 0) onChange({ chunks })
      else if (isFinal(read.status)) break
    }
    return client.call('status', { path, signal })
  },
}

async function queue({ client, endpointId, body, signal, onChange }: SendJob): Promise<string> {
  const { id } = await client.call('run', { path: { endpointId }, bodyText: body, signal })
  onChange({ jobId: id })
  return id
}

export const JOB_OPERATIONS = ['run', 'runsync', 'stream'] as const

export type JobOperation = (typeof JOB_OPERATIONS)[number]

export type JobResponse = {
  readonly operation: JobOperation
  readonly body: string
  readonly sentAt: number
  readonly endedAt?: number
  readonly jobId?: string
  readonly record?: JobRecord
  readonly chunks: readonly unknown[]
  readonly error?: Error
}

export function hasEnded(response: JobResponse): boolean {
  return response.endedAt !== undefined
}

/** Jobs in the history; responses find theirs among them. */
export const HISTORY_LENGTH = 50
