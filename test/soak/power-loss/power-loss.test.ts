/**
 * docs/spec/targets.md, 2.5: the power is cut at any moment of mixed work. Everything that somebody was told is there, and
 * nothing twice. disk-model.ts says what a disk may have lost. POWER_LOSS_SECONDS: how long clients work;
 * POWER_LOSS_SEED repeats the choices of a run, although no two services write the same.
 */
import { writeSync } from 'node:fs'
import { expect, test } from 'vitest'
import { servedService } from '../../support/served-service.ts'
import { recordSafety, soakRuns } from '../support/record-safety.ts'
import { checkCuts, findUnrecorded } from './check-recording.ts'
import { FAULTS, type Fault } from './faults.ts'
import { buildRecorder, recordService } from './record-service.ts'
import { startAfterCuts } from './start-after-cuts.ts'

// Source: docs/spec/targets.md, 2.5.
const CUTS = 5000
const SECONDS = Number(process.env.POWER_LOSS_SECONDS ?? 16)
const SEED = Number(process.env.POWER_LOSS_SEED ?? Date.now() % 2 ** 32)
// Of a recording.
const PARTS = 4
// A planted fault is found within the first few; the first cut that finds it ends its search.
const CUTS_OF_A_FAULT = 300
// Of so many cuts one on whose disk the whole service is started; the others are looked at by its storage.
const EACH_START = 400
// Ten minutes on two cores that have nothing else to do, in ms.
const LIMIT_MS = 30 * 60_000

const say = (text: string) => void writeSync(1, `power loss: ${text}\n`)

test('5: power is cut', { timeout: LIMIT_MS }, async ({ skip }) => {
  const service = servedService()
  const recorder = buildRecorder(service.folder)
  if ('why' in recorder) return skip(true, recorder.why)
  const recording = await recordService(recorder.library, service, (SECONDS * 1000) / PARTS)
  expect(findUnrecorded(recording)).toEqual([])
  say(`seed ${SEED}`)

  const { cuts, losses, ...figures } = await checkCuts(recording, { cuts: soakRuns(CUTS), seed: SEED })
  for (const { cut, problems } of losses.slice(0, 20)) say(`${JSON.stringify(cut)}: ${problems.join('; ')}`)
  expect(losses.length).toBe(0)
  const starts = Math.ceil(cuts / EACH_START)
  expect(await startAfterCuts(recording, { starts, seed: SEED })).toEqual([])

  const missed: string[] = []
  for (const fault of Object.keys(FAULTS) as Fault[]) {
    const [first] = (await checkCuts(recording, { cuts: CUTS_OF_A_FAULT, seed: SEED, fault })).losses
    say(`planted in ${fault}: ${first === undefined ? 'not found' : first.problems[0]}`)
    if (first === undefined) missed.push(fault)
  }
  expect(missed).toEqual([])
  recordSafety({
    row: 5,
    runs: cuts,
    of: CUTS,
    more: { ...figures, starts, planted: Object.keys(FAULTS).length, seed: SEED },
  })
})
