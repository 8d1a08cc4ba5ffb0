import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type ReleaseProgress, releaseProgress } from '../../../../src-main/contract/app.ts'
import { type Place, releaseQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { type Followed, useFollowed } from '../use-followed.ts'

/** A release as it is now. */
export type ShownRelease = {
  readonly progress: ReleaseProgress | undefined
  readonly error: Error | null
  /** When each endpoint was seen to be ready or to fail, ms since the epoch; only those that were watched. */
  readonly seenAt: Readonly<Record<string, number>>
}

const isDecided = ({ release }: ReleaseProgress) => release.state !== 'preparing'

/** A release, followed while it is prepared. */
export function useRelease({ app, environment }: Place, number: number): ShownRelease {
  const { client, platform } = useApp()
  const queries = useQueryClient()
  const query = releaseQuery(client, { app, environment }, number)
  const { data, error } = useQuery(query)
  const [seenAt, setSeenAt] = useState<Readonly<Record<string, number>>>({})
  const goesOn = data !== undefined && !isDecided(data)
  const followed = useMemo((): Followed<ReleaseProgress> | undefined => {
    if (!goesOn) return undefined
    return {
      operation: 'releaseRead',
      path: { app, environment, number: String(number) },
      event: 'release',
      schema: releaseProgress,
      queryKey: ['release', app, environment, number],
      isLast: isDecided,
      onItem(item) {
        const now = platform.now()
        setSeenAt((before) => ({ ...endedSteps(item, now), ...before }))
        if (!isDecided(item)) return
        for (const queryKey of [['apps'], ['environment', app, environment]])
          void queries.invalidateQueries({ queryKey })
      },
    }
  }, [goesOn, app, environment, number, platform, queries])
  useFollowed(followed)
  return { progress: data, error, seenAt }
}

function endedSteps({ steps }: ReleaseProgress, now: number): Readonly<Record<string, number>> {
  const ended = steps.filter(({ state }) => state !== 'waiting' && state !== 'starting')
  return Object.fromEntries(ended.map(({ resource }) => [resource, now]))
}
