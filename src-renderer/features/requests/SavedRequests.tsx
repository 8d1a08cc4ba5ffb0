import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { RequestDraft, SavedRequest } from '../../../src-main/contract/requests.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { SidePanel } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { Form, Submit } from '../../ui/form/Form.tsx'
import { MoreMenu } from '../../ui/Menu.tsx'
import { QueryState } from '../../ui/PageStates.tsx'
import { useTell } from '../../ui/use-tell.ts'
import { RelativeTime } from '../../ui/Values.tsx'
import { savedRequestsQuery } from './request-queries.ts'

export type SavedRequestsProps = {
  readonly endpointId: string
  readonly current: RequestDraft | undefined
  readonly onLoad: (saved: SavedRequest) => void
  readonly onClose: () => void
}

export function SavedRequests({ endpointId, current, onLoad, onClose }: SavedRequestsProps) {
  const { client } = useApp()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [deleted, setDeleted] = useState<{ readonly name: string; readonly undo: () => void }>()
  const { data, error } = useQuery(savedRequestsQuery(client, endpointId))
  const same = data?.requests.find((saved) => saved.name === name.trim())
  const save = useMutation({
    mutationFn: (request: RequestDraft) =>
      same === undefined
        ? client.call('savedRequestCreate', { path: { endpointId }, body: { name, request } })
        : client.call('savedRequestUpdate', {
            path: { endpointId, savedRequestId: same.id },
            body: { request },
          }),
    onSuccess: () => {
      setName('')
      return queries.invalidateQueries({ queryKey: ['saved-requests', endpointId] })
    },
  })
  return (
    <SidePanel open onOpenChange={onClose} title="Saved requests">
      <div className="flex flex-col gap-4">
        <Form onSubmit={() => current !== undefined && save.mutate(current)} className="flex flex-col gap-2">
          <Field
            label="Name for this request"
            value={name}
            onChange={({ target }) => setName(target.value)}
            placeholder="Portrait, 20 steps"
            hint={
              same === undefined
                ? 'Stored by the service, and deleted with the endpoint.'
                : 'Replaces the saved request with this name.'
            }
            maxLength={100}
            required
          />
          <Submit error={save.error} disabled={current === undefined || save.isPending}>
            {same === undefined ? 'Save' : 'Replace'}
          </Submit>
        </Form>
        <QueryState data={data} error={error} rows={4} />
        {data?.requests.length === 0 && (
          <p className="text-ink-2">There are no saved requests for this endpoint yet.</p>
        )}
        {deleted !== undefined && (
          <p
            role="status"
            className="flex items-center justify-between gap-2 rounded-control bg-surface-2 py-1 pr-1 pl-3"
          >
            <span className="min-w-0 truncate">{deleted.name} is deleted.</span>
            <Button
              kind="quiet"
              onClick={() => {
                deleted.undo()
                setDeleted(undefined)
              }}
            >
              Undo
            </Button>
          </p>
        )}
        <ul aria-label="Saved requests" className="flex flex-col">
          {data?.requests.map((saved) => (
            <SavedRequestRow
              key={saved.id}
              endpointId={endpointId}
              saved={saved}
              onDeleted={(undo) => setDeleted({ name: saved.name, undo })}
              onLoad={() => {
                onLoad(saved)
                onClose()
              }}
            />
          ))}
        </ul>
      </div>
    </SidePanel>
  )
}

type SavedRequestRowProps = {
  readonly endpointId: string
  readonly saved: SavedRequest
  readonly onLoad: () => void
  readonly onDeleted: (undo: () => void) => void
}

function SavedRequestRow({ endpointId, saved, onLoad, onDeleted }: SavedRequestRowProps) {
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
      <MoreMenu
        label={`More for ${saved.name}`}
        groups={[
          [{ label: 'Rename', icon: <Pencil />, onSelect: () => setRenames(true), takesFocus: true }],
          [{ label: `Delete ${saved.name}`, icon: <Trash2 />, danger: true, onSelect: () => void remove() }],
        ]}
      />
    </li>
  )
}

function RenameForm({ name, onDone }: { readonly name: string; readonly onDone: (name: string) => void }) {
  const [text, setText] = useState(name)
  return (
    <Form onSubmit={() => text.trim() !== '' && onDone(text.trim())} className="flex min-w-0 flex-1 items-center gap-1">
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
    </Form>
  )
}

function useSavedRequest(endpointId: string, saved: SavedRequest, onDeleted: SavedRequestRowProps['onDeleted']) {
  const { client } = useApp()
  const tell = useTell()
  const queries = useQueryClient()
  const path = { endpointId, savedRequestId: saved.id }

  async function attempt(work: () => Promise<unknown>): Promise<boolean> {
    const isDone = await tell.attempt(work)
    await queries.invalidateQueries({ queryKey: ['saved-requests', endpointId] })
    return isDone
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
