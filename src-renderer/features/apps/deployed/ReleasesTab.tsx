import { Rocket } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { EnvironmentDetail, ReleaseView } from '../../../../src-main/contract/app.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { Place } from '../../../api-client/app-queries.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ReleaseCard } from '../release/ReleaseCard.tsx'
import { useEnvironmentActions } from '../use-environment-actions.ts'
import { ReleaseRow } from './ReleaseRow.tsx'
import { RollbackQuestion } from './RollbackQuestion.tsx'

/** An environment. */
export type ReleasesTabProps = { readonly detail: EnvironmentDetail; readonly place: Place }

/** The releases of an environment, newest first; above them the one that is looked at, or that is being prepared. */
export function ReleasesTab({ detail, place }: ReleasesTabProps) {
  const [search] = useSearchParams()
  const [, go] = useLocation()
  const { release } = useEnvironmentActions(place)
  const [asksFor, setAsksFor] = useState<ReleaseView>()
  const { releases, active } = detail
  const preparing = releases.find(({ state }) => state === 'preparing')
  const shown = Number(search.get('release')) || preparing?.number
  const show = (number: number) =>
    go(`${ADDRESS.environment(place.app, place.environment, 'releases')}?release=${number}`)
  const rollBack = async (number: number, deletes: readonly string[]) => {
    const made = await release({ release: number }, { deletes: [...deletes] })
    if (made !== undefined) show(made)
  }
  if (releases.length === 0)
    return (
      <EmptyState icon={<Rocket />} command={`drydock deploy --env ${place.environment}`}>
        There are no releases yet. Each deploy makes one, and a rollback too.
      </EmptyState>
    )
  return (
    <>
      {shown !== undefined && <ReleaseCard key={shown} place={place} number={shown} />}
      <Card title="Releases" aside={<span className="text-small text-ink-2">newest first</span>}>
        <ul aria-label="Releases" className="flex flex-col">
          {releases.map((one) => (
            <ReleaseRow
              key={one.number}
              place={place}
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
          place={place}
          release={asksFor}
          active={active}
          onClose={() => setAsksFor(undefined)}
          onConfirm={(deletes) => void rollBack(asksFor.number, deletes)}
        />
      )}
    </>
  )
}
