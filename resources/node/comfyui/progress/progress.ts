/**
 * The progress of a prompt, from the messages of the server. Source: docs/spec/image-workflows.md, 5;
 * docs/spec/comfyui.md, 6.
 */
import { asText } from '../../../../src-main/lib/json/plain.ts'
import { arrayAt, asDouble, isObject, type JsonObject } from '../../../../src-main/lib/json/value.ts'
import { type ServerMessage, textIn } from './server-message.ts'

export type Progress = {
  readonly node: string | undefined
  readonly step: number | undefined
  readonly steps: number | undefined
  readonly done: ReadonlySet<string>
  readonly cached: ReadonlySet<string>
  /** All nodes of the payload: a server also reports nodes created by other nodes. */
  readonly known: ReadonlySet<string>
  readonly tellsStates: boolean
}

export function nothingDone(ids: Iterable<string>): Progress {
  return {
    node: undefined,
    step: undefined,
    steps: undefined,
    done: new Set(),
    cached: new Set(),
    known: new Set(ids),
    tellsStates: false,
  }
}

export function advance(progress: Progress, { type, data }: ServerMessage): Progress {
  switch (type) {
    case 'execution_cached':
      return markDone(progress, arrayAt(data, 'nodes').map(asText), true)
    case 'executing':
      return enter(progress, textIn(data, 'display_node') ?? textIn(data, 'node'))
    case 'executed':
      return markDone(progress, [textIn(data, 'display_node') ?? textIn(data, 'node')], false)
    case 'progress':
      return atStep(progress, textIn(data, 'node') ?? progress.node, data)
    case 'progress_state':
      return takeStates(progress, data)
    default:
      return progress
  }
}

export function progressValue({ node, step, steps, done, cached }: Progress): Readonly<Record<string, unknown>> {
  return {
    ...(node === undefined ? {} : { node }),
    ...(step === undefined || steps === undefined ? {} : { step, steps }),
    done: [...done],
    ...(cached.size === 0 ? {} : { cached: [...cached] }),
  }
}

// An older server works on one node at a time and reports its start: the previous one has ended.
function enter(progress: Progress, node: string | undefined): Progress {
  if (node === progress.node) return progress
  const left = progress.tellsStates ? progress : markDone(progress, [progress.node], false)
  return { ...left, node, step: undefined, steps: undefined }
}

function markDone(progress: Progress, nodes: readonly (string | undefined)[], cached: boolean): Progress {
  const added = nodes
    .filter((node) => node !== undefined)
    .filter((node) => progress.known.has(node) && !progress.done.has(node))
  if (added.length === 0) return progress
  return {
    ...progress,
    done: new Set([...progress.done, ...added]),
    cached: cached ? new Set([...progress.cached, ...added]) : progress.cached,
  }
}

function atStep(progress: Progress, node: string | undefined, data: JsonObject): Progress {
  const [step, steps] = [asDouble(data.get('value')), asDouble(data.get('max'))]
  // One step is no progress bar: the server reports it for nodes that count none.
  if (node === undefined || step === undefined || steps === undefined || steps <= 1) return progress
  return { ...progress, node, step, steps }
}

function takeStates(progress: Progress, data: JsonObject): Progress {
  const nodes = data.get('nodes')
  if (!isObject(nodes)) return progress
  let next: Progress = progress.tellsStates ? progress : { ...progress, tellsStates: true }
  for (const [id, state] of nodes) {
    if (!isObject(state)) continue
    // A node created by another is shown as that one, but does not end it.
    const shown = textIn(state, 'display_node_id') ?? id
    const said = textIn(state, 'state')
    if (said === 'finished' && shown === id) next = markDone(next, [id], false)
    if (said === 'running') next = atStep(next, shown, state)
  }
  return next
}
