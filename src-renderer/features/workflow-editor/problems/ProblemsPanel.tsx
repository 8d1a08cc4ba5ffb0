import * as Popover from '@radix-ui/react-popover'
import { CircleAlert, CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { IconButton } from '../../../ui/Button.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { useLiveModels } from '../../../ui/use-models.ts'
import { useEditor, useRuns } from '../store/editor-store.ts'
import type { RunState } from '../store/run-store.ts'
import { countProblems, groupProblems } from './find-problems.ts'
import { ProblemList } from './ProblemList.tsx'
import { titleOf, useJump, useProblems } from './use-problems.ts'

export function ProblemsPanel() {
  const { problems, errors, warnings, isFresh } = useProblems()
  const [isOpen, setOpen] = useState(false)
  // A missing model may arrive at any moment; otherwise the last data is enough.
  useLiveModels(problems.some(({ missing }) => missing?.kind === 'model'))
  const jump = useJump()
  const next = useRef(0)
  const groups = useMemo(() => groupProblems(problems), [problems])
  const commands = useMemo(() => {
    const goToNext = () => {
      const withNode = groups.flatMap(({ node }) => node ?? [])
      const node = withNode[next.current % Math.max(1, withNode.length)]
      next.current += 1
      if (node === undefined) setOpen(true)
      else jump(node)
    }
    return [
      { id: 'workflow-problems', label: 'Show problems', group: 'Workflow', run: () => setOpen(true) },
      { id: 'workflow-next-problem', label: 'Go to the next problem', group: 'Workflow', run: goToNext },
    ]
  }, [groups, jump])
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-control border border-line bg-surface-1 px-2 whitespace-nowrap hover:bg-surface-2 [&_svg]:size-4"
        >
          <ProblemsSign errors={errors} warnings={warnings} />
          {countProblems(errors, warnings)}
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label="Problems"
          align="end"
          sideOffset={6}
          collisionPadding={8}
          // It stays open while somebody fixes what it lists.
          onInteractOutside={(event) => event.preventDefault()}
          // Otherwise the tooltip of its first button covers its neighbours.
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          className="enters z-30 flex max-h-[60vh] outline-none w-96 max-w-[calc(100vw-16px)] flex-col rounded-control border border-line bg-surface-1 shadow-float"
        >
          <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line pr-1 pl-3">
            <h2 className="flex-1 font-semibold">
              Problems{' '}
              <span className="font-normal text-ink-2">
                {isFresh ? countProblems(errors, warnings) : 'checking again'}
              </span>
            </h2>
            <Popover.Close asChild>
              <IconButton label="Close problems" icon={<X />} />
            </Popover.Close>
          </div>
          <RunProblems />
          <ProblemList groups={groups} />
        </Popover.Content>
      </Popover.Portal>
      <CommandsHere commands={commands} />
    </Popover.Root>
  )
}

function ProblemsSign({ errors, warnings }: { readonly errors: number; readonly warnings: number }) {
  if (errors > 0) return <CircleAlert aria-hidden className="text-failed" />
  if (warnings > 0) return <TriangleAlert aria-hidden className="text-warn-ink" />
  return <CircleCheck aria-hidden className="text-completed" />
}

function RunProblems() {
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
