import type { JobDetail } from '../../../api-client/job-queries.ts'

/** A tab of a job's page. */
export type JobTabName = 'data' | 'logs' | 'stream' | 'webhooks' | 'attempts'

const withCount = (words: string, count: number) => (count === 0 ? words : `${words} ${count.toLocaleString('en')}`)

/** The tabs, the first of which is shown without a name in the address. */
export const JOB_TABS: readonly { readonly name: JobTabName; readonly words: (job: JobDetail) => string }[] = [
  { name: 'data', words: () => 'Input and output' },
  { name: 'logs', words: () => 'Logs' },
  { name: 'stream', words: ({ chunkCount }) => withCount('Stream', chunkCount) },
  { name: 'webhooks', words: ({ deliveries }) => withCount('Webhooks', deliveries.length) },
  { name: 'attempts', words: ({ attempt }) => withCount('Attempts', attempt) },
]
