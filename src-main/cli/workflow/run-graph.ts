import type { RunResult, RunView } from '../../contract/workflows.ts'
import { writeJson } from '../../domain/workflow/json/write.ts'
import type { ServiceClient } from '../client.ts'
import type { FoundService } from '../find-service.ts'
import type { Output } from '../output.ts'
import type { Surroundings } from '../surroundings.ts'
import { followRun } from './follow-run.ts'
import { prepareRun } from './prepare-run.ts'
import { randomWhole } from './random-whole.ts'
import { readClassesOf } from './read-classes.ts'
import { readGraphFile, titleOf } from './read-graph-file.ts'
import { type SavedResult, saveResults } from './save-results.ts'
import { sendFiles } from './send-files.ts'
import { type Setting, setInPayload } from './set-values.ts'
import { noteProblems, refuseErrors } from './show-problems.ts'

/** What runs a graph. */
export type RunDeps = {
  readonly client: ServiceClient
  readonly service: Pick<FoundService, 'url' | 'key'>
  readonly output: Output
  readonly surroundings: Surroundings
  /** Shows how far it is. */
  readonly show: (text: string) => void
}

/** What is to be run. */
export type GraphToRun = {
  readonly file: string
  readonly endpointId: string
  readonly settings: readonly Setting[]
  /** Where results go; absolute. */
  readonly folder: string
  /** Whether previews are written, too. */
  readonly previews: boolean
}

/** A run with the files that were written of it. */
export type RanGraph = {
  readonly run: RunView
  readonly saved: readonly SavedResult[]
  readonly savedPreviews: readonly SavedResult[]
}

/**
 * Runs a graph: checks it, sends its pictures, queues it, follows it, writes what it gave.
 * @throws CliError, before a job is queued where the graph is wrong
 */
export async function runGraph(
  { client, service, output, surroundings, show }: RunDeps,
  { file, endpointId, settings, folder, previews }: GraphToRun,
): Promise<RanGraph> {
  const graph = await readGraphFile(file, surroundings)
  const types = await readClassesOf(client, endpointId)
  const prepared = prepareRun(graph, settings, { types, now: surroundings.now(), random: randomWhole })
  if (!output.json) noteProblems(output, prepared.problems)
  refuseErrors(graph.name, prepared.problems)
  const folders = [graph.folder, surroundings.cwd]
  const renamed = await sendFiles(client, prepared.payload, { types, folders, named: settings })
  const payload = setInPayload(prepared.payload, renamed, types)
  const title = titleOf(graph)
  const body = { endpointId, payload: writeJson(payload), document: prepared.document, title }
  const queued = await client.call('runCreate', { body })
  if (!output.json) output.note(`job ${queued.id} on ${endpointId}`)
  const {
    payload: _text,
    document: _document,
    ...run
  } = await followRun(client, queued, { show, pause: surroundings.pause, nodes: payload.size })
  const save = (results: readonly RunResult[]) => saveResults(service, { jobId: run.id, results, folder })
  return { run, saved: await save(run.results), savedPreviews: previews ? await save(run.previews ?? []) : [] }
}
