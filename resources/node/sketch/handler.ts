import { readFileSync } from 'node:fs'
import { readClassesFile } from '../../../src-main/features/workflows/rules/classes-file.ts'
import {
  type NodeTypes,
  type ProposedLists,
  readNodeTypes,
  withLists,
} from '../../../src-main/features/workflows/rules/node-types.ts'
import { readPayloadNodes } from '../../../src-main/features/workflows/rules/payload.ts'
import type { Problem } from '../../../src-main/features/workflows/rules/problem.ts'
import { validate } from '../../../src-main/features/workflows/rules/validate.ts'
import { writeJson } from '../../../src-main/lib/json/value.ts'
import type { Context, Job } from '../svc-worker/handler.ts'
import { NodeError, type Picture } from './inputs.ts'
import { pngOf } from './paint.ts'
import { InputError, readJob } from './read-job.ts'
import { type Progress, runGraph } from './run-graph.ts'

/** One job at a time, like a worker with a model. */
export const concurrency = 1

const STAND_IN = 'Made by the sketch worker of Drydock: a stand-in without a model.'

// ms between two updates or previews. Source: ours; several a second are smooth.
const UPDATE_MS = 50
const PREVIEW_MS = 180
const PROBLEMS_TOLD = 20
// Above this number of nodes, the list of finished ones is too long to send for each node.
const NODES_MANY = 500
// Of all pictures of a job, as base64. Source: limits, resultBodyBytes, less the rest of the body.
const RESULT_MAX = 20 * 1024 * 1024 - 65_536

const types = readClasses()
let saved = 0

/** @returns the pictures, or an error with its node, class and input */
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

async function draw(
  { workflow, files }: ReturnType<typeof readJob>,
  signal: AbortSignal,
  progress: Context['progress'],
) {
  const problems = validate(workflow, types).filter(({ severity }) => severity === 'error')
  const nodes = new Map(readPayloadNodes(workflow).map((node) => [node.id, node]))
  const [first] = problems
  if (first !== undefined) return { error: refusal(first, problems, (id) => nodes.get(id)?.classType) }
  const images: { filename: string; type: 'base64'; data: string; node: string }[] = []
  const notes = new Set([STAND_IN])
  const prompt = writeJson(workflow)
  let given = 0

  function save(node: string, picture: Picture, prefix: string): void {
    saved += 1
    const bytes = pngOf(picture, { prompt, Comment: STAND_IN, Software: 'Drydock sketch' })
    const base = (prefix.split(/[\\/]/).at(-1) ?? '').replace(/[^\w .-]+/g, '_') || 'sketch'
    const data = Buffer.from(bytes).toString('base64')
    given += data.length
    if (given > RESULT_MAX)
      throw new Error('The pictures of a job may have 20 MiB in total. Save fewer or smaller ones.')
    images.push({ filename: `${base}_${String(saved).padStart(5, '0')}_.png`, type: 'base64', data, node })
  }

  const onProgress = throttled(progress)
  await runGraph({ nodes, types, files, signal, save, onProgress, note: (text) => notes.add(text) })
  return { images, notes: [...notes] }
}

function refusal(first: Problem, problems: readonly Problem[], classOf: (id: string) => string | undefined) {
  const { message, node, input } = first
  const where = node === undefined ? {} : { node, class: classOf(node), input }
  return { message, ...where, problems: problems.slice(0, PROBLEMS_TOLD) }
}

/**
 * Reports each new node at once, its steps and previews less often. Every report has the latest preview, since polling
 * clients see only the last one.
 */
function throttled(progress: Context['progress']): (update: Progress) => void {
  let [node, toldAt, shownAt] = ['', 0, performance.now()]
  let shown: { readonly node: string; readonly data: string } | undefined
  return ({ preview, ...update }) => {
    const now = performance.now()
    const isNew = update.node !== node
    if (isNew && update.done.length > NODES_MANY && now - toldAt < UPDATE_MS) return
    if (!isNew && update.step < update.steps && now - toldAt < UPDATE_MS) return
    node = update.node
    toldAt = now
    if (preview !== undefined && (update.step === update.steps || now - shownAt >= PREVIEW_MS)) {
      shownAt = now
      shown = { node: update.node, data: preview() }
    }
    progress({ ...update, ...(shown === undefined ? {} : { preview: shown }) })
  }
}

// There are no weights: any name is accepted, and changes the colours a little.
function readClasses(): NodeTypes {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  const { classes, lists } = JSON.parse(read('classes.json')) as {
    readonly classes: readonly string[]
    readonly lists: ProposedLists
  }
  const all = readClassesFile(read('../../node-types.json'))
  if (typeof all === 'string') throw new Error(`node-types.json ${all}`)
  const own = new Map([...all.classes].filter(([name]) => classes.includes(name)))
  const types = readNodeTypes(withLists(own, lists))
  const missing = classes.filter((name) => !types.has(name))
  if (missing.length > 0) throw new Error(`node-types.json has no ${missing.join(', ')}`)
  return types
}
