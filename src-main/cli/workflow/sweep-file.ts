import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { RunView } from '../../contract/workflows.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'
import { writeJson } from '../../domain/workflow/json/write.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import { readAxis } from '../../domain/workflow/publish/read-axis.ts'
import { suggestParameter } from '../../domain/workflow/publish/suggest-parameter.ts'
import { type SweepAxis, type SweepKind, sweepCount, sweepRuns } from '../../domain/workflow/publish/sweep.ts'
import { usageError } from '../cli-error.ts'
import { followRun } from './follow-run.ts'
import { prepareRun } from './prepare-run.ts'
import { randomWhole } from './random-whole.ts'
import { readClassesOf } from './read-classes.ts'
import { readGraphFile, titleOf } from './read-graph-file.ts'
import type { RunDeps } from './run-graph.ts'
import { saveResults } from './save-results.ts'
import { sendFiles } from './send-files.ts'
import { type Setting, setInPayload } from './set-values.ts'
import { type SweptRun, writeSheet } from './sheet-file.ts'
import { noteProblems, refuseErrors } from './show-problems.ts'

/** What is to be swept. */
export type FileToSweep = {
  readonly file: string
  readonly endpointId: string
  readonly over: readonly Setting[]
  readonly kind: SweepKind
  /** Where results go; absolute. */
  readonly folder: string
}

/** What a sweep gave; `sheet` is the file with all of it in one picture. */
export type Swept = { readonly sweepId: string; readonly runs: readonly SweptRun[]; readonly sheet: string }

/** Most runs of a sweep. Source: ours, as a sheet of more is not looked at. */
const MOST_RUNS = 500

/** Queues all runs of a sweep, then follows them in order and writes what they gave. @throws CliError */
export async function sweepFile(
  { client, service, output, surroundings, show }: RunDeps,
  { file, endpointId, over, kind, folder }: FileToSweep,
): Promise<Swept> {
  const graph = await readGraphFile(file, surroundings)
  const types = await readClassesOf(client, endpointId)
  const prepared = prepareRun(graph, [], { types, now: surroundings.now(), random: randomWhole })
  if (!output.json) noteProblems(output, prepared.problems)
  refuseErrors(graph.name, prepared.problems)
  const axes = over.map((setting) => axisOf(prepared.payload, types, setting))
  const count = sweepCount(axes, kind)
  if (count > MOST_RUNS) throw usageError(`These values make ${count} runs; at most ${MOST_RUNS} are possible.`)
  const renamed = await sendFiles(client, prepared.payload, { types, folders: [graph.folder, surroundings.cwd] })
  const base = setInPayload(prepared.payload, renamed, types)
  const sweepId = randomBytes(8).toString('hex')
  const title = titleOf(graph)
  const queued: RunView[] = []
  for (const { payload, label, cell } of sweepRuns(base, axes, kind)) {
    const body = { endpointId, title, sweepId, cell, label: label.slice(0, 500), payload: writeJson(payload) }
    queued.push(await client.call('runCreate', { body }))
  }
  if (!output.json) output.note(`${count} jobs on ${endpointId}`)
  const runs: SweptRun[] = []
  for (const one of queued) {
    const tell = (text: string) => show(text === '' ? '' : `${runs.length} of ${count}: ${text}`)
    const run = await followRun(client, one, { show: tell, pause: surroundings.pause, nodes: base.size })
    const into = join(folder, folderName(run.label ?? run.id))
    runs.push({ ...run, results: await saveResults(service, { jobId: run.id, results: run.results, folder: into }) })
  }
  return { sweepId, runs, sheet: await writeSheet(runs, title, folder) }
}

function axisOf(payload: JsonObject, types: NodeTypes, { node, input, text }: Setting): SweepAxis {
  const suggestion = suggestParameter(payload, types, { node, input })
  if ('why' in suggestion) throw usageError(suggestion.why)
  const read = readAxis({ parameter: suggestion.parameter, text })
  if ('why' in read) throw usageError(`--over ${node}.${input}: ${read.why}`)
  return read.axis
}

const NAME_LENGTH = 100

// What may stand in a name on every system.
const folderName = (label: string) =>
  label
    .replace(/[^\w.,+ -]+/g, '_')
    .slice(0, NAME_LENGTH)
    .trim() || '_'
