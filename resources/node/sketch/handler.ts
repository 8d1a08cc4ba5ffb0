/**
 * The stand-in image worker: it runs image workflows without a model. Noise, schedules and samplers are real; what they
 * reveal is a picture painted from the words of the prompt. See README.md.
 */
import { writeJson } from '../../../src-main/domain/workflow/json/value.ts'
import { readPayloadNodes } from '../../../src-main/domain/workflow/payload.ts'
import type { Problem } from '../../../src-main/domain/workflow/problem.ts'
import { validate } from '../../../src-main/domain/workflow/validate.ts'
import type { Context, Job } from '../svc-worker/handler.ts'
import { readClasses } from './classes.ts'
import { createCache } from './graph/cache.ts'
import { NodeError } from './graph/node-error.ts'
import { type Progress, runGraph } from './graph/run-graph.ts'
import { writePng } from './raster/write-picture.ts'
import { type ImageJob, InputError, readJob } from './read-job.ts'
import type { Raster } from './values.ts'

/** One job at a time: it computes. */
export const concurrency = 1

const STAND_IN = 'Made by the sketch worker of Drydock: a stand-in without a model.'

// Shortest time between two updates, and between two previews, in ms. Source: ours; several a second are smooth.
const UPDATE_MS = 50
const PREVIEW_MS = 180
const PROBLEMS_TOLD = 20
// Past so many nodes the list of those that are done is long, and is not told for each of them.
const NODES_MANY = 500
// Of all pictures of a job, as base64. Source: limits, resultBodyBytes, less what stands around them.
const RESULT_MAX = 20 * 1024 * 1024 - 65_536

const types = readClasses()
const cache = createCache()
let saved = 0

/** Runs a workflow. @returns the pictures, or the error with the node, the class and the input that it is about */
export async function handler({ inputText }: Job, { signal, progress }: Context): Promise<unknown> {
  try {
    return await draw(readJob(inputText), signal, progress)
  } catch (error) {
    if (error instanceof InputError) return { error: { message: error.message } }
    if (error instanceof NodeError)
      return { error: { message: error.message, node: error.node, class: error.classType, input: error.input } }
    throw error
  }
}

type Image = { readonly filename: string; readonly type: 'base64'; readonly data: string; readonly node: string }

async function draw(
  { workflow, files }: ImageJob,
  signal: AbortSignal,
  progress: Context['progress'],
): Promise<unknown> {
  const problems = validate(workflow, types).filter(({ severity }) => severity === 'error')
  const nodes = new Map(readPayloadNodes(workflow).map((node) => [node.id, node]))
  const [first] = problems
  if (first !== undefined) return { error: refusal(first, problems, (id) => nodes.get(id)?.classType) }
  const images: Image[] = []
  const notes = new Set([STAND_IN])
  const prompt = writeJson(workflow)
  let given = 0

  async function show(node: string, raster: Raster, prefix: string, isPreview: boolean): Promise<void> {
    saved += 1
    const bytes = await writePng(raster, { prompt, Comment: STAND_IN, Software: 'Drydock sketch' }, signal)
    const base = isPreview ? 'preview' : (prefix.split(/[\\/]/).at(-1) ?? '').replace(/[^\w .-]+/g, '_') || 'sketch'
    const data = Buffer.from(bytes).toString('base64')
    given += data.length
    if (given > RESULT_MAX)
      throw new Error('The pictures of a job may have 20 MiB in total. Save fewer or smaller ones.')
    const filename = `${base}_${String(saved).padStart(5, '0')}_.png`
    images.push({ filename, type: 'base64', data, node })
  }

  await runGraph({
    nodes,
    types,
    files,
    cache,
    signal,
    show,
    onProgress: throttled(progress),
    note: (text) => notes.add(text),
  })
  return { images, notes: [...notes] }
}

/** The first error, as the error of the job; the others are told with it. */
function refusal(first: Problem, problems: readonly Problem[], classOf: (id: string) => string | undefined) {
  const { message, node, input } = first
  const where = node === undefined ? {} : { node, class: classOf(node), input }
  return { message, ...where, problems: problems.slice(0, PROBLEMS_TOLD) }
}

/** Each new node at once, steps and previews of one only so often. */
function throttled(progress: Context['progress']): (update: Progress) => void {
  let [node, toldAt, shownAt] = ['', 0, performance.now()]
  return ({ preview, ...update }) => {
    const now = performance.now()
    const isNew = update.node !== node
    if (isNew && update.done.length > NODES_MANY && now - toldAt < UPDATE_MS) return
    if (!isNew && update.step < update.steps && now - toldAt < UPDATE_MS) return
    node = update.node
    toldAt = now
    const isShown = preview !== undefined && (update.step === update.steps || now - shownAt >= PREVIEW_MS)
    if (isShown) shownAt = now
    progress({ ...update, ...(isShown ? { preview: { node: update.node, data: preview() } } : {}) })
  }
}
