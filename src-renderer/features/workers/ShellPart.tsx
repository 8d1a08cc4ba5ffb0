import { useCallback, useState } from 'react'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { shellQuoted } from '../../../src-main/lib/text.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { asSentence, duration } from '../../ui/format.ts'
import { CommandLine, ErrorNotice } from '../../ui/PageStates.tsx'
import { Terminal } from '../../ui/terminal/Terminal.tsx'
import type { Screen } from '../../ui/terminal/XtermView.tsx'
import { connectShell, type ShellState } from './connect-shell.ts'
import { processFolder } from './worker-state.ts'

export type ShellPartProps = { readonly worker: WorkerView; readonly endpoint: LiveEndpoint | undefined }

export function ShellPart({ worker, endpoint }: ShellPartProps) {
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
