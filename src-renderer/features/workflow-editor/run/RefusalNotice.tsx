import { TriangleAlert, X } from 'lucide-react'
import type { Problem } from '../../../../src-main/domain/workflow/problem.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useJump } from '../problems/use-jump.ts'
import { useRuns, useTab } from '../store/editor-context.ts'
import { ScalePictures } from './ScalePictures.tsx'

const SHOWN = 4

/** Why the last run was not sent, with the way to what is to be mended. */
export function RefusalNotice() {
  const { runs } = useTab()
  const refusal = useRuns((state) => state.refusal)
  if (refusal === undefined) return null
  const { message, problems, tooLarge } = refusal
  const more = problems.length - SHOWN
  return (
    <div
      role="alert"
      className="flex max-w-xl items-start gap-2 rounded-t-control bg-failed-soft py-2 pr-1 pl-3 text-failed-ink"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="break-words">{message}</p>
        {tooLarge !== undefined && <ScalePictures files={tooLarge} />}
        {problems.length > 0 && (
          <ul className="mt-1 flex flex-col gap-0.5">
            {problems.slice(0, SHOWN).map((problem) => (
              <li key={`${problem.node} ${problem.input} ${problem.code}`}>
                <ProblemLine problem={problem} />
              </li>
            ))}
            {more > 0 && <li className="text-small">and {more} more</li>}
          </ul>
        )}
      </div>
      <div className="-my-1">
        <IconButton label="Close" onClick={() => runs.getState().set({ refusal: undefined })}>
          <X />
        </IconButton>
      </div>
    </div>
  )
}

function ProblemLine({ problem: { node, message } }: { readonly problem: Problem }) {
  const jump = useJump()
  if (node === undefined) return <span>{message}</span>
  return (
    <button
      type="button"
      onClick={() => jump(node)}
      className="text-left underline decoration-dotted underline-offset-2 hover:decoration-solid"
    >
      Node {node}: {message}
    </button>
  )
}
