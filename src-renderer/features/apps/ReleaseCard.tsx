import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ReleaseProgress, type ReleaseView, releaseProgress } from '../../../src-main/contract/app.ts'
import { type AppTarget, environmentQuery, releaseQuery } from '../../api-client/app-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { asSentence, duration, wholeSeconds } from '../../ui/format.ts'
import { ErrorNotice, SkeletonRows, WarningNotice } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { useFollowed } from '../../ui/use-followed.ts'
import { RelativeTime, useNow } from '../../ui/Values.tsx'
import { EndpointAddresses } from './EndpointAddresses.tsx'
import { CommitLine, RELEASE_DOTS, ReleaseSteps } from './ReleaseParts.tsx'
import { useEnvironmentActions } from './use-environment-actions.ts'

export function ReleaseCard({ target, number }: { readonly target: AppTarget; readonly number: number }) {
  const { progress, error, seenAt } = useRelease(target, number)
  if (error !== null) return <ErrorNotice error={error} />
  if (progress === undefined) return <SkeletonRows rows={3} />
  const { release, steps, warnings, endpoints } = progress
  return (
    <Card title={`Release ${number}`} aside={<HeadRight release={release} target={target} />}>
      {release.state === 'failed' && <Failure release={release} target={target} />}
      {warnings.length > 0 && (
        <div className="flex flex-col gap-2 px-3 pt-3">
          {warnings.map((warning) => (
            <WarningNotice key={warning}>{warning}</WarningNotice>
          ))}
        </div>
      )}
      {release.git !== undefined && <CommitLine git={release.git} className="px-3 pt-2" />}
      <ReleaseSteps steps={steps} startedAt={release.createdAt} seenAt={seenAt} />
      {steps.length === 0 && release.state !== 'active' && (
        <p className="px-3 py-2 text-ink-2">
          Details of each endpoint are available until the service stops; this release is older than its last start.
        </p>
      )}
      {release.state === 'active' && endpoints.length > 0 && (
        <div className="border-t border-line">
          <h3 className="px-3 pt-2 text-small text-ink-2">Answers at</h3>
          <EndpointAddresses endpoints={endpoints} />
        </div>
      )}
    </Card>
  )
}

function HeadRight({ release, target }: { readonly release: ReleaseView; readonly target: AppTarget }) {
  const { cancelRelease } = useEnvironmentActions(target)
  const [asked, setAsked] = useState(false)
  const { state, createdAt, activatedAt, number } = release
  const cancel = async () => {
    setAsked(true)
    if (!(await cancelRelease(number))) setAsked(false)
  }
  return (
    <div className="flex items-center gap-3">
      <StateDot {...RELEASE_DOTS[state]} />
      {state === 'preparing' ? (
        <>
          <Elapsed since={createdAt} />
          <Button onClick={() => void cancel()} disabled={asked}>
            {asked ? 'Cancelling' : 'Cancel release'}
          </Button>
        </>
      ) : (
        <span className="text-small text-ink-2">
          {activatedAt !== undefined && `live after ${duration(activatedAt - createdAt)}, `}
          <RelativeTime at={activatedAt ?? release.endedAt ?? createdAt} />
        </span>
      )}
    </div>
  )
}

function Elapsed({ since }: { readonly since: number }) {
  const now = useNow()
  return (
    <span className="min-w-12 text-right text-small text-ink-2">
      {duration(wholeSeconds(Math.max(0, now - since)))}
    </span>
  )
}

function Failure({ release, target }: { readonly release: ReleaseView; readonly target: AppTarget }) {
  const { client } = useApp()
  const { data } = useQuery(environmentQuery(client, target))
  const active = data?.active
  const rest =
    active === undefined
      ? 'No release is live yet. Deploy again to retry.'
      : `Release ${active.number} stays live. Deploy again to retry.`
  return (
    <div className="p-3 pb-0">
      <ErrorNotice error={`${asSentence(release.reason ?? 'the release failed')}\n${rest}`} />
    </div>
  )
}

const isDecided = ({ release }: ReleaseProgress) => release.state !== 'preparing'

function useRelease({ app, environment }: AppTarget, number: number) {
  const { client, platform } = useApp()
  const queries = useQueryClient()
  const query = releaseQuery(client, { app, environment }, number)
  const { data, error } = useQuery(query)
  const [seenAt, setSeenAt] = useState<Readonly<Record<string, number>>>({})
  useFollowed(data !== undefined && !isDecided(data), {
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
      for (const queryKey of [['apps'], ['environment', app, environment]]) void queries.invalidateQueries({ queryKey })
    },
  })
  /** `seenAt`: observed completion times, ms since the epoch; missing if not watched. */
  return { progress: data, error, seenAt }
}

function endedSteps({ steps }: ReleaseProgress, now: number): Readonly<Record<string, number>> {
  const ended = steps.filter(({ state }) => state !== 'waiting' && state !== 'starting')
  return Object.fromEntries(ended.map(({ resource }) => [resource, now]))
}
