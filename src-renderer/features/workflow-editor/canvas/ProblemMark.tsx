import { CircleAlert, TriangleAlert } from 'lucide-react'
import { useNodeProblems } from '../problems/use-problems.ts'

/** A mark on a node that something is wrong with; what it is, its title says, and the list of problems. */
export function ProblemMark({ payloadId }: { readonly payloadId: string }) {
  const problems = useNodeProblems(payloadId)
  if (problems.length === 0) return null
  const isError = problems.some(({ severity }) => severity === 'error')
  const words = problems.map(({ message }) => message).join('\n')
  const Mark = isError ? CircleAlert : TriangleAlert
  return (
    <span title={words} className={isError ? 'shrink-0 text-failed-ink' : 'shrink-0 text-warn-ink'}>
      <Mark aria-hidden className="size-3.5" />
      <span className="sr-only">{words}</span>
    </span>
  )
}
