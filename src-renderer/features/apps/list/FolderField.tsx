import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { CornerLeftUp, Folder } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import type { FolderList } from '../../../../src-main/contract/projects.ts'
import { foldersQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { matchingFolders, splitPath } from './complete-path.ts'

/** A folder of the machine of the service. `onlyNew`: one that need not be there yet. */
export type FolderFieldProps = {
  readonly value: string
  readonly onChange: (path: string) => void
  /** What it begins with is being asked for: what was typed now would stand beside it. */
  readonly isBeginning: boolean
  readonly hint: string
  readonly onlyNew: boolean
}

/** A path that is typed or walked to: arrows move through the folders below, Enter goes into one. */
export function FolderField({ value, onChange, isBeginning, hint, onlyNew }: FolderFieldProps) {
  const { client } = useApp()
  const id = useId()
  const [active, setActive] = useState(-1)
  const { folder, start } = splitPath(value)
  const { data, error } = useQuery(foldersQuery(client, folder))
  const found = matchingFolders(data?.folders ?? [], start)
  const change = (path: string) => {
    setActive(-1)
    onChange(path)
  }
  const goInto = (path: string) => change(path === '/' ? '/' : `${path}/`)

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const chosen = found[active]
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, -1))
    else if (event.key === 'Enter' && chosen !== undefined) goInto(chosen.path)
    else return
    event.preventDefault()
  }

  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        Folder
      </label>
      <input
        id={id}
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
        aria-describedby={`${id}-hint`}
        autoComplete="off"
        spellCheck={false}
        required
        readOnly={isBeginning}
        value={value}
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-7 rounded-control border border-line-strong bg-surface-1 px-2 font-mono text-small"
      />
      <p id={`${id}-hint`} className="text-small text-ink-2">
        {hint}
      </p>
      <div className="mt-2 flex h-96 flex-col rounded-control border border-line">
        <div className="flex h-8 shrink-0 items-center gap-2 border-b border-line px-2 text-small text-ink-2">
          {data?.parent !== undefined && (
            <button
              type="button"
              aria-label="Folder above"
              onClick={() => goInto(data.parent ?? '/')}
              className="rounded-control p-1 hover:bg-surface-2 [&_svg]:size-4"
            >
              <CornerLeftUp aria-hidden />
            </button>
          )}
          <span className="truncate font-mono">{data?.path}</span>
        </div>
        <Folders id={id} found={found} active={active} onChoose={goInto} />
        <p role="status" className="px-3 py-2 text-small text-ink-2 empty:hidden">
          {said({ error, data, found: found.length, start, onlyNew })}
        </p>
      </div>
    </div>
  )
}

type FoldersProps = {
  readonly id: string
  readonly found: FolderList['folders']
  readonly active: number
  readonly onChoose: (path: string) => void
}

function Folders({ id, found, active, onChoose }: FoldersProps) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Folders" className="min-h-0 flex-1 overflow-y-auto">
      {found.map(({ name, path, isApp }, at) => (
        // The field keeps the focus and handles the keys, as in each combobox.
        <div
          key={path}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          onClick={() => onChoose(path)}
          onKeyDown={(event) => event.key === 'Enter' && onChoose(path)}
          className={clsx(
            'flex h-7 cursor-pointer items-center gap-2 px-2 hover:bg-surface-2',
            at === active && 'bg-accent-soft',
          )}
        >
          <Folder aria-hidden className="size-4 shrink-0 text-ink-2" />
          <span className="truncate">{name}</span>
          {isApp && <span className="ml-auto rounded-control border border-line px-1.5 text-small">app</span>}
        </div>
      ))}
    </div>
  )
}

type Said = {
  readonly error: Error | null
  readonly data: FolderList | undefined
  readonly found: number
  readonly start: string
  readonly onlyNew: boolean
}

function said({ error, data, found, start, onlyNew }: Said): string {
  if (error !== null) return onlyNew ? 'This folder is not there yet; it will be made.' : error.message
  if (data === undefined) return ''
  if (found === 0 && start !== '')
    return onlyNew ? `“${start}” will be made here.` : `No folder here begins with “${start}”.`
  if (found === 0) return 'There are no folders in here.'
  return data.capped ? 'More folders are here than are shown. Type the beginning of a name.' : ''
}
