import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { Command } from '../../store/commands-slice.ts'
import { useWorkerActions } from './use-worker-actions.ts'
import type { DrawerPart } from './use-worker-address.ts'

const PARTS: readonly { readonly part: DrawerPart; readonly label: string }[] = [
  { part: 'about', label: 'Show what it is' },
  { part: 'log', label: 'Show its log' },
  { part: 'shell', label: 'Open a shell in it' },
]

/** What the palette offers while the drawer of a worker is open. @param worker undefined: it has ended */
export function useDrawerCommands(
  workerId: string,
  worker: WorkerView | undefined,
  toPart: (part: DrawerPart) => string,
): readonly Command[] {
  const [, go] = useLocation()
  const { replace } = useWorkerActions()
  return useMemo(() => {
    const group = `Worker ${workerId}`
    const parts = PARTS.map(({ part, label }) => ({ id: `worker-${part}`, group, label, run: () => go(toPart(part)) }))
    if (worker === undefined || worker.state === 'stopping') return parts
    return [...parts, { id: 'worker-replace', group, label: 'Replace it', run: () => void replace(worker) }]
  }, [workerId, worker, toPart, go, replace])
}
