import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type LoadTest, loadTest } from '../../../../src-main/contract/load-tests.ts'
import { useApp } from '../../../store/app-context.ts'

/** A load test as it is now: while it runs it is followed, also by a page that was opened later. */
export function useFollowedTest(listed: LoadTest): LoadTest {
  const { client } = useApp()
  const queries = useQueryClient()
  const [newest, setNewest] = useState<LoadTest>()
  const { id, endpointId, state } = listed
  useEffect(() => {
    if (state !== 'running') return
    return client.follow<LoadTest>({
      operation: 'loadTestRead',
      path: { endpointId, loadTestId: id },
      event: 'load-test',
      schema: loadTest,
      onItems(items) {
        const last = items.at(-1)
        setNewest(last)
        if (last?.state !== 'running') void queries.invalidateQueries({ queryKey: ['load-tests', endpointId] })
      },
      isLast: (test) => test.state !== 'running',
    })
  }, [client, queries, id, endpointId, state])
  return state === 'running' && newest?.id === id ? newest : listed
}
