import { useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { SavedRequest } from '../../../../src-main/contract/saved-requests.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'

/** One saved request. */
export type SavedRequestRowProps = {
  readonly endpointId: string
  readonly saved: SavedRequest
  readonly onLoad: () => void
  /** It was deleted; `undo` brings it back. */
  readonly onDeleted: (undo: () => void) => void
}

/** A saved request: a press loads it; it is renamed in its place, and a deletion can be taken back. */
export function SavedRequestRow({ endpointId, saved, onLoad, onDeleted }: SavedRequestRowProps) {
  const [renames, setRenames] = useState(false)
  const { rename, remove } = useSavedRequest(endpointId, saved, onDeleted)
  return (
    <li className="flex min-h-10 items-center gap-1 border-b border-line">
      {renames ? (
        <RenameForm
          name={saved.name}
          onDone={(name) => {
            setRenames(false)
            if (name !== saved.name) void rename(name)
          }}
        />
      ) : (
        <button
          type="button"
          onClick={onLoad}
          className="flex min-w-0 flex-1 flex-col items-start rounded-control px-2 py-1 text-left hover:bg-surface-2"
        >
          <span className="w-full truncate">{saved.name}</span>
          <span className="text-small text-ink-2">
            {saved.request.operation === 'request' ? saved.request.method : saved.request.operation} ·{' '}
            <RelativeTime at={saved.updatedAt} />
          </span>
        </button>
      )}
      <Menu
        groups={[
          [{ label: 'Rename', icon: <Pencil />, onSelect: () => setRenames(true), takesFocus: true }],
          [{ label: `Delete ${saved.name}`, icon: <Trash2 />, danger: true, onSelect: () => void remove() }],
        ]}
      >
        <IconButton label={`More for ${saved.name}`}>
          <Ellipsis />
        </IconButton>
      </Menu>
    </li>
  )
}

function RenameForm({ name, onDone }: { readonly name: string; readonly onDone: (name: string) => void }) {
  const [text, setText] = useState(name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') onDone(text.trim())
  }
  return (
    <form onSubmit={submit} className="flex min-w-0 flex-1 items-center gap-1">
      <input
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it, and types next
        autoFocus
        aria-label={`New name of ${name}`}
        value={text}
        maxLength={100}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onDone(name)
        }}
        className="h-7 min-w-0 flex-1 rounded-control border border-line-strong bg-surface-1 px-2"
      />
      <Button type="submit">Rename</Button>
    </form>
  )
}

function useSavedRequest(endpointId: string, saved: SavedRequest, onDeleted: SavedRequestRowProps['onDeleted']) {
  const { client, store } = useApp()
  const queries = useQueryClient()
  const { tell } = store.getState()
  const again = () => queries.invalidateQueries({ queryKey: ['saved-requests', endpointId] })
  const path = { endpointId, savedRequestId: saved.id }

  async function attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      tell({ kind: 'error', text: (error as Error).message })
      return false
    } finally {
      await again()
    }
  }
  return {
    rename: (name: string) => attempt(() => client.call('savedRequestUpdate', { path, body: { name } })),
    async remove() {
      if (!(await attempt(() => client.call('savedRequestDelete', { path })))) return
      const { name, request } = saved
      onDeleted(
        () => void attempt(() => client.call('savedRequestCreate', { path: { endpointId }, body: { name, request } })),
      )
    },
  }
}
