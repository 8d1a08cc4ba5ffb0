/**
 * A process that goes through a trace once, and checks the disk after each of its cuts. It gets a Task as its first
 * message and sends a Checked for each cut.
 */
import { join } from 'node:path'
import { readNotes } from './acknowledgements.ts'
import { checkDisk } from './check-disk.ts'
import { type Cut, chooseFor, createRandom } from './cuts.ts'
import { createDisk } from './disk-model.ts'
import { expectations } from './expected.ts'
import { type Fault, truthOf } from './faults.ts'
import { createStore, layDisk } from './lay-disk.ts'
import { readTrace } from './trace.ts'

/** Cuts are in the order of the trace. */
export type Task = {
  readonly trace: string
  readonly notes: string
  readonly cuts: readonly Cut[]
  readonly fault: Fault | undefined
  /** A folder of this process, in memory. */
  readonly folder: string
  /** Ends with the first cut that loses something. */
  readonly stopAtLoss: boolean
}

/** `changes`: how many were not surely on the disk. */
export type Checked = { readonly cut: Cut; readonly changes: number; readonly problems: readonly string[] }

async function check({ trace, notes, cuts, fault, folder, stopAtLoss }: Task, tell: (checked: Checked) => void) {
  const records = readTrace(trace)
  const expectedAt = expectations(readNotes(notes))
  const disk = createDisk(truthOf(fault))
  const store = createStore(join(folder, 'settled'))
  const data = join(folder, 'data')
  let at = 0
  for (const cut of cuts) {
    for (; at < cut.at; at += 1) disk.apply(records[at] as (typeof records)[0])
    const choose = chooseFor(cut)
    layDisk(data, disk.afterCut(choose), choose, store)
    const after = records[cut.at] ?? records[records.length - 1]
    const problems = await checkDisk(data, expectedAt(after?.ns ?? 0n), createRandom(cut.seed))
    tell({ cut, changes: disk.pending(), problems })
    if (stopAtLoss && problems.length > 0) return
  }
}

process.once('message', (task: Task) => {
  check(task, (checked) => process.send?.(checked)).then(
    () => process.disconnect(),
    (error: Error) =>
      process.send?.({ cut: task.cuts[0], changes: 0, problems: [`the check failed: ${error.stack}`] }, () =>
        process.exit(1),
      ),
  )
})
