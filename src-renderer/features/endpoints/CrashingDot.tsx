import type { EndpointCrash } from '../../../src-main/contract/endpoint.ts'
import { crashSummary } from '../../../src-main/domain/worker/endpoint-state.ts'
import { StateDot } from '../../ui/StateDot.tsx'
import { useNow } from '../../ui/use-now.ts'
import { endpointStateDot } from './endpoint-state.ts'

// The next try counts down in seconds.
const EVERY_MS = 1000

/** The state Crashing, with the count and the next try. */
export function CrashingDot({ crash }: { readonly crash: EndpointCrash }) {
  const now = useNow(EVERY_MS)
  return <StateDot {...endpointStateDot('crashing')} detail={crashSummary(crash, now)} />
}
