import { CircleStop, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import { ADDRESS } from '../../addresses.ts'
import { useAppState } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm, SidePanel } from '../../ui/Dialog.tsx'
import { FollowedLog } from '../../ui/output/LogView.tsx'
import { CommandsHere } from '../../ui/Page.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { AboutEnded, AboutWorker } from './AboutWorker.tsx'
import { ShellPart } from './ShellPart.tsx'
import type { UsagePoint } from './UsageCharts.tsx'
import { useWorkerActions } from './use-worker-actions.ts'
import { DRAWER_PARTS, type DrawerPart, type EndedWorker } from './worker-groups.ts'
import { WORKER_STYLES, whatStopDoes } from './worker-state.ts'

export type WorkerDrawerProps = {
  readonly workerId: string
  readonly part: DrawerPart
  readonly ended: EndedWorker | undefined
  readonly points: readonly UsagePoint[] | undefined
  readonly toPart: (part: DrawerPart) => string
  readonly onClose: () => void
}

const PART_NAMES: Readonly<Record<DrawerPart, string>> = { about: 'About', log: 'Log', shell: 'Shell' }

export function WorkerDrawer({ workerId, part, ended, points, toPart, onClose }: WorkerDrawerProps) {
  const worker = useAppState((state) => state.live.workers[workerId])
  const endpointId = worker?.endpointId ?? ended?.endpointId
  const endpoint = useAppState((state) => (endpointId === undefined ? undefined : state.live.endpoints[endpointId]))
  const [, go] = useLocation()
  const { replace } = useWorkerActions()
  const group = `Worker ${workerId}`
  const canReplace = worker !== undefined && worker.state !== 'stopping'
  const again = { id: 'worker-replace', group, label: 'Replace it', run: () => worker && void replace(worker) }
  const style = worker === undefined ? endedStyle(ended) : WORKER_STYLES[worker.state]
  return (
    <SidePanel open onOpenChange={onClose} title={`Worker ${workerId}`} width="wide" fills>
      <CommandsHere
        commands={[
          ...PARTS.map(({ part, label }) => ({ id: `worker-${part}`, group, label, run: () => go(toPart(part)) })),
          ...(canReplace ? [again] : []),
        ]}
      />
      <div className="-mt-1 flex flex-wrap items-center gap-x-3 gap-y-2">
        <StateDot {...style} />
        {endpointId !== undefined && (
          <Link to={ADDRESS.endpoint(endpointId)} className="truncate text-ink-2 hover:text-ink hover:underline">
            of {endpoint?.name ?? endpointId}
          </Link>
        )}
        {worker !== undefined && <Actions worker={worker} />}
      </div>
      <div className="mt-2 border-b border-line">
        <Tabs
          label={`Parts of worker ${workerId}`}
          tabs={DRAWER_PARTS.map((one) => ({ name: PART_NAMES[one], to: toPart(one), current: one === part }))}
        />
      </div>
      <div className="flex min-h-0 flex-1 flex-col pt-3">
        {part === 'log' && <FollowedLog of="worker" id={workerId} label={`Log of worker ${workerId}`} />}
        {part === 'about' &&
          (worker === undefined ? (
            <AboutEnded ended={ended} toLog={toPart('log')} />
          ) : (
            <AboutWorker worker={worker} endpoint={endpoint} points={points} />
          ))}
        {part === 'shell' &&
          (worker === undefined ? (
            <p className="text-ink-2">It has ended, so no shell can be opened. Its log is still available.</p>
          ) : (
            <ShellPart worker={worker} endpoint={endpoint} />
          ))}
      </div>
    </SidePanel>
  )
}

function endedStyle(ended: EndedWorker | undefined) {
  return ended?.crashed === true ? ({ tone: 'failed', text: 'Crashed' } as const) : WORKER_STYLES.ended
}

function Actions({ worker }: { readonly worker: WorkerView }) {
  const { stop, replace } = useWorkerActions()
  const [asks, setAsks] = useState(false)
  const leaves = worker.state === 'stopping'
  return (
    <div className="ml-auto flex gap-2">
      <Button disabled={leaves} onClick={() => void replace(worker)}>
        <RefreshCw aria-hidden /> Replace
      </Button>
      <Button kind="danger" onClick={() => (worker.jobs.length > 0 ? setAsks(true) : void stop(worker))}>
        <CircleStop aria-hidden /> Stop worker
      </Button>
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        action={`Stop worker ${worker.id}`}
        onConfirm={() => void stop(worker)}
      >
        {whatStopDoes(worker.jobs.length)}
      </Confirm>
    </div>
  )
}

const PARTS: readonly { readonly part: DrawerPart; readonly label: string }[] = [
  { part: 'about', label: 'Show details' },
  { part: 'log', label: 'Show its log' },
  { part: 'shell', label: 'Open a shell in it' },
]
