import type { WorkerAddress } from '../../runtimes/port.ts'
import type { PingResult } from './rules/evaluate-ping.ts'

export type Pinger = (
  address: Pick<WorkerAddress, 'host' | 'healthPort'>,
  options: { readonly path: string; readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<PingResult>
