import { CircleStop, RefreshCw } from 'lucide-react'
import { useCallback, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { shellQuoted } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { loadCode } from '../../browser/load-code.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm, SidePanel } from '../../ui/Dialog.tsx'
import { asSentence, duration } from '../../ui/format.ts'
import { lazily } from '../../ui/LazyView.tsx'
import { FollowedLog } from '../../ui/output/LogView.tsx'
import { CommandsHere } from '../../ui/Page.tsx'
import { CommandLine, ErrorNotice } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import type { Screen } from '../../ui/XtermView.tsx'
import { AboutEnded, AboutWorker } from './AboutWorker.tsx'
import { connectShell, type ShellState } from './connect-shell.ts'
import type { UsagePoint } from './UsageCharts.tsx'
import { useWorkerActions } from './use-worker-actions.ts'
import { DRAWER_PARTS, type DrawerPart, type EndedWorker } from './worker-groups.ts'
import { processFolder, WORKER_STYLES, whatStopDoes } from './worker-state.ts'

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

type ShellPartProps = { readonly worker: WorkerView; readonly endpoint: LiveEndpoint | undefined }

const Terminal = lazily(async () => (await loadCode(() => import('../../ui/XtermView.tsx'))).XtermView)

function ShellPart({ worker, endpoint }: ShellPartProps) {
  const [round, setRound] = useState(0)
  if (worker.container === undefined) return <NoShell worker={worker} endpoint={endpoint} />
  return <OpenShell key={round} worker={worker} endpoint={endpoint} onAgain={() => setRound(round + 1)} />
}

function NoShell({ worker, endpoint }: ShellPartProps) {
  const folder = endpoint === undefined ? undefined : processFolder(endpoint)
  const isProcess = worker.pid !== undefined || endpoint?.container === undefined
  return (
    <div className="flex flex-col items-start gap-3">
      <Button disabled aria-describedby="no-shell">
        Open a shell
      </Button>
      <p id="no-shell" className="text-ink-2">
        {isProcess
          ? `It runs as a process on this machine, so you can use any terminal. ${
              folder === undefined ? 'It runs in the folder of the service.' : `Its folder is ${folder}.`
            }`
          : 'Its container is not running yet. Open a shell when it is.'}
      </p>
      {isProcess && folder !== undefined && <CommandLine command={`cd ${shellQuoted(folder)}`} />}
    </div>
  )
}

function OpenShell({ worker, endpoint, onAgain }: ShellPartProps & { readonly onAgain: () => void }) {
  const { client } = useApp()
  const [state, setState] = useState<ShellState>({ kind: 'opening' })
  const connect = useCallback(
    (screen: Screen) => connectShell({ client, workerId: worker.id, screen, onState: setState }),
    [client, worker.id],
  )
  const again = <Button onClick={onAgain}>Open another shell</Button>
  if (state.kind === 'refused') return <ErrorNotice error={state.error} action={again} />
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <div className="flex min-h-7 shrink-0 flex-wrap items-center gap-x-3 gap-y-1">
        <p role="status" className="min-w-0 text-ink-2">
          {shellText(state)}
        </p>
        {state.kind === 'ended' ? (
          again
        ) : (
          <p className="ml-auto text-small text-ink-2">
            Ctrl+Shift+C copies, Ctrl+Shift+V pastes, Shift+Esc leaves the terminal
          </p>
        )}
      </div>
      <div className="flex min-h-0 flex-1 flex-col rounded-control border border-line bg-surface-1 p-2 focus-within:border-accent">
        <Terminal label={`Shell in worker ${worker.id}`} connect={connect} />
      </div>
      {endpoint !== undefined && endpoint.workersMin === 0 && state.kind === 'open' && (
        <p className="text-small text-ink-2">
          The shell ends with its worker, which stops after {duration(endpoint.idleTimeoutMs)} without a job.
        </p>
      )}
    </div>
  )
}

function shellText(state: Exclude<ShellState, { kind: 'refused' }>): string {
  if (state.kind === 'opening') return 'Opening a shell…'
  return state.kind === 'open' ? `${state.program} in its container` : asSentence(state.why)
}
