import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { useNow } from '../../../ui/use-now.ts'
import { nextCard } from './next-card.ts'
import { WorkflowCard, type WorkflowCardProps } from './WorkflowCard.tsx'

/** The workflows that are shown, in their order. */
export type WorkflowWallProps = {
  readonly workflows: readonly WorkflowView[]
} & Pick<WorkflowCardProps, 'actions' | 'onVersions'>

// As many as fill a large screen; more are drawn when somebody comes near their place.
const STEP = 60
const TELL_TIME_EVERY_MS = 30_000

/** A wall of workflows. Arrows and j, k go from one to the next. */
export function WorkflowWall({ workflows, actions, onVersions }: WorkflowWallProps) {
  const now = useNow(TELL_TIME_EVERY_MS)
  const [count, setCount] = useState(STEP)
  const end = useRef<HTMLDivElement>(null)
  const hasMore = workflows.length > count
  useEffect(() => {
    const place = end.current
    if (place === null || !hasMore) return
    const watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && setCount(count + STEP), {
      rootMargin: '600px',
    })
    watch.observe(place)
    return () => watch.disconnect()
  }, [hasMore, count])
  return (
    <>
      <ul
        aria-label="Workflows"
        onKeyDown={goToCard}
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

function goToCard(event: KeyboardEvent<HTMLUListElement>): void {
  const { target, currentTarget, key } = event
  if (!(target instanceof HTMLElement) || !target.matches('[data-card]')) return
  const cards = [...currentTarget.querySelectorAll<HTMLElement>('[data-card]')]
  const next = nextCard(
    cards.map((card) => card.getBoundingClientRect().top),
    cards.indexOf(target),
    key,
  )
  if (next === undefined) return
  event.preventDefault()
  cards[next]?.focus()
}
