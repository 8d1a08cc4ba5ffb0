import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encode as encodeJpeg } from 'jpeg-js'
import { usageError } from '../../../../app/cli/cli-error.ts'
import { following } from '../../../../app/cli/interrupt.ts'
import type { RunView } from '../../../../contract/workflows.ts'
import { type JsonObject, writeJson } from '../../../../lib/json/value.ts'
import { isShown, mediaTypeOf } from '../../../../lib/media.ts'
import { readPixels } from '../../../../lib/node/pixels.ts'
import type { Pixels } from '../../../comparisons/rules/outputs.ts'
import type { NodeTypes } from '../../rules/node-types.ts'
import { suggestParameter } from '../../rules/publish/graph-form.ts'
import { readAxis, type SweepAxis, type SweepKind, sweepCount, sweepRuns } from '../../rules/publish/sweep.ts'
import { drawSheet, layoutSheet, sheetHeading, sheetSvg } from '../../rules/publish/sweep-sheet.ts'
import { evaluateGraph } from './check-graph.ts'
import { readClassesOf } from './read-classes.ts'
import { readGraphFile, titleOf } from './read-graph-file.ts'
import { followRun, prepareRun, type RunDeps, randomWhole } from './run-graph.ts'
import { type SavedResult, saveResults, writeNew } from './save-results.ts'
import { sendFiles } from './send-files.ts'
import { type Setting, setInPayload } from './set-values.ts'

export type FileToSweep = {
  readonly file: string
  readonly endpointId: string
  readonly over: readonly Setting[]
  readonly kind: SweepKind
  readonly folder: string
}

export type Swept = { readonly sweepId: string; readonly runs: readonly SweptRun[]; readonly sheet: string }

/** Limit of runs in a sweep. Source: ours, because nobody reads a longer sheet. */
const MOST_RUNS = 500

export async function sweepFile(
  { client, output, surroundings, show }: RunDeps,
  { file, endpointId, over, kind, folder }: FileToSweep,
): Promise<Swept> {
  const graph = await readGraphFile(file, surroundings)
  const types = await readClassesOf(client, endpointId)
  const prepared = prepareRun(graph, [], { types, now: surroundings.now(), random: randomWhole })
  await evaluateGraph(graph, prepared, { client, output })
  const axes = over.map((setting) => axisOf(prepared.payload, types, setting))
  const count = sweepCount(axes, kind)
  if (count > MOST_RUNS) throw usageError(`These values make ${count} runs, and the limit is ${MOST_RUNS}.`)
  const renamed = await sendFiles(client, prepared.payload, { types, folders: [graph.folder, surroundings.cwd] })
  const base = setInPayload(prepared.payload, renamed, types)
  const sweepId = randomBytes(8).toString('hex')
  const title = titleOf(graph)
  const queued: RunView[] = []
  const runs: SweptRun[] = []
  const continues = () =>
    `Sweep ${sweepId} continues with ${queued.length} of ${count} runs; \`drydock workflow sweeps\` shows it, \`drydock workflow sweeps cancel ${sweepId}\` cancels it.`
  await following(continues, { output, surroundings }, async () => {
    for (const { payload, label, cell } of sweepRuns(base, axes, kind)) {
      const body = { endpointId, title, sweepId, cell, label: label.slice(0, 500), payload: writeJson(payload) }
      queued.push(await client.call('runCreate', { body }))
    }
    if (!output.json) output.note(`${count} jobs on ${endpointId}`)
    for (const one of queued) {
      const report = (text: string) => show(text === '' ? '' : `${runs.length} of ${count}: ${text}`)
      const run = await followRun(client, one, { show: report, pause: surroundings.pause, nodes: base.size })
      const into = join(folder, folderName(run.label ?? run.id))
      runs.push({ ...run, results: await saveResults(client, { jobId: run.id, results: run.results, folder: into }) })
    }
  })
  return { sweepId, runs, sheet: await writeSheet(runs, title, folder) }
}

function axisOf(payload: JsonObject, types: NodeTypes, { node, input, text }: Setting): SweepAxis {
  const suggestion = suggestParameter(payload, types, { node, input })
  if ('why' in suggestion) throw usageError(suggestion.why)
  const { parameter } = suggestion
  const read = readAxis({ parameter, text })
  const example = ['integer', 'number'].includes(parameter.type)
    ? ' Give a range like 1..4, or a list like 4,7,10.'
    : ''
  if ('why' in read) throw usageError(`--over ${node}.${input}: ${read.why}${example}`)
  return read.axis
}

const NAME_LENGTH = 100

const folderName = (label: string) =>
  label
    .replace(/[^\w.,+ -]+/g, '_')
    .slice(0, NAME_LENGTH)
    .trim() || '_'

// SVG with embedded thumbnails displays everywhere as a single file.

const QUALITY = 85

type SweptRun = Omit<RunView, 'results'> & { readonly results: readonly SavedResult[] }

/**
 * Never overwrites: a new file gets a number.
 * @throws CliError
 */
async function writeSheet(runs: readonly SweptRun[], title: string, folder: string): Promise<string> {
  const sheet = layoutSheet(runs)
  const picture = drawSheet(sheet, sheetHeading(sheet, title))
  const size = picture.pictures[0]?.size ?? 0
  const sources = new Map<string, string>()
  for (const { id, results } of runs) {
    const shown = results.find(({ mediaType }) => mediaType.startsWith('image/') && isShown(mediaType))
    if (shown !== undefined) sources.set(id, smallCopy(await readFile(shown.file), size))
  }
  const svg = sheetSvg(
    picture,
    ({ id }) => sources.get(id),
    ({ results, status }) => results[0]?.filename ?? status,
  )
  return writeNew(folder, 'sheet.svg', new TextEncoder().encode(svg))
}

/** A picture as a data address: a PNG or JPEG is scaled down to `most` px. */
function smallCopy(bytes: Uint8Array, most: number): string {
  const type = mediaTypeOf(bytes)
  try {
    const pixels = readPixels(bytes, type)
    if (pixels !== undefined) {
      const { data } = encodeJpeg(shrink(pixels, most), QUALITY)
      return `data:image/jpeg;base64,${data.toString('base64')}`
    }
  } catch {
    // A viewer may read what these readers do not.
  }
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}

/** Averages the pixels of each target pixel on white. */
function shrink({ width, height, data }: Pixels, most: number): Pixels {
  const scale = Math.min(1, most / Math.max(width, height))
  const small = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
  const into = new Uint8Array(small.width * small.height * 4)
  for (let y = 0; y < small.height; y++)
    for (let x = 0; x < small.width; x++) {
      const [left, right] = [Math.floor((x * width) / small.width), Math.ceil(((x + 1) * width) / small.width)]
      const [top, bottom] = [Math.floor((y * height) / small.height), Math.ceil(((y + 1) * height) / small.height)]
      const sums = [0, 0, 0]
      for (let row = top; row < bottom; row++)
        for (let column = left; column < right; column++) {
          const at = (row * width + column) * 4
          const opacity = (data[at + 3] ?? 255) / 255
          for (const channel of [0, 1, 2])
            sums[channel] = (sums[channel] ?? 0) + (data[at + channel] ?? 0) * opacity + 255 * (1 - opacity)
        }
      const count = (right - left) * (bottom - top)
      const at = (y * small.width + x) * 4
      into.set([...sums.map((sum) => sum / count), 255], at)
    }
  return { ...small, data: into }
}
