/** Measures a worker that started many processes, and prints what was seen of them and what each of them has. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { readProcStat, readResidentBytes } from '../../../src-main/domain/worker/process-usage.ts'
import { createProcessUsageReader } from '../../../src-main/fleet/process/read-usage.ts'
import { systemTime } from '../../../src-main/server/system-ports.ts'
import { createSteadyClock } from '../../../src-main/services/steady-clock.ts'

const MANY = 'for i in $(seq 200); do sleep 60 & done; echo ready; wait'

function residentBytes(group: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.reduce((sum, pid) => {
    try {
      const isOfGroup = readProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.group === group
      return isOfGroup ? sum + readResidentBytes(readFileSync(`/proc/${pid}/status`, 'latin1')) : sum
    } catch {
      return sum // it went away meanwhile
    }
  }, 0)
}

const worker = spawn('sh', ['-c', MANY], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
const pid = worker.pid ?? 0
try {
  await once(worker.stdout, 'data')
  const usage = await createProcessUsageReader(createSteadyClock(systemTime, 0, () => undefined))([
    { workerId: 'w', pid },
  ])
  process.stdout.write(JSON.stringify({ seen: usage.get('w')?.memoryBytes, real: residentBytes(pid) }))
} finally {
  process.kill(-pid, 'SIGKILL')
}
