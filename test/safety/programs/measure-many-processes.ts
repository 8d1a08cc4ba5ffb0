/** Measures a worker that started many processes, and prints what was seen of them and what each of them has. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { createSteadyClock } from '../../../src-main/app/steady-clock.ts'
import { readProcStat, readResidentBytes } from '../../../src-main/features/workers/rules/usage.ts'
import { systemTime } from '../../../src-main/http/server/system-ports.ts'
import { createProcessUsageReader } from '../../../src-main/runtimes/process/read-usage.ts'

const COUNT = 200
const MANY = `for i in $(seq ${COUNT}); do sleep 60 & done; echo ready; wait`
const LOOK_EVERY_MS = 10
const ASLEEP = /^Name:\s*sleep$[\s\S]*^State:\s*S/m

/** The state of each process of the group, from /proc. */
function statusesOf(group: number): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    try {
      const isOfGroup = readProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.group === group
      return isOfGroup ? [readFileSync(`/proc/${pid}/status`, 'latin1')] : []
    } catch {
      return [] // it went away meanwhile
    }
  })
}

const worker = spawn('sh', ['-c', MANY], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
const pid = worker.pid ?? 0
try {
  await once(worker.stdout, 'data')
  // Those that the shell has only just forked do not have their memory yet.
  while (statusesOf(pid).filter((status) => ASLEEP.test(status)).length < COUNT) await setTimeout(LOOK_EVERY_MS)
  const clock = createSteadyClock(systemTime, 0, () => undefined)
  const usage = await createProcessUsageReader(clock, async () => [])([{ workerId: 'w', pid }])
  const real = statusesOf(pid).reduce((sum, status) => sum + readResidentBytes(status), 0)
  process.stdout.write(JSON.stringify({ seen: usage.get('w')?.memoryBytes, real }))
} finally {
  process.kill(-pid, 'SIGKILL')
}
