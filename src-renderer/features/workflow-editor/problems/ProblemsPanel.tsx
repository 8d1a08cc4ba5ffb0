import * as Popover from '@radix-ui/react-popover'
import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { CircleAlert, CircleCheck, TriangleAlert, X } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { Problem } from '../../../../src-main/features/workflows/rules/problem.ts'
import { useAppState } from '../../../store/app-context.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { OfferedDownload } from '../../../ui/ModelDownloads.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { useLiveModels } from '../../../ui/use-models.ts'
import { useEditor, useRuns, useTab } from '../store/editor-store.ts'
import type { RunState } from '../store/run-store.ts'
import { countProblems, type FoundProblem, groupProblems, type Missing, type ProblemGroup } from './find-problems.ts'
import { MissingHelp } from './MissingHelp.tsx'
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

const GROUP_PX = 72

function ProblemList({ groups }: { readonly groups: readonly ProblemGroup[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: groups.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => GROUP_PX,
    overscan: 4,
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const way = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
    if (way === undefined) return
    event.preventDefault()
    const jumps = [...(scroller.current?.querySelectorAll<HTMLElement>('[data-jump]') ?? [])]
    const at = jumps.indexOf(document.activeElement as HTMLElement)
    jumps[at < 0 ? 0 : Math.min(jumps.length - 1, Math.max(0, at + way))]?.focus()
  }
  if (groups.length === 0) return <p className="p-3 text-ink-2">No problems were found before running it.</p>
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the buttons within
    <div ref={scroller} onKeyDown={onKeyDown} className="min-h-0 overflow-y-auto">
      <ul className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const group = groups[index]
          return (
            group && (
              <li
                key={group.node ?? ''}
                ref={rows.measureElement}
                data-index={index}
                style={{ transform: `translateY(${start}px)` }}
                className="absolute inset-x-0 top-0 border-b border-line px-3 py-2"
              >
                <Group {...group} />
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}

function Group({ node, problems }: ProblemGroup) {
  const jump = useJump()
  const { editor } = useTab()
  return (
    <>
      {node === undefined ? (
        <p className="font-medium">The graph</p>
      ) : (
        <button
          type="button"
          data-jump
          onClick={() => jump(node)}
          className="max-w-full truncate rounded-control font-medium hover:underline"
        >
          {titleOf(editor.getState(), node)} <span className="font-normal text-ink-2">{node}</span>
        </button>
      )}
      <ul className="flex flex-col gap-1">
        {problems.map((problem) => (
          <li key={`${problem.code} ${problem.input}`}>
            <Row problem={problem} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Row({ problem: { severity, message, missing } }: { readonly problem: FoundProblem }) {
  const [isAsked, setAsked] = useState(false)
  return (
    <div className="flex items-start gap-1.5">
      <SeverityIcon severity={severity} className="mt-0.5 size-4" />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="break-words">{message}</p>
        {missing?.offer !== undefined && <OfferedDownload offer={missing.offer} />}
        {missing?.kind === 'class' && <ClassPackages missing={missing} />}
        {missing !== undefined && !isAsked && (
          <button type="button" onClick={() => setAsked(true)} className="self-start text-accent hover:underline">
            Where is it?
          </button>
        )}
        {missing !== undefined && isAsked && <MissingHelp missing={missing} />}
      </div>
    </div>
  )
}

function ClassPackages({ missing: { packages = [] } }: { readonly missing: Missing }) {
  const problem = useAppState(({ packageIndexProblem }) => packageIndexProblem)
  return (
    <>
      {packages.map(({ name, version, address }) =>
        address === undefined ? null : (
          <a
            key={address}
            href={address}
            target="_blank"
            rel="noopener noreferrer nofollow"
            className="self-start break-all text-accent underline"
          >
            Get {name}
            {version !== undefined && ` ${version}`} at {address.replace('https://', '')}
          </a>
        ),
      )}
      {problem !== undefined && (
        <p className="text-small text-warn-ink">node-packages.json in the data folder cannot be read: {problem}.</p>
      )}
    </>
  )
}

function SeverityIcon({ severity, className }: Pick<Problem, 'severity'> & { readonly className: string }) {
  return severity === 'error' ? (
    <CircleAlert aria-label="Error" className={clsx('shrink-0 text-failed', className)} />
  ) : (
    <TriangleAlert aria-label="Warning" className={clsx('shrink-0 text-warn-ink', className)} />
  )
}

export function MissingClasses() {
  const { problems } = useProblems()
  const ofClasses = problems.filter(({ missing }) => missing?.kind === 'class')
  const byClass = new Map(ofClasses.map((problem) => [problem.missing?.name, problem]))
  if (byClass.size === 0) return null
  return (
    <ul aria-label="Missing classes" className="flex flex-col gap-1 text-small">
      {[...byClass].map(([name, problem]) => (
        <ProblemItem key={name} problem={problem} />
      ))}
    </ul>
  )
}

export function ProblemItem({ problem: { severity, message } }: { readonly problem: FoundProblem }) {
  return (
    <li className="flex items-start gap-1.5">
      <SeverityIcon severity={severity} className="mt-px size-3.5" />
      <span className="min-w-0 break-words">{message}</span>
    </li>
  )
}
