/** Child processes of a worker end with it, even if they left its process group. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { findCgroups } from '../../src-main/runtimes/process/worker-cgroup.ts'
import { signal } from '../support/process-table.ts'
import { specOf, until, watched } from './fleet.ts'
import { isAlive, processPlace } from './process-place.ts'

const FLEET = fileURLToPath(new URL('../../src-main/runtimes/process/process-fleet.ts', import.meta.url))
const TIME = fileURLToPath(new URL('../../src-main/http/server/system-ports.ts', import.meta.url))
const PYTHON_PATH = fileURLToPath(new URL('../../resources/python', import.meta.url))
const GRACE_MS = 150

const WAYS = [
  ['a cgroup', undefined],
  ['descent and environment', () => undefined],
] as const

describe.each(WAYS)('a worker whose processes are found by %s', (_way, cgroups) => {
  beforeEach(({ skip }) => {
    skip(process.platform !== 'linux', 'only on Linux are processes found beyond their group')
    skip(cgroups === undefined && findCgroups() === undefined, 'no cgroup of version 2 can be made here')
  })

  function setup() {
    const place = processPlace({ cgroups })
    const watch = watched(place.driver())
    const pidsOf = (workerId: string, count: number) =>
      until(() => {
        const pids = watch.lines(workerId).filter((line) => /^\d+$/.test(line))
        expect(pids.length).toBe(count)
        return pids.map(Number)
      })
    return { place, ...watch, pidsOf }
  }

  // Each in a session of its own; the second is left alone by its parent at once.
  const STRAYS = "setsid sh -c 'echo $$; exec sleep 600' & (setsid sh -c 'echo $$; sleep 600 & wait' &)\n"

  for (const [what, ends] of [
    ['is stopped', 'stop'],
    ['is killed', 'kill'],
    ['ends by itself', 'exit'],
  ] as const) {
    it(`takes along what called setsid when it ${what}`, async () => {
      const { place, fleet, exits, pidsOf } = setup()
      const ready = join(place.folder, 'ready')
      const wait = `while [ ! -e '${ready}' ]; do sleep 0.05; done`
      const { workerId } = await fleet.start(specOf(place.script(`${STRAYS}${ends === 'exit' ? wait : 'wait'}`)))
      const pids = await pidsOf(workerId, 2)
      if (ends === 'exit') writeFileSync(ready, '')
      else await fleet.stop(workerId, ends === 'stop' ? GRACE_MS : 0)
      await until(() => expect(exits.length).toBe(1))
      expect(pids.map(isAlive)).toEqual([false, false])
      expect(readdirSync(join(place.folder, 'workers'))).toEqual([])
    })
  }

  it('takes along what cleared its environment and was left by its parent when it is stopped', async () => {
    const { place, fleet, pidsOf } = setup()
    const script = join(place.folder, 'worker.py')
    const stray = `["env", "-i", "/bin/sh", "-c", "(setsid sh -c 'echo $$; exec sleep 600' &)"]`
    writeFileSync(script, `import subprocess, time\nsubprocess.run(${stray})\ntime.sleep(600)\n`)
    const { workerId } = await fleet.start(specOf(`python3 ${script}`))
    const [pid = 0] = await pidsOf(workerId, 1)
    await fleet.stop(workerId, GRACE_MS)
    expect(isAlive(pid)).toBe(false)
  })

  it('leaves other processes alone', async () => {
    const { place, fleet, pidsOf } = setup()
    const [one, other] = [
      await fleet.start(specOf(place.script(`${STRAYS}wait`))),
      await fleet.start(specOf(place.script(`${STRAYS}wait`))),
    ]
    const pids = await pidsOf(other.workerId, 2)
    await pidsOf(one.workerId, 2)
    await fleet.stop(one.workerId, 0)
    expect([...pids, other.pid ?? 0].map(isAlive)).toEqual([true, true, true])
  })

  it('is swept away with all of them when its service was killed, also where it has ended itself', async () => {
    const { place, fleet } = setup()
    const specs = [specOf(place.script(`${STRAYS}wait`)), specOf(place.script(`${STRAYS}sleep 0.3`))]
    const workers = join(place.folder, 'workers')
    const options = `{ clock: { now: Date.now, steady: time.monotonic, after: time.after }, log: console, folder: ${JSON.stringify(workers)},
      runtimes: { pythonPath: ${JSON.stringify(PYTHON_PATH)}, node: {} }, environment: process.env, maxWorkers: () => 9,
      ${cgroups === undefined ? '' : 'cgroups: () => undefined,'} reach: () => ({}), freePort: async () => 1 }`
    const service = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `
      import { createProcessFleet } from ${JSON.stringify(FLEET)}
      import { systemTime as time } from ${JSON.stringify(TIME)}
      const fleet = createProcessFleet(${options})
      for (const spec of ${JSON.stringify(specs)}) await fleet.start(spec)
      process.kill(process.pid, 'SIGKILL')`,
      ],
      { stdio: 'ignore' },
    )
    await until(() => expect(service.signalCode).toBe('SIGKILL'))
    const printed = (workerId: string) =>
      until(() => {
        const log = join(workers, `${workerId}.log`)
        const pids = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean).map(Number) : []
        expect(pids.length).toBe(2)
        return pids
      })
    const pids = (await Promise.all(specs.map(({ workerId }) => printed(workerId)))).flat()
    const leader = Number(readFileSync(join(workers, `${specs[1]?.workerId}.pid`), 'utf8'))
    await until(() => expect(isAlive(leader)).toBe(false))
    expect(pids.map(isAlive)).toEqual([true, true, true, true])
    await fleet.sweep()
    expect(pids.map(isAlive)).toEqual([false, false, false, false])
    expect(readdirSync(workers)).toEqual([])
  })

  it('is frozen with what called setsid only where that is known', async () => {
    const { place, fleet, pidsOf } = setup()
    const { workerId, pid = 0 } = await fleet.start(specOf(place.script(`${STRAYS}wait`)))
    const strays = await pidsOf(workerId, 2)
    const isStopped = (one: number) => readFileSync(`/proc/${one}/stat`, 'latin1').includes(') T ')
    await fleet.pause(workerId)
    await until(() =>
      expect([pid, ...strays].map(isStopped)).toEqual([true, ...strays.map(() => cgroups === undefined)]),
    )
    await fleet.resume(workerId)
    await until(() => expect([pid, ...strays].map(isStopped)).toEqual([false, false, false]))
    signal(pid, 'SIGKILL')
    await until(() => expect(strays.map(isAlive)).toEqual([false, false]))
  })
})
