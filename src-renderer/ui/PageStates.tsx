import clsx from 'clsx'
import { TriangleAlert } from 'lucide-react'
import { Fragment, type ReactNode, useCallback } from 'react'
import { useLocation } from 'wouter'
import { withSettingName } from '../../src-main/features/workers/rules/missing-module.ts'
import { asCalledBy, shellQuoted } from '../../src-main/lib/text.ts'
import { ADDRESS } from '../addresses.ts'
import { useAppState } from '../store/app-context.ts'
import { Button, CopyButton } from './Button.tsx'
import { TextLink } from './Links.tsx'
import { Page } from './Page.tsx'

export type EmptyStateProps = {
  readonly icon?: ReactNode
  readonly children: ReactNode
  readonly command?: string
  readonly folder?: string
  readonly action?: ReactNode
  readonly isFramed?: boolean
}

export function EmptyState({ icon, children, command, folder, action, isFramed = false }: EmptyStateProps) {
  const said = (
    <div className="mx-auto flex max-w-lg flex-col items-center gap-3 px-4 py-16 text-center">
      {icon !== undefined && <div className="text-ink-2 [&_svg]:size-8 [&_svg]:stroke-[1.25]">{icon}</div>}
      <p className="text-ink-2">{typeof children === 'string' ? <Said text={children} /> : children}</p>
      {command !== undefined && <CommandLine command={command} folder={folder} />}
      {action}
    </div>
  )
  return isFramed ? <div className="rounded-control border border-line border-dashed">{said}</div> : said
}

export function CommandLine({ command, folder }: { readonly command: string; readonly folder?: string | undefined }) {
  const called = useAsCalled()(command)
  const typed = folder === undefined ? called : `cd ${shellQuoted(folder)} && ${called}`
  return (
    <div className="flex max-w-full items-center gap-1 rounded-control border border-line bg-surface-1 pl-3">
      <code className="min-w-0 py-1.5 text-left font-mono text-small">
        <CommandText text={typed} />
      </code>
      <CopyButton text={typed} what="command" />
    </div>
  )
}

/** Reserves the space of loading content; visible after 300 ms. */
export function Skeleton({ className }: { readonly className: string }) {
  return <div aria-hidden className={clsx('waits-to-show rounded-control bg-surface-2', className)} />
}

export function SkeletonRows({ rows }: { readonly rows: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2 p-3">
      {Array.from({ length: rows }, (_row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
        <Skeleton key={at} className="h-6" />
      ))}
    </div>
  )
}

type QueryStateProps = Omit<ErrorNoticeProps, 'error'> & {
  readonly data: unknown
  readonly error: Error | null
  readonly rows: number
}

export function QueryState({ data, error, rows, ...notice }: QueryStateProps) {
  if (error !== null) return <ErrorNotice error={error} {...notice} />
  return data === undefined ? <SkeletonRows rows={rows} /> : null
}

/** The lists that sections begin with; other sections have none. */
const LISTS: readonly string[] = ['jobs', 'workers', 'machines', 'apps', 'workflows', 'models']

export function NotFound({ what }: { readonly what?: string }) {
  const [path] = useLocation()
  const list = LISTS.find((section) => section === path.split('/')[1])
  return (
    <Page crumbs={[{ name: 'Not found' }]}>
      <EmptyState
        action={<TextLink to={list === undefined ? ADDRESS.endpoints : `/${list}`}>All {list ?? 'endpoints'}</TextLink>}
      >
        {what === undefined
          ? 'There is no page at this address.'
          : `There is no ${what.replace(/^an? /, '')}. It may have been deleted.`}
      </EmptyState>
    </Page>
  )
}

/** Writes commands so that they run in any folder: `node /clone/src-main/app/cli/drydock.mjs` for `drydock`. */
export function useAsCalled(): (text: string) => string {
  const command = useAppState(({ live }) => live.command)
  return useCallback((text: string) => asCalledBy(withSettingName(text), command), [command])
}

/** A command that breaks only between its words, as `--data` broken after a hyphen reads as two options. */
function CommandText({ text }: { readonly text: string }) {
  return text.split(' ').map((word, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a command keep their places
    <Fragment key={at}>
      {at > 0 && ' '}
      {word.includes('-') ? <span className="inline-block max-w-full break-all align-bottom">{word}</span> : word}
    </Fragment>
  ))
}

export function Typed({ command }: { readonly command: string }) {
  const asCalled = useAsCalled()
  return (
    <code className="font-mono text-small">
      <CommandText text={asCalled(command)} />
    </code>
  )
}

export function Said({ text }: { readonly text: string }) {
  const shown = useAsCalled()(text)
  const parts = shown.split('`')
  if (parts.length % 2 === 0) return shown
  return parts.map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their places
      <code key={at} className="font-mono">
        <CommandText text={part} />
      </code>
    ),
  )
}

type ErrorNoticeProps = {
  readonly error: Error | string
  readonly action?: ReactNode
  readonly onRetry?: (() => unknown) | undefined
  readonly className?: string
}

export function ErrorNotice({ error, action, onRetry, className }: ErrorNoticeProps) {
  const text = useAsCalled()(typeof error === 'string' ? error : error.message)
  return (
    <div
      role="alert"
      className={clsx(
        'flex items-start gap-2 rounded-control bg-failed-soft py-2 pr-1 pl-3 text-failed-ink',
        className,
      )}
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0 flex-1 break-words whitespace-pre-wrap">
        <Said text={text} />
      </p>
      {action}
      {onRetry !== undefined && <Button onClick={() => void onRetry()}>Try again</Button>}
      <div className="-my-1">
        <CopyButton text={text} what="error" />
      </div>
    </div>
  )
}

export function WarningNotice({ children, action }: { readonly children: ReactNode; readonly action?: ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-control bg-warn-soft px-3 py-2 text-warn-ink"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0 self-start mt-0.5" />
      <div className="min-w-0 flex-1 break-words whitespace-pre-wrap">
        {typeof children === 'string' ? <Said text={children} /> : children}
      </div>
      {action}
    </div>
  )
}
