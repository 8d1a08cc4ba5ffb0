import { keepPreviousData, useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { CornerLeftUp, FileCode, Folder } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import type { FolderList } from '../../../src-main/contract/projects.ts'
import { read } from '../../browser/read.ts'
import { useApp } from '../../store/app-context.ts'
import { CONTROL, type ControlIds } from './Field.tsx'

export type PathWanted = 'folder' | 'new folder' | 'handler'

/**
 * `isBeginning`: the start is being loaded, so that typed text would be wrong. `listed`: whether the content is shown.
 */
export type PathControlProps = Partial<ControlIds> &
  Pick<ComponentProps<'input'>, 'onInvalid' | 'onInput'> & {
    readonly id: string
    readonly wants: PathWanted
    readonly value: string
    readonly onChange: (path: string) => void
    readonly listed?: boolean
    readonly children?: ReactNode
    readonly isBeginning?: boolean
    readonly required?: boolean
    readonly disabled?: boolean
    readonly placeholder?: string | undefined
    readonly height?: string
  }

export function PathControl({
  id,
  wants,
  value,
  onChange,
  listed = true,
  children,
  isBeginning = false,
  height = 'h-96',
  ...field
}: PathControlProps) {
  const { client } = useApp()
  const [active, setActive] = useState(-1)
  const { folder, start } = splitPath(value)
  const files = wants === 'handler' ? 'handlers' : undefined
  const { data, error } = useQuery({
    ...read(client, ['folders', folder, files], 'folderList', { query: { path: folder, files } }),
    placeholderData: keepPreviousData,
    retry: false,
    enabled: listed,
  })
  const entries = useMemo(() => (data === undefined ? [] : entriesOf(data)), [data])
  const found = matchingEntries(entries, start)
  const change = (path: string) => {
    setActive(-1)
    onChange(path)
  }
  const goInto = (path: string) => change(path === '/' ? '/' : `${path}/`)
  const choose = ({ kind, path }: PathEntry) => (kind === 'folder' ? goInto(path) : change(path))

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const chosen = found[active]
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, -1))
    else if (event.key === 'Enter' && chosen !== undefined) choose(chosen)
    else return
    event.preventDefault()
  }

  return (
    <>
      <input
        {...field}
        id={id}
        role="combobox"
        aria-expanded={listed}
        aria-controls={listed ? `${id}-list` : undefined}
        aria-activedescendant={active < 0 || !listed ? undefined : `${id}-${active}`}
        autoComplete="off"
        spellCheck={false}
        readOnly={isBeginning}
        value={value}
        onChange={(event) => change(event.target.value)}
        onKeyDown={listed ? onKeyDown : undefined}
        className={clsx(CONTROL, 'h-7 font-mono text-small')}
      />
      {children}
      {listed && (
        <div className={clsx('mt-2 flex flex-col rounded-control border border-line', height)}>
          <div className="flex h-8 shrink-0 items-center gap-2 border-b border-line px-2 text-small text-ink-2">
            {data?.parent !== undefined && (
              <button
                type="button"
                aria-label="Parent folder"
                onClick={() => goInto(data.parent ?? '/')}
                className="rounded-control p-1 hover:bg-surface-2 [&_svg]:size-4"
              >
                <CornerLeftUp aria-hidden />
              </button>
            )}
            <span className="truncate font-mono">{data?.path}</span>
          </div>
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label={wants === 'handler' ? 'Folders and files' : 'Folders'}
            className="min-h-0 flex-1 overflow-y-auto"
          >
            {found.map((entry, at) => (
              // The field keeps the focus and handles the keys, as in every combobox.
              <div
                key={entry.path}
                id={`${id}-${at}`}
                role="option"
                tabIndex={-1}
                aria-selected={at === active || entry.path === value}
                onClick={() => choose(entry)}
                onKeyDown={(event) => event.key === 'Enter' && choose(entry)}
                className={clsx(
                  'flex h-7 cursor-pointer items-center gap-2 px-2 hover:bg-surface-2',
                  (at === active || entry.path === value) && 'bg-accent-soft',
                )}
              >
                {entry.kind === 'folder' ? (
                  <Folder aria-hidden className="size-4 shrink-0 text-ink-2" />
                ) : (
                  <FileCode aria-hidden className="size-4 shrink-0 text-ink-2" />
                )}
                <span className="truncate">{entry.name}</span>
                {entry.marked && (
                  <span className="ml-auto rounded-control border border-line px-1.5 text-small">
                    {entry.kind === 'folder' ? 'app' : 'handler'}
                  </span>
                )}
              </div>
            ))}
          </div>
          <p role="status" className="px-3 py-2 text-small text-ink-2 empty:hidden">
            {stateText({ error, data, found: found.length, start, wants })}
          </p>
        </div>
      )}
    </>
  )
}

type Facts = {
  readonly error: Error | null
  readonly data: FolderList | undefined
  readonly found: number
  readonly start: string
  readonly wants: PathWanted
}

function stateText({ error, data, found, start, wants }: Facts): string {
  const isNew = wants === 'new folder'
  const what = wants === 'handler' ? 'folder or handler file' : 'folder'
  if (error !== null) return isNew ? 'This folder does not exist yet; it will be created.' : error.message
  if (data === undefined) return ''
  if (found === 0 && start !== '')
    return isNew ? `“${start}” will be created here.` : `No ${what} here begins with “${start}”.`
  if (found === 0) return wants === 'handler' ? 'No folders or handler files here.' : 'No folders here.'
  return data.capped ? `Not everything is shown. Type the beginning of a name.` : ''
}

type TypedPath = {
  readonly folder: string | undefined
  readonly start: string
}

export function splitPath(path: string): TypedPath {
  const at = path.lastIndexOf('/')
  if (at < 0) return { folder: undefined, start: path }
  return { folder: at === 0 ? '/' : path.slice(0, at), start: path.slice(at + 1) }
}

type PathEntry = {
  readonly name: string
  readonly path: string
  readonly kind: 'folder' | 'file'
  readonly marked: boolean
}

export function entriesOf({ folders, files = [] }: Pick<FolderList, 'folders' | 'files'>): readonly PathEntry[] {
  // If a file is looked for, a folder with an app is not special.
  const marksApps = files.length === 0
  const all: readonly PathEntry[] = [
    ...folders.map(({ isApp, ...rest }) => ({ ...rest, kind: 'folder' as const, marked: isApp && marksApps })),
    ...files.map(({ isHandler, ...rest }) => ({ ...rest, kind: 'file' as const, marked: isHandler })),
  ]
  return [...all.filter(({ marked }) => marked), ...all.filter(({ marked }) => !marked)]
}

export function matchingEntries(entries: readonly PathEntry[], start: string): readonly PathEntry[] {
  const wanted = start.toLowerCase()
  return entries.filter(({ name }) => name.toLowerCase().startsWith(wanted))
}
