/** Checks the cuts of a recording, in a process for each processor; and that the recording is complete. */
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Checked, Task } from './check-cuts.ts'
import { planCuts } from './cuts.ts'
import { bytesOf, type Choose, createDisk, type Disk } from './disk-model.ts'
import type { Fault } from './faults.ts'
import type { Recording } from './record-service.ts'
import { readTrace } from './trace.ts'

const PROGRAM = fileURLToPath(new URL('check-cuts.ts', import.meta.url))
// A disk in memory, if any: thousands of small disks are written.
const MEMORY = '/dev/shm'

export type Figures = {
  readonly cuts: number
  /** Of the trace: what was written, renamed, synced and so on. */
  readonly records: number
  /** Cuts at which anything was not surely on the disk. */
  readonly withChanges: number
  readonly losses: readonly Checked[]
}

/** Which cuts to check. @param fault planted; then the first loss ends it */
export type Cuts = { readonly cuts: number; readonly seed: number; readonly fault?: Fault }

/** Checks the disk after each cut. */
export async function checkCuts({ trace, notes }: Recording, { cuts, seed, fault }: Cuts): Promise<Figures> {
  const records = readTrace(trace).length
  const all = planCuts({ records, cuts, seed })
  const processes = availableParallelism()
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'drydock-cuts-'))
  try {
    const parts = await Promise.all(
      Array.from({ length: processes }, (_, n) => {
        const mine = all.filter((_cut, index) => index % processes === n)
        const stopAtLoss = fault !== undefined
        return checkPart({ trace, notes, cuts: mine, fault, folder: join(folder, String(n)), stopAtLoss })
      }),
    )
    const checked = parts.flat()
    return {
      cuts: checked.length,
      records,
      withChanges: checked.filter(({ changes }) => changes > 0).length,
      losses: checked.filter(({ problems }) => problems.length > 0),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function checkPart(task: Task): Promise<readonly Checked[]> {
  return new Promise((resolve, reject) => {
    const checked: Checked[] = []
    const child: ChildProcess = fork(PROGRAM, { serialization: 'advanced' })
    child.on('message', (one: Checked) => checked.push(one))
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve(checked) : reject(new Error(checked.at(-1)?.problems[0] ?? `a check ended with ${code}`)),
    )
    child.send(task)
  })
}

/**
 * Compares the disk of the model with the folder as it was seen: a call that was not recorded would leave a difference.
 * @returns files that differ
 */
export function findUnrecorded({ trace, seen }: Recording): readonly string[] {
  const disk = createDisk()
  const records = readTrace(trace)
  let bytes = 0
  let next = 0
  return seen.flatMap(({ data, traceBytes }) => {
    for (; bytes < traceBytes && next < records.length; next += 1) {
      const record = records[next] as (typeof records)[0]
      disk.apply(record)
      bytes += record.size
    }
    return differences(disk, data)
  })
}

const everything: Choose = () => 'kept'
// A kill may have come between the record of a call and the call.
const allThatEnded: Choose = ({ endedAt }) => (endedAt === undefined ? 'lost' : 'kept')

function differences(disk: Disk, data: string): readonly string[] {
  const paths = readdirSync(data, { recursive: true, encoding: 'utf8' })
  const real = new Set(paths.filter((path) => isRecorded(path) && statSync(join(data, path)).isFile()))
  const modelled = [everything, allThatEnded].map((choose) => {
    const { files } = disk.afterCut(choose)
    return new Map(files.map(({ path, file }) => [path, () => bytesOf(file, choose)]))
  })
  const names = [...new Set([...real, ...modelled.flatMap((files) => [...files.keys()])])]
  const contentOf = (path: string) => (real.has(path) ? readFileSync(join(data, path)) : undefined)
  return names
    .filter((path) => !modelled.some((files) => sameBytes(files.get(path)?.(), contentOf(path))))
    .map((path) => join(data, path))
}

const sameBytes = (one: Buffer | undefined, other: Buffer | undefined) =>
  one === undefined || other === undefined ? one === other : one.equals(other)

// Not files that the library leaves out, nor those of workers: the service alone is recorded.
const isRecorded = (path: string) => !/-shm$|^drydock\.lock|^workers\/|__pycache__/.test(path)
