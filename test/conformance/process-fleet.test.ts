import { existsSync, readdirSync, statSync, type watch as watchFolder, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PATIENCE_MS } from '../support/patience.ts'
import { describeFleet, specOf, until, watched } from './fleet.ts'
import { isAlive, processPlace } from './process-place.ts'

describeFleet('process', processPlace)

const GRACE_MS = 150
const MIB = 1024 * 1024
// A file is emptied past 8 MiB. The writer adds 4 MiB at a time, and nothing while it holds more than 16.
const [ROUND_BYTES, PAUSE_BYTES, ROUNDS] = [4 * MIB, 16 * MIB, 16]

function setup() {
  const place = processPlace()
  return { place, ...watched(place.driver()) }
}

describe('processes', () => {
  for (const [what, ends] of [
    ['is stopped', 'stop'],
    ['is killed', 'kill'],
    ['ends by itself', 'exit'],
  ] as const) {
    it(`a worker that ${what} takes its children along`, async () => {
      const { place, fleet, lines, exits } = setup()
      const children = `(trap '' TERM; sleep 600) & echo $!\nsleep 600 & echo $!\n`
      const command = place.script(`${children}${ends === 'exit' ? 'exit 0' : 'wait'}`)
      const { workerId } = await fleet.start(specOf(command))
      const pids = await until(() => {
        expect(lines(workerId).length).toBe(2)
        return lines(workerId).map(Number)
      })
      if (ends !== 'exit') await fleet.stop(workerId, ends === 'stop' ? GRACE_MS : 0)
      await until(() => expect(exits.length).toBe(1))
      await until(() => expect(pids.map(isAlive)).toEqual([false, false]))
    })
  }

  it('output written so far is given without waiting when it is asked for', async () => {
    const { place, fleet, lines } = setup()
    const steps = [{ print: 'a' }, { print: 'b' }, { printUnended: 'half' }]
    const { workerId } = await fleet.start(specOf(place.command(steps)))
    const giveUpAt = performance.now() + PATIENCE_MS
    // No turn of the event loop in here: nobody but drainOutput can deliver.
    while (lines(workerId).length < 2 && performance.now() < giveUpAt) fleet.drainOutput(workerId)
    expect(lines(workerId)).toEqual(['a', 'b'])
    fleet.drainOutput(workerId)
    expect(lines(workerId)).toEqual(['a', 'b'])
  })

  it('output is read where the system has no watches left', async () => {
    const watch = (() => {
      throw Object.assign(new Error('no space left on device, watch'), { code: 'ENOSPC' })
    }) as typeof watchFolder
    const place = processPlace({ watch })
    const { fleet, lines } = watched(place.driver())
    const { workerId } = await fleet.start(specOf(place.command([{ print: 'a' }, { print: 'b' }])))
    await until(() => expect(lines(workerId)).toEqual(['a', 'b']))
  })

  it('load-balanced workers that start at once get ports of their own, which they learn from PORT', async () => {
    const { place, fleet, lines } = setup()
    const command = place.command([{ printEnv: 'PORT' }, { printEnv: 'PORT_HEALTH' }])
    const spec = () => specOf(command, { loadBalanced: { port: 80 } })
    const workers = await Promise.all(Array.from({ length: 5 }, () => fleet.start(spec())))
    const ports = workers.map(({ address }) => address?.port)
    expect(new Set(ports).size).toBe(5)
    for (const { workerId, address } of workers) {
      expect(address?.healthPort).toBe(address?.port)
      const given = [`PORT=${address?.port}`, `PORT_HEALTH=${address?.port}`]
      await until(() => expect(lines(workerId)).toEqual(given))
    }
  })

  it('a worker lives on when nobody reads its output, and is found by the next driver', async () => {
    const { place, fleet, lines } = setup()
    const worker = await fleet.start(specOf(place.command([{ print: 'up' }])))
    await until(() => expect(lines(worker.workerId)).toEqual(['up']))
    const next = watched(place.driver())
    expect(await next.fleet.adopt(worker)).toBe(true)
  })

  it('a process that has taken over the pid of a dead worker is not adopted and not swept away', async () => {
    const { place, fleet, lines } = setup()
    const stranger = await fleet.start(specOf(place.command([{ print: 'up' }])))
    await until(() => expect(lines(stranger.workerId)).toEqual(['up'])) // it has written its pid
    const workers = join(place.folder, 'workers')
    writeFileSync(join(workers, 'deadworker1234.pid'), `${stranger.pid}\n`)
    writeFileSync(join(workers, 'deadworker1234.log'), '')
    const next = watched(place.driver())
    expect(await next.fleet.adopt({ workerId: 'deadworker1234', handle: stranger.handle })).toBe(false)
    await next.fleet.adopt(stranger)
    await next.fleet.sweep()
    expect(place.lives(stranger)).toBe(true)
    expect(readdirSync(workers).filter((name) => name.startsWith('deadworker'))).toEqual([])
  })

  for (const content of ['', 'x', '-1', '0', '1', '999999999']) {
    it(`a pid file that holds ${JSON.stringify(content)} is no worker and ends nobody`, async () => {
      const { place, fleet } = setup()
      writeFileSync(join(place.folder, 'workers', 'broken12345678.pid'), content)
      expect(await fleet.adopt({ workerId: 'broken12345678', handle: '{}' })).toBe(false)
      await fleet.sweep()
      expect(readdirSync(join(place.folder, 'workers'))).toEqual([])
    })
  }

  it('leaves no file behind', async () => {
    const { place, fleet, exits } = setup()
    const { workerId } = await fleet.start(specOf(place.command([{ print: 'a' }])))
    await fleet.start(specOf(place.command([{ exit: 1 }])))
    await fleet.stop(workerId, 0)
    await until(() => expect(exits.length).toBe(2))
    expect(readdirSync(join(place.folder, 'workers'))).toEqual([])
  })

  it('endless output stays bounded on the disk, and the worker can be stopped', async () => {
    const { place, fleet, lines } = setup()
    const rounds = join(place.folder, 'rounds')
    const log = join(place.folder, 'workers', '$RUNPOD_POD_ID.log')
    // An unbridled writer fills the disk as fast as it can where nobody comes to look for a moment.
    const command = place.script(`while :; do
      yes | head -c ${ROUND_BYTES}
      printf . >>'${rounds}'
      while [ "$(wc -c <"${log}")" -gt ${PAUSE_BYTES} ]; do sleep 0.01; done
    done`)
    const { workerId } = await fleet.start(specOf(command))
    await until(() => expect(lines(workerId).length).toBeGreaterThan(10_000))
    // It goes on beyond what the file may hold only because the file is emptied again and again.
    await until(() => expect(statSync(rounds).size).toBeGreaterThan(ROUNDS))
    await fleet.stop(workerId, GRACE_MS)
    expect(readdirSync(join(place.folder, 'workers'))).toEqual([])
  })

  it('a line without an end is given out in pieces and not held for ever', async () => {
    const { place, fleet, lines } = setup()
    const written = join(place.folder, 'written')
    const script = `head -c 3000000 /dev/zero | tr '\\0' x; : >'${written}'; sleep 600`
    const { workerId } = await fleet.start(specOf(place.script(script)))
    await until(() => expect(lines(workerId).join('').length).toBeGreaterThanOrEqual(2_000_000))
    await until(() => expect(existsSync(written)).toBe(true))
    await fleet.stop(workerId, 0)
    expect(lines(workerId).join('')).toBe('x'.repeat(3_000_000))
  })

  it('the environment of the service does not reach a worker where it names keys or other services', async () => {
    const { place, fleet, lines } = setup()
    process.env.SVC_API_KEY = 'a key of somebody'
    try {
      const { workerId } = await fleet.start(specOf(place.script('test -n "$PATH" && echo "key: $SVC_API_KEY"')))
      await until(() => expect(lines(workerId)).toEqual(['key: ']))
    } finally {
      delete process.env.SVC_API_KEY
    }
  })
})

describe('a worker that cannot start', () => {
  const failures: readonly [string, object, RegExp][] = [
    [
      'a handler file that is missing',
      { handler: '/nowhere/handler.py' },
      /^the handler file \/nowhere\/handler\.py does not exist$/,
    ],
    ['a folder that is missing', { command: 'true', cwd: '/nowhere' }, /^the working folder \/nowhere does not exist$/],
    ['neither a handler nor a command', {}, /neither a handler nor a command/],
  ]
  for (const [what, more, reason] of failures) {
    it(`because of ${what} is refused with a reason`, async () => {
      const { fleet, exits } = setup()
      await expect(fleet.start(specOf(undefined, more))).rejects.toThrow(reason)
      expect([fleet.list(), exits]).toEqual([[], []])
    })
  }

  it('because there is no such interpreter says so in its output', async () => {
    const { place, fleet, lines, exits } = setup()
    const handler = join(place.folder, 'handler.py')
    writeFileSync(handler, '')
    const { workerId } = await fleet.start(specOf(undefined, { handler, python: 'no-such-python' }))
    await until(() => expect(exits).toMatchObject([{ workerId, code: 127 }]))
    expect(lines(workerId).join('\n')).toMatch(/no-such-python.*not found/)
  })

  it('because its command is not there says so in its output', async () => {
    const { fleet, lines, exits } = setup()
    const { workerId } = await fleet.start(specOf('no-such-command --flag'))
    await until(() => expect(exits).toMatchObject([{ workerId, code: 127 }]))
    expect(lines(workerId).join('\n')).toMatch(/no-such-command.*not found/)
  })
})

describe('svc_worker', () => {
  // Nobody answers there: the worker waits for its service.
  const env = {
    RUNPOD_WEBHOOK_GET_JOB: 'http://127.0.0.1:9/v2/e/job-take/$ID?w=1',
    RUNPOD_WEBHOOK_POST_OUTPUT: 'http://127.0.0.1:9/v2/e/job-done/$RUNPOD_POD_ID/$ID?w=1',
    RUNPOD_WEBHOOK_POST_STREAM: 'http://127.0.0.1:9/v2/e/job-stream/$RUNPOD_POD_ID/$ID?w=1',
    RUNPOD_WEBHOOK_PING: 'http://127.0.0.1:9/v2/e/ping/$RUNPOD_POD_ID?w=1',
    RUNPOD_AI_API_KEY: 'x',
  }

  function withHandler(source: string) {
    const service = setup()
    const handler = join(service.place.folder, 'handler.py')
    writeFileSync(handler, source)
    return { ...service, spec: specOf(undefined, { handler, env }) }
  }

  it('runs a handler file in its own folder, with its environment', async () => {
    const source = 'import os\nprint(os.getcwd(), os.environ["RUNPOD_POD_ID"], flush=True)\ndef handler(job):\n  pass\n'
    const { place, fleet, lines, spec } = withHandler(source)
    const { workerId } = await fleet.start(spec)
    await until(() => expect(lines(workerId).join('\n')).toContain(`${place.folder} ${workerId}`))
    await fleet.stop(workerId, 5000)
  })

  it('ends by itself when it is told to stop', async () => {
    const { fleet, lines, exits, spec } = withHandler('print("up", flush=True)\ndef handler(job):\n  pass\n')
    const { workerId } = await fleet.start(spec)
    await until(() => expect(lines(workerId).join('\n')).toContain('up'))
    await fleet.stop(workerId, PATIENCE_MS)
    expect(exits[0]?.signal).not.toBe('SIGKILL')
  })

  it('says why a handler file cannot be loaded', async () => {
    const { fleet, lines, exits, spec } = withHandler('import no_such_module\n')
    const { workerId } = await fleet.start(spec)
    await until(() => expect(exits.length).toBe(1))
    expect(exits[0]?.code).not.toBe(0)
    expect(lines(workerId).join('\n')).toContain("ModuleNotFoundError: No module named 'no_such_module'")
  })
})

it('a handler in TypeScript is run by the Node of the service in its own folder, without what belongs to the service', async () => {
  const { place, fleet, lines, exits } = setup()
  const handler = join(place.folder, 'handler.ts')
  const code = `type Nothing = { never: true }
    console.log(process.cwd(), process.version, process.env.NODE_OPTIONS)
    export const handler = (job: Nothing) => job`
  writeFileSync(handler, code)
  process.env.NODE_OPTIONS = '--no-such-flag'
  const env = {
    RUNPOD_WEBHOOK_GET_JOB: 'http://127.0.0.1:9/v2/e/job-take/$ID?w=1',
    RUNPOD_WEBHOOK_POST_OUTPUT: 'http://127.0.0.1:9/v2/e/job-done/$RUNPOD_POD_ID/$ID?w=1',
    RUNPOD_WEBHOOK_POST_STREAM: 'http://127.0.0.1:9/v2/e/job-stream/$RUNPOD_POD_ID/$ID?w=1',
    RUNPOD_WEBHOOK_PING: 'http://127.0.0.1:9/v2/e/ping/$RUNPOD_POD_ID?w=1',
  }
  try {
    const { workerId } = await fleet.start(specOf(undefined, { handler, env }))
    await until(() => expect(lines(workerId).join('\n')).toContain(`${place.folder} ${process.version} undefined`))
    await fleet.stop(workerId, PATIENCE_MS)
    expect(exits[0]?.signal).not.toBe('SIGKILL')
  } finally {
    delete process.env.NODE_OPTIONS
  }
})
