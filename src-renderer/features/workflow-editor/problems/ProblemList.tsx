import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { Problem } from '../../../../src-main/features/workflows/rules/problem.ts'
import { useAppState } from '../../../store/app-context.ts'
import { OfferedDownload } from '../../../ui/ModelDownloads.tsx'
import { useTab } from '../store/editor-store.ts'
import type { FoundProblem, Missing, ProblemGroup } from './find-problems.ts'
import { MissingHelp } from './MissingHelp.tsx'
import { titleOf, useJump, useProblems } from './use-problems.ts'

const GROUP_PX = 72

export function ProblemList({ groups }: { readonly groups: readonly ProblemGroup[] }) {
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

type SeverityIconProps = Pick<Problem, 'severity'> & { readonly className: string }

function SeverityIcon({ severity, className }: SeverityIconProps) {
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
