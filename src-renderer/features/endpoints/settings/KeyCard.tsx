import { useState } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { ShownKey } from '../../../ui/form/ShownKey.tsx'

/** The key of an endpoint: it can be replaced and is never shown again. */
export function KeyCard({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { client } = useApp()
  const [asks, setAsks] = useState(false)
  const [key, setKey] = useState<string>()
  const [fault, setFault] = useState<Error>()
  const rotate = async () => {
    try {
      setFault(undefined)
      setKey((await client.call('endpointRotateKey', { path: { endpointId: endpoint.id } })).key)
    } catch (error) {
      setFault(error as Error)
    }
  }
  return (
    <Card title="Key">
      <div className="flex flex-col gap-3 p-3">
        {key === undefined ? (
          <p className="max-w-prose text-ink-2">
            Clients send the key of this endpoint, or the account key. It is stored as a hash, so it cannot be shown
            again; whoever has lost it makes a new one.
          </p>
        ) : (
          <ShownKey endpointId={endpoint.id} apiKey={key} />
        )}
        {fault !== undefined && <ErrorNotice error={fault} />}
        <Button onClick={() => setAsks(true)} className="self-start">
          Make a new key
        </Button>
      </div>
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        action={`Replace the key of ${endpoint.name}`}
        onConfirm={() => void rotate()}
      >
        The old key is void at once: clients that use it are answered 401 until they have the new one.
      </Confirm>
    </Card>
  )
}
