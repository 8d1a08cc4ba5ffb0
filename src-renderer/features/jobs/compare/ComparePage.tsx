import { ArrowLeftRight } from 'lucide-react'
import { useLocation, useSearchParams } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { useJob } from '../page/use-job.ts'
import { Compared } from './Compared.tsx'
import { PickOther } from './PickOther.tsx'

const CRUMBS = [{ name: 'Jobs', to: ADDRESS.jobs }, { name: 'Compare' }]

/** Two jobs beside each other; with one, the other is asked for. */
export function ComparePage() {
  const [search] = useSearchParams()
  const [, go] = useLocation()
  const [idOfA, idOfB] = [search.get('a') ?? '', search.get('b') ?? '']
  const a = useJob(idOfA)
  const b = useJob(idOfB)
  const error = a.error ?? b.error
  const isAsking = idOfA === '' || idOfB === ''
  return (
    <Page
      crumbs={CRUMBS}
      actions={
        !isAsking && (
          <Button onClick={() => go(ADDRESS.comparedJobs(idOfB, idOfA), { replace: true })}>
            <ArrowLeftRight aria-hidden /> Swap
          </Button>
        )
      }
    >
      {error !== null && <ErrorNotice error={error} />}
      {isAsking && <PickOther job={a.data} onPick={(id) => go(ADDRESS.comparedJobs(idOfA, id))} />}
      {!isAsking && error === null && (a.data === undefined || b.data === undefined) && <SkeletonRows rows={8} />}
      {a.data !== undefined && b.data !== undefined && <Compared a={a.data} b={b.data} />}
    </Page>
  )
}
