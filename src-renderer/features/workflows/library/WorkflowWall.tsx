import { useEffect, useRef, useState } from 'react'
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { type CardPosition, columnsOf, useCardKeys } from '../../../ui/cards.ts'
import { useNow } from '../../../ui/Values.tsx'
import { WorkflowCard, type WorkflowCardProps } from './WorkflowCard.tsx'

export type WorkflowWallProps = {
  readonly workflows: readonly WorkflowView[]
} & Pick<WorkflowCardProps, 'actions' | 'onVersions'>

// Enough to fill a large screen; more are rendered on scrolling.
const STEP = 60
const UPDATE_TIME_EVERY_MS = 30_000

const inColumns = (positions: readonly CardPosition[]) => ({
  count: positions.length,
  columns: columnsOf(positions.map(({ top }) => top)),
})

export function WorkflowWall({ workflows, actions, onVersions }: WorkflowWallProps) {
  const now = useNow(UPDATE_TIME_EVERY_MS)
  const [count, setCount] = useState(STEP)
  const end = useRef<HTMLDivElement>(null)
  const wall = useRef<HTMLUListElement>(null)
  useCardKeys('Workflows', wall, inColumns)
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
      <ul aria-label="Workflows" ref={wall} className="grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] gap-3">
        {workflows.slice(0, count).map((workflow) => (
          <WorkflowCard key={workflow.id} workflow={workflow} actions={actions} onVersions={onVersions} now={now} />
        ))}
      </ul>
      <div ref={end} />
    </>
  )
}
