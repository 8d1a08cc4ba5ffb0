import type { ApiClient } from '../../../api-client/client.ts'
import { runJob, waitForJob } from '../../../api-client/run-job.ts'
import { type Answer, isFinal, type JobOperation, type JobRecord } from './answer.ts'

/** How a job is sent. */
export type SendJob = {
  readonly client: ApiClient
  readonly now: () => number
  readonly endpointId: string
  readonly operation: JobOperation
  readonly body: string
  readonly signal: AbortSignal
  /** Hears what has come. */
  readonly onChange: (change: Partial<Answer>) => void
}

const STREAM_WAIT_MS = 5000

/** Sends a job in one of the three ways and hears of it until its end. Never rejects; an abort leaves the job alone. */
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
