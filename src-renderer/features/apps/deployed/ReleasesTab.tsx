import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Rocket } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { EnvironmentDetail, ReleaseView } from '../../../../src-main/contract/app.ts'
import { ADDRESS } from '../../../addresses.ts'
import { type AppTarget, releasePlanQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { asSentence, duration } from '../../../ui/format.ts'
import { NameLink } from '../../../ui/Links.tsx'
import { EmptyState, ErrorNotice, SkeletonRows } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { PlanDiff } from '../PlanDiff.tsx'
import { ReleaseCard } from '../ReleaseCard.tsx'
import { CommitLine, RELEASE_DOTS } from '../ReleaseParts.tsx'
import { useEnvironmentActions } from '../use-environment-actions.ts'

export function ReleasesTab({ detail, target }: { readonly detail: EnvironmentDetail; readonly target: AppTarget }) {
  const [search] = useSearchParams()
  const [, go] = useLocation()
  const { release } = useEnvironmentActions(target)
  const [asksFor, setAsksFor] = useState<ReleaseView>()
  const { releases, active } = detail
  const preparing = releases.find(({ state }) => state === 'preparing')
  const shown = Number(search.get('release')) || preparing?.number
  const show = (number: number) =>
    go(`${ADDRESS.environment(target.app, target.environment, 'releases')}?release=${number}`)
  const rollBack = async (number: number, deletes: readonly string[]) => {
    const made = await release({ release: number }, { deletes: [...deletes] })
    if (made !== undefined) show(made)
  }
  if (releases.length === 0)
    return (
      <EmptyState icon={<Rocket />} command={`drydock deploy --env ${target.environment}`}>
        There are no releases yet. Each deploy or rollback creates one.
      </EmptyState>
    )
  return (
    <>
      {shown !== undefined && <ReleaseCard key={shown} target={target} number={shown} />}
      <Card title="Releases" aside={<span className="text-small text-ink-2">newest first</span>}>
        <ul aria-label="Releases" className="flex flex-col">
          {releases.map((one) => (
            <ReleaseRow
              key={one.number}
              target={target}
              release={one}
              isShown={one.number === shown}
              action={
                one.state !== 'preparing' &&
                one.state !== 'active' && (
                  <Button onClick={() => setAsksFor(one)} disabled={preparing !== undefined}>
                    {one.state === 'failed' ? 'Try again' : 'Roll back to this'}
                  </Button>
                )
              }
            />
          ))}
        </ul>
      </Card>
      {asksFor !== undefined && (
        <RollbackQuestion
          target={target}
          release={asksFor}
          active={active}
          onClose={() => setAsksFor(undefined)}
          onConfirm={(deletes) => void rollBack(asksFor.number, deletes)}
        />
      )}
    </>
  )
}

type RollbackQuestionProps = {
  readonly target: AppTarget
  readonly release: ReleaseView
  readonly active: ReleaseView | undefined
  readonly onClose: () => void
  readonly onConfirm: (deletes: readonly string[]) => void
}

function RollbackQuestion({ target, release, active, onClose, onConfirm }: RollbackQuestionProps) {
  const { client } = useApp()
  const { data: plan, error } = useQuery(releasePlanQuery(client, target, release.number))
  const [deletes, setDeletes] = useState<readonly string[]>([])
  const changesNothing = plan?.steps.every(({ action }) => action === 'unchanged') === true
  return (
    <Confirm
      open
      kind="main"
      onOpenChange={onClose}
      action={`${release.state === 'failed' ? 'Try again' : 'Roll back to'} release ${release.number}`}
      onConfirm={() => onConfirm(deletes)}
      details={
        error !== null ? (
          <ErrorNotice error={error} />
        ) : plan === undefined ? (
          <SkeletonRows rows={2} />
        ) : (
          <PlanDiff plan={plan} deletes={deletes} onDeletes={setDeletes} />
        )
      }
    >
      It becomes the next release, with the code of release {release.number} and the current variables.{' '}
      {changesNothing
        ? 'This code is already live: nothing changes, and no worker is started.'
        : 'A new worker starts for each endpoint that changes; when all are ready they take over, and no request fails.'}
      {active !== undefined && !changesNothing && ` Until then release ${active.number} stays live.`}
    </Confirm>
  )
}

type ReleaseRowProps = {
  readonly target: AppTarget
  readonly release: ReleaseView
  readonly isShown: boolean
  readonly action: ReactNode
}

const SHORT = 8

function ReleaseRow({ target: { app, environment }, release, isShown, action }: ReleaseRowProps) {
  const { number, state, createdAt, activatedAt, git, reason, fingerprint, runsOn, pythonVersion } = release
  return (
    <li
      aria-current={isShown ? 'true' : undefined}
      className={clsx(
        'flex flex-col gap-0.5 border-b border-line/60 px-3 py-1.5 last:border-0',
        isShown && 'bg-accent-soft',
      )}
    >
      <div className="flex min-h-7 shrink-0 items-center gap-x-3">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <NameLink to={`${ADDRESS.environment(app, environment, 'releases')}?release=${number}`} className="w-22">
            Release {number}
          </NameLink>
          <span className="w-25">
            <StateDot {...RELEASE_DOTS[state]} />
          </span>
          <span className="w-20 text-ink-2">
            <RelativeTime at={createdAt} />
          </span>
          <span className="w-25 text-ink-2">{kindText(release)}</span>
          <span className="w-28 whitespace-nowrap text-ink-2">
            {activatedAt !== undefined && `ready in ${duration(activatedAt - createdAt)}`}
          </span>
          <span className="flex items-center gap-1 text-ink-2">
            <code className="font-mono text-small">{fingerprint.slice(0, SHORT)}</code>
            <CopyButton text={fingerprint} what={`fingerprint of release ${number}`} />
          </span>
          <span className="text-small whitespace-nowrap text-ink-2">
            Python {pythonVersion}, {runsOn}
          </span>
        </div>
        {action}
      </div>
      {git !== undefined && <CommitLine git={git} />}
      {reason !== undefined && state === 'failed' && (
        <p className="text-small break-words whitespace-pre-wrap text-failed-ink">{asSentence(reason)}</p>
      )}
    </li>
  )
}

function kindText({ kind, rollbackOf }: ReleaseView): string {
  if (kind === 'variables') return 'Variables'
  return kind === 'rollback' ? `Roll back to ${rollbackOf}` : 'Deploy'
}
