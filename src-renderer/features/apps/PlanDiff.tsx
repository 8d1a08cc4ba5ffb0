import clsx from 'clsx'
import { Equal, FileDiff, type LucideIcon, Minus, Pencil, Play, Plus } from 'lucide-react'
import type { DeployPlan, PlannedStep, SourceFile } from '../../../src-main/contract/app.ts'
import { WITH_ENDPOINTS } from '../../../src-main/features/endpoints/rules/deletion-text.ts'
import { counted, keepStart } from '../../../src-main/lib/text.ts'
import { WarningNotice } from '../../ui/PageStates.tsx'
import { Scrolling } from '../../ui/Scrolling.tsx'
import { ACTION_TEXTS, CommitLine } from './ReleaseParts.tsx'

export type PlanDiffProps = {
  readonly plan: DeployPlan
  readonly deletes: readonly string[]
  readonly onDeletes: (deletes: readonly string[]) => void
}

const STYLES: Readonly<Record<PlannedStep['action'], { readonly icon: LucideIcon; readonly colour: string }>> = {
  create: { icon: Plus, colour: 'text-completed' },
  update: { icon: Pencil, colour: 'text-running' },
  unchanged: { icon: Equal, colour: 'text-ink-2' },
  delete: { icon: Minus, colour: 'text-failed-ink' },
}

/** An endpoint is only deleted if its box is ticked. */
export function PlanDiff({ plan, deletes, onDeletes }: PlanDiffProps) {
  const { steps, source, tasks = [], warnings, git, activeGit } = plan
  const toggle = (resource: string) =>
    onDeletes(deletes.includes(resource) ? deletes.filter((one) => one !== resource) : [...deletes, resource])
  return (
    <div className="flex flex-col">
      {(git !== undefined || activeGit !== undefined) && (
        <div className="flex flex-col border-b border-line/60 px-3 py-1">
          {git !== undefined && <CommitLine git={git} label="This code:" />}
          {activeGit !== undefined && <CommitLine git={activeGit} label="Active now:" />}
        </div>
      )}
      <ul aria-label="Planned changes" className="flex flex-col">
        {steps.map((step) => (
          <li key={step.resource} className="flex flex-col gap-1 border-b border-line/60 px-3 py-1.5 last:border-0">
            <StepHead step={step} />
            {step.action === 'update' && <Changes step={step} />}
            {step.action === 'delete' && (
              <DeleteBox
                resource={step.resource}
                ticked={deletes.includes(step.resource)}
                onToggle={() => toggle(step.resource)}
              />
            )}
          </li>
        ))}
        {tasks.map((task) => (
          <li key={task} className="flex items-center gap-2 border-b border-line/60 px-3 py-1.5 last:border-0">
            <span className="flex w-24 shrink-0 items-center gap-1.5 text-ink-2">
              <Play aria-hidden className="size-4" />
              Task
            </span>
            <span className="truncate font-medium">{task}</span>
            <span className="text-small whitespace-nowrap text-ink-2">each call runs on a worker of its own</span>
          </li>
        ))}
      </ul>
      {source !== undefined && <SourceChanges source={source} />}
      {warnings.length > 0 && (
        <div className="flex flex-col gap-2 border-t border-line p-3">
          {warnings.map((warning) => (
            <WarningNotice key={warning}>{warning}</WarningNotice>
          ))}
        </div>
      )}
    </div>
  )
}

function StepHead({ step: { resource, action, replacesWorkers } }: { readonly step: PlannedStep }) {
  const { icon: Icon, colour } = STYLES[action]
  return (
    <div className="flex min-w-0 items-center gap-2">
      <span className={clsx('flex w-24 shrink-0 items-center gap-1.5', colour)}>
        <Icon aria-hidden className="size-4" />
        {ACTION_TEXTS[action]}
      </span>
      <span className={clsx('truncate', action === 'unchanged' ? 'text-ink-2' : 'font-medium')}>{resource}</span>
      {action === 'update' && !replacesWorkers && (
        <span className="text-small whitespace-nowrap text-ink-2">workers stay</span>
      )}
    </div>
  )
}

function Changes({ step }: { readonly step: PlannedStep }) {
  return (
    <dl className="ml-26 grid grid-cols-[12rem_1fr] gap-x-4 gap-y-0.5 text-small">
      {step.changes.map(({ setting, from, to }) => (
        <div key={setting} className="col-span-2 grid grid-cols-subgrid">
          <dt title={setting} className="truncate text-ink-2">
            {setting}
          </dt>
          <dd className="min-w-0 font-mono break-words">
            <del className="text-ink-2">{settingText(from)}</del>
            <span aria-hidden className="px-1.5 text-ink-2">
              →
            </span>
            <ins className="no-underline">{settingText(to)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  )
}

type DeleteBoxProps = { readonly resource: string; readonly ticked: boolean; readonly onToggle: () => void }

function DeleteBox({ resource, ticked, onToggle }: DeleteBoxProps) {
  return (
    <label className="ml-26 flex items-start gap-2 text-small">
      <input type="checkbox" checked={ticked} onChange={onToggle} className="mt-0.5 accent-(--failed)" />
      <span>
        Delete {resource} with its {WITH_ENDPOINTS}.{' '}
        <span className="text-ink-2">
          {ticked
            ? 'It is deleted when the release is active.'
            : 'The app no longer has it; it stays unless you tick this.'}
        </span>
      </span>
    </label>
  )
}

const LONGEST = 200

export function settingText(value: unknown): string {
  if (value === undefined) return 'none'
  return keepStart(typeof value === 'string' ? value : JSON.stringify(value), LONGEST)
}

function SourceChanges({ source: { files, more } }: { readonly source: NonNullable<DeployPlan['source']> }) {
  return (
    <section aria-label="Source changes" className="flex flex-col gap-1 border-t border-line p-3">
      <h3 className="flex items-center gap-1.5 font-medium">
        <FileDiff aria-hidden className="size-4" />
        {files.length === 0 ? 'No source files changed' : `${counted(files.length + more, 'file')} changed`}
      </h3>
      <ul className="flex flex-col gap-1">
        {files.map((file) => (
          <li key={file.path}>
            <ChangedFile file={file} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-ink-2">and {counted(more, 'file')} more</p>}
    </section>
  )
}

const WORDS = {
  added: { word: 'Added', colour: 'text-completed' },
  changed: { word: 'Changed', colour: 'text-running' },
  removed: { word: 'Removed', colour: 'text-failed-ink' },
} as const satisfies Record<SourceFile['change'], unknown>
const NO_DIFF = { binary: 'binary file', large: 'too large to compare here' } as const

function ChangedFile({ file: { path, change, diff, noDiff } }: { readonly file: SourceFile }) {
  const { word, colour } = WORDS[change]
  const head = (
    <>
      <span className={clsx('inline-block w-18 text-small', colour)}>{word}</span>
      <span className="font-mono text-small break-all">{path}</span>
    </>
  )
  if (diff === undefined || diff.length === 0)
    return (
      <p>
        {head}
        {noDiff !== undefined && <span className="text-small text-ink-2"> ({NO_DIFF[noDiff]})</span>}
      </p>
    )
  return (
    <details open={change === 'changed'}>
      <summary className="cursor-pointer">{head}</summary>
      <Scrolling
        label={`Changes in ${path}`}
        className="mt-1 max-h-96 overflow-auto rounded-control border border-line bg-surface-1 py-1 font-mono text-small"
      >
        {diff.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff keep their places
          <div key={at} className={clsx('px-3 whitespace-pre', lineColour(line))}>
            {line}
          </div>
        ))}
      </Scrolling>
    </details>
  )
}

function lineColour(line: string): string {
  if (line.startsWith('+')) return 'bg-completed/10'
  if (line.startsWith('-')) return 'bg-failed/10'
  return line.startsWith(' ') ? '' : 'text-ink-2'
}
