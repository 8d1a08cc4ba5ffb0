import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Heard, ListenOrder } from '../programs/listen.ts'
import { bounded, type Row } from '../report.ts'
import { openConnection, requestBytes } from '../support/connection.ts'
import { withFolder } from '../support/folders.ts'
import { growthRows, p50InTurn, withSizes } from '../support/growth.ts'
import { machineMs } from '../support/machine-time.ts'
import { type Program, startProgram } from '../support/programs.ts'
import { createWarmEndpoint, type Service, startService } from '../support/service.ts'

const ID = 'heard'
const SIZES = [10, 1000]
const BODY = '{"input":{"prompt":"a ship in a dry dock"}}'
// Jobs one after the other, and how far apart: more than any person would follow.
const CALLS = 100
const APART_MS = 25
// Submitted, claimed, completed.
const EVENTS_OF_JOB = 3
const JOBS = 50
// Until all have heard of all of them; source: ours, what a person takes for at once.
const MOST_MS = 1000

type Side = { readonly service: Service; readonly listeners: Program }

/** 10 and 1,000 listeners of /events: what they cost those who submit, and how soon all have heard. */
export function growthListeners(rounds: number): Promise<readonly Row[]> {
  return withFolder((folder) =>
    withSizes(
      SIZES,
      (size) => openSide(join(folder, String(size)), size),
      async (sides) => {
        const p50 = await p50InTurn(rounds, sides, ({ service }) => runsyncs(service))
        const heard = await p50InTurn(rounds, sides, async (side) => [await untilAllHeard(side)])
        const what = `${JOBS} jobs at once, until each of ${SIZES.at(-1)} listeners has their events`
        return [
          ...growthRows((size) => `runsync with ${size} listeners of /events, p50`, sides, p50, 'ms'),
          bounded(what, heard.at(-1) ?? Number.NaN, MOST_MS, 'ms'),
        ]
      },
    ),
  )
}

async function openSide(folder: string, size: number): Promise<Side & { readonly close: () => Promise<void> }> {
  const service = await startService(folder)
  await createWarmEndpoint(service, ID)
  const listeners = await startProgram('listen')
  await listeners.ask<Heard>({ port: service.port, auth: service.auth, listeners: size } satisfies ListenOrder)
  return {
    service,
    listeners,
    async close() {
      await listeners.stop()
      await service.stop()
    },
  }
}

const request = ({ port, auth }: Service) => requestBytes('POST', `/v2/${ID}/runsync`, port, [auth], BODY)

async function runsyncs(service: Service): Promise<readonly number[]> {
  const connection = await openConnection(service.port)
  const samples: number[] = []
  for (let n = 0; n < CALLS; n++) {
    await pause(APART_MS)
    const start = performance.now()
    await connection.send(request(service))
    samples.push(performance.now() - start)
  }
  connection.close()
  return samples
}

async function untilAllHeard({ service, listeners }: Side): Promise<number> {
  const before = (await listeners.ask<Heard>('heard')).events
  const start = machineMs()
  const connection = await openConnection(service.port)
  for (let n = 0; n < JOBS; n++) await connection.send(request(service))
  connection.close()
  for (;;) {
    const { events, at } = await listeners.ask<Heard>('heard')
    if (events - before >= JOBS * EVENTS_OF_JOB) return at - start
    await pause(10)
  }
}
