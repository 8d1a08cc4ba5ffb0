import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMb } from '../../support/resident-memory.ts'
import { bounded, type Row } from '../report.ts'
import { withFolder } from '../support/folders.ts'
import { createWarmEndpoint, startService } from '../support/service.ts'

const SETTLE_MS = 10_000
const LOOK_MS = 1000
const CPU_PERCENT = 1
const RESIDENT_MB = 90
const GROWTH_MB = 5
// The unit of /proc; the same on every Linux that Node runs on.
const TICKS_A_SECOND = 100

/** A service with one warm worker and nothing to do: its own CPU time and memory, without the worker's. */
export function idleService(seconds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    try {
      await createWarmEndpoint(service, 'idle')
      for (let n = 0; n < 20; n++) await service.call('POST', '/v2/idle/runsync', { input: {} })
      await pause(SETTLE_MS)
      const first = look(service.pid)
      const start = performance.now()
      let most = first.residentMb
      while (performance.now() - start < seconds * 1000) {
        await pause(LOOK_MS)
        most = Math.max(most, look(service.pid).residentMb)
      }
      const last = look(service.pid)
      const cpu = (100 * (last.cpuSeconds - first.cpuSeconds)) / ((performance.now() - start) / 1000)
      return [
        bounded(`idle service, ${seconds} s: CPU`, cpu, CPU_PERCENT, '% of a core'),
        bounded(`idle service, ${seconds} s: resident, most`, most, RESIDENT_MB, 'MB'),
        bounded(`idle service, ${seconds} s: growth`, Math.max(0, last.residentMb - first.residentMb), GROWTH_MB, 'MB'),
      ]
    } finally {
      await service.stop()
    }
  })
}

function look(pid: number): { readonly cpuSeconds: number; readonly residentMb: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12]) // utime and stime
  return { cpuSeconds: ticks / TICKS_A_SECOND, residentMb: residentMb(pid) }
}
