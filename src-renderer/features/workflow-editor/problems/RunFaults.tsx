import { CircleAlert } from 'lucide-react'
import { useShallow } from 'zustand/react/shallow'
import { useEditor, useRuns } from '../store/editor-context.ts'
import type { RunState } from '../store/run-store.ts'
import { titleOf, useJump } from './use-jump.ts'

/** The nodes that failed in the run that is shown, above what can be told before a run. */
export function RunFaults() {
  const failed = useRuns(useShallow(failedNodes))
  const jump = useJump()
  const titles = useEditor(useShallow((state) => failed.map((id) => titleOf(state, id))))
  const errors = useRuns(useShallow(({ progress }) => failed.map((id) => progress.get(id)?.error ?? 'It failed.')))
  if (failed.length === 0) return null
  return (
    <section aria-label="Failed in the last run" className="shrink-0 border-b border-line bg-failed-soft px-3 py-2">
      <h3 className="text-small text-ink-2">Failed in the last run</h3>
      <ul>
        {failed.map((id, at) => (
          <li key={id} className="flex items-start gap-1.5">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
            <div className="min-w-0">
              <button type="button" onClick={() => jump(id)} className="font-medium hover:underline">
                {titles[at]} <span className="font-normal text-ink-2">{id}</span>
              </button>
              <p className="line-clamp-4 break-words">{errors[at]}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

const failedNodes = ({ progress }: RunState): readonly string[] =>
  [...progress].flatMap(([id, { state }]) => (state === 'failed' ? [id] : []))
