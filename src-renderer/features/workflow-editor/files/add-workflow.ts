import { Unzlib } from 'fflate'
import { limit } from '../../../../src-main/contract/limits.ts'
import type { GraphOpened, WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { type ByteTools, joined } from '../../../../src-main/features/workflows/rules/metadata/bytes.ts'
import { findGraph } from '../../../../src-main/features/workflows/rules/metadata/find-graph.ts'
import { GRAPH_EXPORT_MARK, isGraphExport } from '../../../../src-main/features/workflows/rules/recognise.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { MIB } from '../../../../src-main/lib/units.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { Caller } from '../../../api-client/client.ts'
import type { AppServices } from '../../../store/app-context.ts'
import { bytes as inBytes } from '../../../ui/format.ts'

export const EMPTY_DOCUMENT = JSON.stringify({
  last_node_id: 0,
  last_link_id: 0,
  nodes: [],
  links: [],
  groups: [],
  config: {},
  extra: {},
  version: 0.4,
})

export function addDraft(client: Caller, name: string, text: string): Promise<WorkflowView> {
  return client.call('workflowCreate', { body: { name: workflowName(name), text, draft: true } })
}

export async function addFiles(client: Caller, files: readonly File[]) {
  const added: WorkflowView[] = []
  const images: { readonly file: File; readonly why: string }[] = []
  const runs: { readonly file: File; readonly name: string }[] = []
  const lacking: string[] = []
  const refused: string[] = []
  for (const file of files) {
    try {
      if (isGraphExport(await file.slice(0, GRAPH_EXPORT_MARK.length).text())) {
        const opened = await client.call('graphOpen', { bytes: file })
        added.push(opened.workflow)
        if (opened.run !== undefined && opened.masked === 0) runs.push({ file, name: opened.workflow.name })
        lacking.push(...whatIsMissing(opened))
        continue
      }
      const found = await findGraphInFile(file)
      if (found.kind === 'graph')
        added.push(await client.call('workflowCreate', { body: { name: found.name, text: found.text } }))
      else if (found.isImage) images.push({ file, why: found.why })
      else refused.push(found.why)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      refused.push(`${file.name}: ${error.message}`)
    }
  }
  return { added, images, runs, lacking, refused }
}

export function offerReplays(
  { client, store }: Pick<AppServices, 'client' | 'store'>,
  runs: readonly { readonly file: File; readonly name: string }[],
  go: (to: string) => void,
  tried: (work: () => Promise<void>) => Promise<void>,
): void {
  for (const { file, name } of runs) {
    const replay = async () => go(ADDRESS.run((await client.call('graphReplay', { bytes: file })).id))
    const more = { label: 'Run it as it was', run: () => void tried(replay) }
    store.getState().notify({ kind: 'done', text: `${name} came from a run.`, more })
  }
}

const NAMED = 10

function whatIsMissing({ workflow, missing, masked }: GraphOpened): readonly string[] {
  const names = [
    ...missing.models.map(({ name, missing: isGone }) => `the model ${name}${isGone ? '' : ' as it was there'}`),
    ...missing.classes.map(({ name, packages: [first] }) => `the class ${name}${first ? ` (${first.name})` : ''}`),
    ...missing.files.map((name) => `the file ${name}`),
  ]
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  const lacks = `${workflow.name} needs what is not here: ${names.slice(0, NAMED).join(', ')}${more}.`
  return [
    ...(names.length === 0 ? [] : [lacks]),
    ...(masked === 0 ? [] : [`Secrets in ${workflow.name} were replaced by ***. Enter them again before you run it.`]),
  ]
}

export const GRAPH_FILES =
  '.json,.jsonl,.png,.webp,.avif,.jpg,.jpeg,.svg,.mp4,.mov,.webm,.flac,.mp3,.ogg,.latent,.safetensors,.glb'

// Films with a graph exceed the library's limit, and the whole file is read.
const FILE_MAX_BYTES = 256 * MIB
const PIECE_BYTES = 64 * 1024

const decoder = new TextDecoder()

export const BROWSER_TOOLS: ByteTools = {
  utf8: (bytes) => decoder.decode(bytes),
  inflate(packed, most) {
    const parts: Uint8Array[] = []
    let size = 0
    let isWhole = false
    const unpacker = new Unzlib((part, isLast) => {
      parts.push(part)
      size += part.length
      isWhole ||= isLast
    })
    try {
      // Piece by piece, so that a zip bomb stops soon after the limit.
      for (let at = 0; at < packed.length && size <= most; at += PIECE_BYTES)
        unpacker.push(packed.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= packed.length)
    } catch {
      return undefined
    }
    return isWhole && size <= most ? joined(parts) : undefined
  },
}

export async function findGraphInFile(file: File) {
  const isImage = /^image\/(?!svg)/.test(file.type)
  const none = (why: string) => ({ kind: 'none', why: `${file.name}: ${why}`, isImage }) as const
  if (file.size === 0) return none('The file is empty.')
  const most = /json$/i.test(file.name + file.type) ? limit('workflowBytes') : FILE_MAX_BYTES
  if (file.size > most) return none(`It has ${inBytes(file.size)}, and the limit is ${inBytes(most)}.`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const found = findGraph(bytes, BROWSER_TOOLS)
  if (found.kind === 'none') {
    const hint = found.parameters === undefined ? '' : ' It has a prompt of another tool, but no graph.'
    return none(`${found.why}${hint}`)
  }
  const name = workflowName(file.name.replace(/\.[A-Za-z0-9]{1,12}$/, '')) || 'Untitled'
  return { kind: 'graph', name, text: isJson(bytes) ? BROWSER_TOOLS.utf8(bytes) : writeJson(found.raw) } as const
}

// A graph from JSON keeps its exact text.
const isJson = (bytes: Uint8Array) => BROWSER_TOOLS.utf8(bytes.subarray(0, 1000)).trimStart().startsWith('{')

/** Longest workflow name, in characters. Source: contract/workflows. */
export const NAME_MAX = 200

export const workflowName = (name: string, ending = ''): string => name.slice(0, NAME_MAX - ending.length) + ending
