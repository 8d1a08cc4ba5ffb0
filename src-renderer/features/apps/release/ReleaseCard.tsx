import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReleaseProgress, ReleaseView } from '../../../../src-main/contract/app.ts'
import { environmentQuery, type Place } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { duration } from '../../../ui/format.ts'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { RelativeTime } from '../../../ui/Values.tsx'
import { EndpointAddresses } from '../EndpointAddresses.tsx'
import { useEnvironmentActions } from '../use-environment-actions.ts'
import { WarningNotice } from '../WarningNotice.tsx'
import { asSentence } from './as-sentence.ts'
import { CommitLine } from './CommitLine.tsx'
import { ReleaseSteps } from './ReleaseSteps.tsx'
import { RELEASE_DOTS } from './release-state.ts'
import { useRelease } from './use-release.ts'

/** A release of an environment. */
export type ReleaseCardProps = { readonly place: Place; readonly number: number }

/** How a release goes or went: each endpoint with what it does, why it failed, or where it answers. */
export function ReleaseCard({ place, number }: ReleaseCardProps) {
  const { progress, error, seenAt } = useRelease(place, number)
  if (error !== null) return <ErrorNotice error={error} />
  if (progress === undefined) return <SkeletonRows rows={3} />
  const { release, steps, warnings, endpoints } = progress
  return (
    <Card title={`Release ${number}`} aside={<HeadRight release={release} place={place} />}>
      {release.state === 'failed' && <Failure release={release} place={place} />}
      {warnings.length > 0 && (
        <div className="flex flex-col gap-2 px-3 pt-3">
          {warnings.map((warning) => (
            <WarningNotice key={warning}>{warning}</WarningNotice>
          ))}
        </div>
      )}
      {release.git !== undefined && <CommitLine git={release.git} className="px-3 pt-2" />}
      <ReleaseSteps steps={steps} startedAt={release.createdAt} seenAt={seenAt} />
      {steps.length === 0 && <NothingKept progress={progress} />}
      {release.state === 'active' && endpoints.length > 0 && (
        <div className="border-t border-line">
          <h3 className="px-3 pt-2 text-small text-ink-2">Answers at</h3>
          <EndpointAddresses endpoints={endpoints} />
        </div>
      )}
    </Card>
  )
}

function HeadRight({ release, place }: { readonly release: ReleaseView; readonly place: Place }) {
  const { cancelRelease } = useEnvironmentActions(place)
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
            {asked ? 'Giving up' : 'Give up'}
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

const SECOND_MS = 1000

function Elapsed({ since }: { readonly since: number }) {
  const now = useNow(SECOND_MS)
  return (
    <span className="min-w-12 text-right text-small text-ink-2">
      {duration(wholeSeconds(Math.max(0, now - since)))}
    </span>
  )
}

// A figure that jumps ten times a second tells nothing.
const wholeSeconds = (ms: number) => Math.floor(ms / SECOND_MS) * SECOND_MS

function Failure({ release, place }: { readonly release: ReleaseView; readonly place: Place }) {
  const { client } = useApp()
  const { data } = useQuery(environmentQuery(client, place))
  const active = data?.active
  const rest =
    active === undefined
      ? 'No release serves yet. The next deploy tries again.'
      : `Release ${active.number} serves on as before. The next deploy tries again.`
  return (
    <div className="p-3 pb-0">
      <ErrorNotice error={`${asSentence(release.reason ?? 'the release failed')}\n${rest}`} />
    </div>
  )
}

function NothingKept({ progress }: { readonly progress: ReleaseProgress }) {
  if (progress.release.state === 'active') return null
  return (
    <p className="px-3 py-2 text-ink-2">
      What each endpoint did is kept until the service ends; this release is from before its last start.
    </p>
  )
}
