import { constants } from 'node:os'

/** The end of a container as the engine tells it. */
export type ContainerEnd = {
  readonly ExitCode?: number | undefined
  readonly OOMKilled?: boolean | undefined
  readonly Error?: string | undefined
}

// A shell and the init process report the death by a signal as 128 and its number.
const SIGNAL_BASE = 128

/** How a container ended, in the words of the fleet port. @param memoryBytes its limit */
export function exitOf(
  { ExitCode, OOMKilled, Error: error }: ContainerEnd,
  memoryBytes: number | undefined,
): { readonly code: number | undefined; readonly signal: string | undefined; readonly reason: string | undefined } {
  const signal = Object.entries(constants.signals).find(([, n]) => ExitCode === SIGNAL_BASE + n)?.[0]
  const reason =
    OOMKilled === true
      ? `out of memory: the container reached its limit${memoryBytes ? ` of ${gigabytes(memoryBytes)}` : ''}`
      : error || undefined
  return { code: signal === undefined ? ExitCode : undefined, signal, reason }
}

function gigabytes(bytes: number): string {
  const gb = bytes / 1024 ** 3
  return gb >= 1 ? `${Number(gb.toFixed(1))} GB` : `${Math.round(bytes / 1024 ** 2)} MB`
}
