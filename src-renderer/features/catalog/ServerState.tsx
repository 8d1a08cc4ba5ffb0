import { serverInWords, USUAL_SERVERS } from '../../../src-main/domain/workflow/server/server-address.ts'
import { StateDot } from '../../ui/StateDot.tsx'
import { useWorkflowServers } from '../../ui/servers/use-workflow-servers.ts'

/** Whether a ComfyUI is there for an entry that passes graphs to one. */
export function ServerState() {
  const servers = useWorkflowServers()
  if (servers === undefined) return <StateDot tone="queued" word="Looking for a ComfyUI" />
  const [first] = servers
  if (first !== undefined)
    return <StateDot tone="completed" word={`A ComfyUI answers at ${serverInWords(first.address)}`} />
  return (
    <div className="min-w-0 text-small">
      <StateDot tone="timed-out" word="No ComfyUI answers here" />
      <p className="text-ink-2">Start yours at {USUAL_SERVERS.map(serverInWords).join(' or ')}, or give its address.</p>
    </div>
  )
}
