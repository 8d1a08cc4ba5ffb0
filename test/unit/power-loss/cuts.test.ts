import { expect, test } from 'vitest'
import { chooseFor, planCuts } from '../../soak/power-loss/cuts.ts'
import { createDisk, type PendingChange } from '../../soak/power-loss/disk-model.ts'
import { OPENED, type TraceRecord } from '../../soak/power-loss/trace.ts'

const RECORDS = 10_000

test('cuts go over the whole trace in its order, every kind in each part of it, and a seed repeats them', () => {
  const cuts = planCuts({ records: RECORDS, cuts: 500, seed: 7 })
  expect(cuts).toHaveLength(500)
  expect(cuts.map(({ at }) => at)).toEqual(cuts.map(({ at }) => at).toSorted((one, other) => one - other))
  for (let part = 0; part < 10; part += 1) {
    const within = cuts.filter(({ at }) => Math.floor((at - 1) / (RECORDS / 10)) === part)
    expect(new Set(within.map(({ kind }) => kind)).size).toBe(7)
  }
  expect(planCuts({ records: RECORDS, cuts: 500, seed: 7 })).toEqual(cuts)
  expect(planCuts({ records: RECORDS, cuts: 500, seed: 8 })).not.toEqual(cuts)
})

test('a change has one fate however often it is asked for, and the same in a repeated run', () => {
  const changes = pendingChanges()
  expect(changes).toHaveLength(41)
  const cut = { at: 42, kind: 'some', seed: 99 } as const
  const choose = chooseFor(cut)
  const kinds = () => changes.map((change) => kindOf(choose(change)))
  const first = kinds()
  expect(kinds()).toEqual(first)
  const again = chooseFor(cut)
  expect(changes.map((change) => kindOf(again(change)))).toEqual(first)
  expect(new Set(first).size).toBeGreaterThan(2)
})

const kindOf = (fate: ReturnType<ReturnType<typeof chooseFor>>) => (typeof fate === 'string' ? fate : 'torn')

/** A new file and 40 writes to it. */
function pendingChanges(): readonly PendingChange[] {
  const disk = createDisk()
  const base = {
    id: 1n,
    ns: 0n,
    file: 2,
    at: 0,
    path: 'a',
    other: '',
    size: 0,
    bytes: Buffer.from('x'),
  } satisfies Partial<TraceRecord>
  disk.apply({ ...base, kind: 'open', at: OPENED.isNew })
  for (let n = 0; n < 40; n += 1) disk.apply({ ...base, kind: 'write', id: BigInt(n + 2), at: n })
  const found: PendingChange[] = []
  const { files } = disk.afterCut((change) => {
    found.push(change)
    return 'kept'
  })
  return [...found, ...files.flatMap(({ file }) => file.pending)]
}
