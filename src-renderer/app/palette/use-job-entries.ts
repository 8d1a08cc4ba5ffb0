import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { JobListItem } from '../../../src-main/contract/job.ts'
import { ADDRESS } from '../../addresses.ts'
import type { ApiClient } from '../../api-client/client.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { JOB_STATES } from '../../ui/StateDot.tsx'
import type { Entry } from './arrange.ts'

// Whoever types a word pauses less than this between two letters; ms. Source: ours.
const PAUSE_MS = 150
// One letter is in every job.
const SHORTEST = 2
const JOBS = 8

const NOTHING: readonly Entry[] = []

/** Jobs by id, and by words in their id, input, output or error, asked for once the typing pauses. */
export function useJobEntries(typed: string): readonly Entry[] {
  const { client } = useApp()
  const [, go] = useLocation()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const words = usePaused(typed.trim())
  const { data } = useQuery({
    // Not ['jobs', ...]: those are lists whose rows events change.
    queryKey: ['found-jobs', words],
    queryFn: ({ signal }) => findJobs(client, words, signal),
    enabled: words.length >= SHORTEST,
  })
  return useMemo(() => {
    if (data === undefined || data.length === 0) return NOTHING
    const found = data.map(
      ({ id, endpointId, status }): Entry => ({
        id: ADDRESS.job(id),
        group: 'Jobs',
        label: id,
        detail: endpoints[endpointId]?.name ?? endpointId,
        // It was found by words that need not be in its id.
        also: words,
        state: { ...JOB_STATES[status], pulses: false },
        run: () => go(ADDRESS.job(id)),
      }),
    )
    // Comes with the jobs: what is chosen stays chosen when something comes above it.
    const all: Entry = {
      id: 'all-jobs-with',
      group: 'Jobs',
      label: 'All jobs with these words',
      detail: `“${words}”`,
      run: () => go(ADDRESS.jobsWith(words)),
    }
    return [...found, all]
  }, [data, words, endpoints, go])
}

/** The text as it was when nothing more was typed for a moment. */
function usePaused(text: string): string {
  const { platform } = useApp()
  const [paused, setPaused] = useState(text)
  useEffect(() => platform.after(PAUSE_MS, () => setPaused(text)), [platform, text])
  return paused
}

// An id is looked up, which takes no time however many jobs there are.
async function findJobs(client: ApiClient, words: string, signal: AbortSignal): Promise<readonly JobListItem[]> {
  const isWord = !/[\s,]/.test(words)
  const lists = await Promise.all([
    ...(isWord ? [client.call('jobList', { query: { ids: words }, signal })] : []),
    client.call('jobList', { query: { q: words, limit: JOBS }, signal }),
  ])
  const byId = new Map(lists.flatMap(({ requests }) => requests).map((job) => [job.id, job]))
  return [...byId.values()].slice(0, JOBS)
}
