import { CircleStop, Ellipsis, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import { Confirm } from '../../ui/Dialog.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { useWorkerActions } from './use-worker-actions.ts'
import { whatStopDoes } from './worker-state.ts'

/** What can be done with a worker, behind a button. */
export function WorkerMenu({ worker }: { readonly worker: WorkerView }) {
  const { id, jobs, state } = worker
  const { stop, replace } = useWorkerActions()
  const [asks, setAsks] = useState(false)
  const leaves = state === 'stopping'
  return (
    <>
      <Menu
        groups={[
          [
            {
              label: 'Replace',
              detail: leaves ? 'It leaves already' : 'A new one takes over, then this one leaves',
              icon: <RefreshCw />,
              disabled: leaves,
              onSelect: () => void replace(worker),
            },
          ],
          [
            {
              label: `Stop worker ${id}`,
              icon: <CircleStop />,
              danger: true,
              onSelect: () => (jobs.length > 0 ? setAsks(true) : void stop(worker)),
            },
          ],
        ]}
      >
        <IconButton label={`More for worker ${id}`} className="relative z-10">
          <Ellipsis />
        </IconButton>
      </Menu>
      {asks && (
        <Confirm open onOpenChange={setAsks} action={`Stop worker ${id}`} onConfirm={() => void stop(worker)}>
          {whatStopDoes(jobs.length)}
        </Confirm>
      )}
    </>
  )
}
