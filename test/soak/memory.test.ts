/**
 * Half an hour of all that people do with a service, 75 requests a second: its memory does not grow, and is given back
 * when the load has ended. MEMORY_MINUTES makes it shorter for a look.
 */
import { writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLoadedEndpoints, mixedLoad } from '../support/mixed-load.ts'
import { residentMb } from '../support/resident-memory.ts'
import { startedService } from '../support/served-service.ts'
import { targetOf } from '../support/web-client.ts'
import { soakRuns } from './support/record-safety.ts'

const MINUTES = Number(process.env.MEMORY_MINUTES ?? soakRuns(30))
// The part at the end that must be flat.
const FLAT_PART = 1 / 3
const LOOKS_A_MINUTE = 12
// Source: ours, the largest and the smallest mean of a minute.
const FLAT_WITHIN = 1.05
const REST_MB = 200
const LIMIT_MS = (MINUTES + 5) * 60_000

test('memory stays flat under half an hour of mixed load, and is given back after it', {
  timeout: LIMIT_MS,
}, async () => {
  const service = await startedService()
  const { pid } = service.serviceFile()
  await createLoadedEndpoints(service)

  const atRest = residentMb(pid)
  const load = mixedLoad(targetOf(service))
  const minutes: number[] = []
  for (let minute = 0; minute < MINUTES; minute += 1) {
    let sum = 0
    for (let look = 0; look < LOOKS_A_MINUTE; look += 1) {
      await pause(60_000 / LOOKS_A_MINUTE)
      sum += residentMb(pid)
    }
    minutes.push(Math.round(sum / LOOKS_A_MINUTE))
  }
  const { answered, refused } = await load.stop()
  await pause(60_000)
  const after = Math.round(residentMb(pid))

  const last = minutes.slice(-Math.ceil(MINUTES * FLAT_PART))
  const figures = { atRest: Math.round(atRest), minutes, after, answered, aSecond: Math.round(answered / MINUTES / 60) }
  writeSync(1, `memory: ${JSON.stringify(figures)}\n`)
  expect(refused).toEqual([])
  expect(Math.max(...last) / Math.min(...last)).toBeLessThanOrEqual(FLAT_WITHIN)
  expect(after).toBeLessThanOrEqual(REST_MB)
})
