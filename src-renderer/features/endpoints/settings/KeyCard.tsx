import { useState } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { ShownKey } from '../../../ui/form/CreatedEndpoint.tsx'
import { ErrorNotice } from '../../../ui/PageStates.tsx'

export function KeyCard({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { client } = useApp()
  const [asks, setAsks] = useState(false)
  const [key, setKey] = useState<string>()
  const [problem, setProblem] = useState<Error>()
  const rotate = async () => {
    try {
      setProblem(undefined)
      setKey((await client.call('endpointRotateKey', { path: { endpointId: endpoint.id } })).key)
    } catch (error) {
      setProblem(error as Error)
    }
  }
  return (
    <Card title="Key">
      <div className="flex flex-col gap-3 p-3">
        {key === undefined ? (
          <p className="max-w-prose text-ink-2">
            Clients send the key of this endpoint, or the account key. It is stored as a hash, so it cannot be shown
            again; if it is lost, make a new one.
          </p>
        ) : (
          <ShownKey endpointId={endpoint.id} apiKey={key} />
        )}
        {problem !== undefined && <ErrorNotice error={problem} />}
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
        The old key stops working at once: clients that use it get status 401 until they have the new one.
      </Confirm>
    </Card>
  )
}
