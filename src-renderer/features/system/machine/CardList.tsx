import { Link } from 'wouter'
import type { MachineView } from '../../../../src-main/contract/system.ts'
import { ADDRESS } from '../../../addresses.ts'
import { bytes } from '../../../ui/format.ts'

// A driver and a screen take some of a card that nobody uses, bytes; source: ours.
const OWN_BYTES = 1024 ** 3

/** The graphics cards: what memory they have, and who holds each. */
export function CardList({ machine }: { readonly machine: MachineView }) {
  const { gpus, gpuFault } = machine
  return (
    <>
      {gpuFault !== undefined && <p className="px-3 py-2 text-ink-2 first-letter:uppercase">{gpuFault}.</p>}
      {gpus.length === 0 && gpuFault === undefined && (
        <p className="px-3 py-2 text-ink-2">This machine has no NVIDIA GPU. Handlers that need none run as they are.</p>
      )}
      <ul className="divide-y divide-line">
        {gpus.map(({ id, index, name, memoryBytes, usedBytes, heldBy }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
            <span className="w-6 font-mono text-small text-ink-2">{index}</span>
            <span className="min-w-48 flex-1 font-medium">{name}</span>
            <Memory used={usedBytes} total={memoryBytes} />
            <span className="min-w-48 flex-1">
              {heldBy.length === 0 && (
                <span className="text-ink-2">
                  {(usedBytes ?? 0) > OWN_BYTES ? 'used outside of containers' : 'free'}
                </span>
              )}
              {heldBy.map(({ workerId, endpointId, shared }) => (
                <span key={workerId} className="mr-3 inline-block">
                  <Link to={ADDRESS.endpoint(endpointId)} className="hover:underline">
                    {endpointId}
                  </Link>{' '}
                  <Link to={ADDRESS.worker(workerId)} className="font-mono text-small text-ink-2 hover:underline">
                    {workerId}
                  </Link>
                  {shared && <span className="text-ink-2"> shared</span>}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function Memory({ used, total }: { readonly used: number | undefined; readonly total: number | undefined }) {
  if (total === undefined) return <span className="w-56 text-ink-2">memory is not told</span>
  return (
    <span className="flex w-56 items-center gap-2">
      {used !== undefined && (
        <span aria-hidden className="h-1 w-20 overflow-hidden rounded-full bg-surface-2">
          <span className="block h-full rounded-full bg-accent" style={{ width: `${(100 * used) / total}%` }} />
        </span>
      )}
      {used !== undefined && `${bytes(used)} of `}
      {bytes(total)}
    </span>
  )
}
