import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { ADDRESS } from '../../../addresses.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CONTROL } from '../../../ui/form/control.ts'
import { FormRow } from '../../../ui/form/FormRow.tsx'
import { counted } from '../../../ui/format.ts'
import { useEndpointActions } from '../use-endpoint-actions.ts'

/** Deletes an endpoint once its id was typed. */
export function DangerCard({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { id, name, inQueue, inProgress, app } = endpoint
  const [, go] = useLocation()
  const { remove } = useEndpointActions(endpoint)
  const [typedId, setTypedId] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (typedId === id && (await remove())) go(ADDRESS.endpoints)
  }
  const again = app === undefined ? '' : ' The next deploy of its app makes it again.'
  return (
    <Card title="Delete" className="border-failed/40">
      <form onSubmit={submit}>
        <FormRow
          label={`Type ${id} to delete this endpoint`}
          help={`Its workers stop, ${counted(inQueue + inProgress, 'job')} that have not ended are cancelled, and its key, jobs and logs are gone. This cannot be taken back.${again}`}
        >
          {(ids) => (
            <span className="flex flex-wrap gap-2">
              <input
                {...ids}
                value={typedId}
                onChange={(event) => setTypedId(event.target.value)}
                autoComplete="off"
                spellCheck={false}
                className={`${CONTROL} h-7 min-w-0 flex-1 font-mono text-small`}
              />
              <Button kind="danger" type="submit" disabled={typedId !== id}>
                Delete endpoint {name}
              </Button>
            </span>
          )}
        </FormRow>
      </form>
    </Card>
  )
}
