import { CircleAlert, CircleCheck, TriangleAlert, X } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useMemo, useRef, useState } from 'react'
import { CommandsHere } from '../../../ui/CommandsHere.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useKeepModels } from '../../../ui/models/use-models.ts'
import { countProblems, groupProblems } from './group-problems.ts'
import { ProblemList } from './ProblemList.tsx'
import { RunFaults } from './RunFaults.tsx'
import { useJump } from './use-jump.ts'
import { useProblems } from './use-problems.ts'

/** What is wrong with the document: a button with the counts, and the list that it opens. */
export function ProblemsPanel() {
  const { problems, errors, warnings, isFresh } = useProblems()
  const [isOpen, setOpen] = useState(false)
  // A model that is missing may come at any moment; else it is enough to know what was there.
  useKeepModels(problems.some(({ missing }) => missing?.kind === 'model'))
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
          // It stays while somebody mends what it lists.
          onInteractOutside={(event) => event.preventDefault()}
          // Its first button would show its name over what is beside the panel.
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
                {isFresh ? countProblems(errors, warnings) : 'looking again'}
              </span>
            </h2>
            <Popover.Close asChild>
              <IconButton label="Close problems">
                <X />
              </IconButton>
            </Popover.Close>
          </div>
          <RunFaults />
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
