import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { RequestDraft, SavedRequest } from '../../../../src-main/contract/saved-requests.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { Field } from '../../../ui/Field.tsx'
import { SidePanel } from '../../../ui/SidePanel.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { savedRequestsQuery } from '../request-queries.ts'
import { SavedRequestRow } from './SavedRequestRow.tsx'

/** The requests that are kept for an endpoint. */
export type SavedRequestsProps = {
  readonly endpointId: string
  /** What is in the editor; undefined: nothing yet. */
  readonly current: RequestDraft | undefined
  readonly onLoad: (saved: SavedRequest) => void
  readonly onClose: () => void
}

/** Saves what is in the editor under a name, and brings back, renames and deletes what was saved. */
export function SavedRequests({ endpointId, current, onLoad, onClose }: SavedRequestsProps) {
  const { client } = useApp()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [deleted, setDeleted] = useState<{ readonly name: string; readonly undo: () => void }>()
  const { data, error } = useQuery(savedRequestsQuery(client, endpointId))
  const same = data?.requests.find((saved) => saved.name === name.trim())
  const save = useMutation({
    mutationFn: () =>
      same === undefined
        ? client.call('savedRequestCreate', { path: { endpointId }, body: { name, request: current } })
        : client.call('savedRequestUpdate', {
            path: { endpointId, savedRequestId: same.id },
            body: { request: current },
          }),
    onSuccess: () => {
      setName('')
      return queries.invalidateQueries({ queryKey: ['saved-requests', endpointId] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <SidePanel open onOpenChange={onClose} title="Saved requests">
      <div className="flex flex-col gap-4">
        <form onSubmit={submit} className="flex flex-col gap-2">
          <Field
            label="Name for the request in the editor"
            value={name}
            onChange={({ target }) => setName(target.value)}
            placeholder="Portrait, 20 steps"
            hint={
              same === undefined
                ? 'It is kept by the service and goes with the endpoint.'
                : 'It takes the place of the one with this name.'
            }
            maxLength={100}
            required
          />
          {save.error !== null && <ErrorNotice error={save.error} />}
          <Button kind="main" type="submit" disabled={current === undefined || save.isPending} className="self-end">
            {same === undefined ? 'Save' : 'Replace'}
          </Button>
        </form>
        {error !== null && <ErrorNotice error={error} />}
        {data === undefined && error === null && <SkeletonRows rows={4} />}
        {data?.requests.length === 0 && <p className="text-ink-2">Nothing is saved for this endpoint yet.</p>}
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
