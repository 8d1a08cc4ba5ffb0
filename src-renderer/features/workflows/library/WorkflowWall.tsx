import { useEffect, useRef, useState } from 'react'
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { type CardPosition, columnsOf, moveBetweenCards } from '../../../ui/cards.ts'
import { useNow } from '../../../ui/Values.tsx'
import { WorkflowCard, type WorkflowCardProps } from './WorkflowCard.tsx'

/** The workflows that are shown, in their order. */
export type WorkflowWallProps = {
  readonly workflows: readonly WorkflowView[]
} & Pick<WorkflowCardProps, 'actions' | 'onVersions'>

// As many as fill a large screen; more are drawn when somebody comes near their place.
const STEP = 60
const UPDATE_TIME_EVERY_MS = 30_000

const inColumns = (positions: readonly CardPosition[]) => ({
  count: positions.length,
  columns: columnsOf(positions.map(({ top }) => top)),
})

/** A wall of workflows. Arrows and j, k go from one to the next. */
export function WorkflowWall({ workflows, actions, onVersions }: WorkflowWallProps) {
  const now = useNow(UPDATE_TIME_EVERY_MS)
  const [count, setCount] = useState(STEP)
  const end = useRef<HTMLDivElement>(null)
  const hasMore = workflows.length > count
  useEffect(() => {
    const anchor = end.current
    if (anchor === null || !hasMore) return
    const watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && setCount(count + STEP), {
      rootMargin: '600px',
    })
    watch.observe(anchor)
    return () => watch.disconnect()
  }, [hasMore, count])
  return (
    <>
      <ul
        aria-label="Workflows"
        onKeyDown={(event) => moveBetweenCards(event, inColumns)}
        className="grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] gap-3"
      >
        {workflows.slice(0, count).map((workflow) => (
          <WorkflowCard key={workflow.id} workflow={workflow} actions={actions} onVersions={onVersions} now={now} />
        ))}
      </ul>
      <div ref={end} />
    </>
  )
}
