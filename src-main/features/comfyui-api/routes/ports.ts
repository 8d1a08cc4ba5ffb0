/** Ports of endpoints, for ComfyUI clients that accept only a host and a port. Source: docs/spec/comfyui.md, 10. */
import type { OwnPort } from '../../../http/admit-stream.ts'
import { type Listener, listen, type StreamHandler } from '../../../http/server/listen.ts'
import type { Clock, Log } from '../../../lib/clock.ts'
import { hostHeaders, LOOPBACK_NAMES } from '../../../lib/own-addresses.ts'
import type { Storage } from '../../../storage/storage.ts'
import { takesWorkflows } from '../../workflows/rules/runs/takes-workflows.ts'

type Deps = { readonly storage: Pick<Storage, 'endpoints' | 'onCommit'>; readonly clock: Clock; readonly log: Log }

// Between tries of a port that is in use. Source: ours.
const RETRY_MS = 5000

export function createComfyuiPorts({ storage, clock, log }: Deps, onPort: (at: OwnPort) => StreamHandler) {
  const open = new Map<string, { readonly port: number; readonly listener: Listener }>()
  const refused = new Map<string, number>()
  let last: Promise<void> = Promise.resolve()
  let cancelRetry = () => {}
  let state: 'new' | 'running' | 'stopped' = 'new'

  function follow(): Promise<void> {
    last = last.then(openAndClose)
    return last
  }

  async function openAndClose(): Promise<void> {
    if (state !== 'running') return
    cancelRetry()
    const wanted = new Map(
      storage.endpoints.all().flatMap(({ id, config }) => {
        const { comfyuiPort: port } = config
        return port !== undefined && takesWorkflows(config) ? [[id, port] as const] : []
      }),
    )
    for (const [id, { port, listener }] of open) {
      if (wanted.get(id) === port) continue
      open.delete(id)
      await listener.close(0)
    }
    for (const [id, port] of wanted) if (!open.has(id)) await openAt(id, port)
    for (const [id, port] of refused) if (wanted.get(id) !== port) refused.delete(id)
    if (refused.size > 0) cancelRetry = clock.after(RETRY_MS, () => void follow())
  }

  async function openAt(endpointId: string, port: number): Promise<void> {
    const hosts = new Set(LOOPBACK_NAMES.flatMap((name) => hostHeaders(name, port)))
    try {
      const listener = await listen(notFound, port, { streams: onPort({ endpointId, hosts }) })
      open.set(endpointId, { port, listener })
      refused.delete(endpointId)
    } catch (error) {
      if (refused.get(endpointId) !== port)
        log.warn('the port for ComfyUI clients cannot be opened', { endpointId, port, error })
      refused.set(endpointId, port)
    }
  }

  return {
    async start() {
      if (state !== 'new') return
      state = 'running'
      storage.onCommit((changes) => {
        if (changes.some(({ type }) => type === 'endpoint')) void follow()
      })
      await follow()
    },
    async stop(graceMs: number) {
      state = 'stopped'
      cancelRetry()
      await last
      await Promise.all([...open.values()].map(({ listener }) => listener.close(graceMs)))
      open.clear()
    },
  }
}

const notFound = () => new Response(null, { status: 404 })
