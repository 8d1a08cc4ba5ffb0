import { Ellipsis, Pause, Play, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { ADDRESS, type EndpointTab } from '../../addresses.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { counted } from '../../ui/format.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { useEndpointActions } from './use-endpoint-actions.ts'

/** The main action of an endpoint, and the others behind a menu. */
export function EndpointMenu({ endpoint, tab }: { readonly endpoint: LiveEndpoint; readonly tab: EndpointTab }) {
  const { id, name, paused, inQueue, inProgress } = endpoint
  const [, go] = useLocation()
  const { pause, resume, remove } = useEndpointActions(endpoint)
  const [asks, setAsks] = useState(false)
  const deletes = async () => {
    if (await remove()) go(ADDRESS.endpoints)
  }
  return (
    <>
      {tab !== 'requests' && (
        <Button kind="main" onClick={() => go(ADDRESS.endpoint(id, 'requests'))}>
          <Send aria-hidden /> Send request
        </Button>
      )}
      <Menu
        groups={[
          [
            paused
              ? { label: 'Resume', icon: <Play />, onSelect: () => void resume() }
              : { label: 'Pause', detail: 'Jobs are accepted and wait', icon: <Pause />, onSelect: () => void pause() },
          ],
          [{ label: `Delete endpoint ${name}`, icon: <Trash2 />, danger: true, onSelect: () => setAsks(true) }],
        ]}
      >
        <IconButton label={`More for ${name}`}>
          <Ellipsis />
        </IconButton>
      </Menu>
      <Confirm open={asks} onOpenChange={setAsks} action={`Delete endpoint ${name}`} onConfirm={() => void deletes()}>
        Its workers stop, {counted(inQueue + inProgress, 'job')} that have not ended are cancelled, and its key, jobs
        and logs are gone. This cannot be taken back.
      </Confirm>
    </>
  )
}
