import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReleaseView } from '../../../../src-main/contract/app.ts'
import { type Place, releasePlanQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Confirm } from '../../../ui/Dialog.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { PlanDiff } from '../release/PlanDiff.tsx'

/** The release that somebody wants back. */
export type RollbackQuestionProps = {
  readonly place: Place
  readonly release: ReleaseView
  readonly active: ReleaseView | undefined
  readonly onClose: () => void
  /** @param deletes endpoints that the release does not have, and that go with it */
  readonly onConfirm: (deletes: readonly string[]) => void
}

/** Asks whether an earlier release shall be put back, with what that changes. */
export function RollbackQuestion({ place, release, active, onClose, onConfirm }: RollbackQuestionProps) {
  const { client } = useApp()
  const { data: plan, error } = useQuery(releasePlanQuery(client, place, release.number))
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
      It becomes the next release, with the code of release {release.number} and the variables of now.{' '}
      {changesNothing
        ? 'That is what runs already: nothing changes, and no worker is started.'
        : 'A worker of each endpoint that changes is started beside those that serve; when all are ready they take over, and no request fails.'}
      {active !== undefined && !changesNothing && ` Until then release ${active.number} serves.`}
    </Confirm>
  )
}
