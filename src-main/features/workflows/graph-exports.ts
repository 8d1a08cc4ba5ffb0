import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { ModelView } from '../../contract/models.ts'
import type { GraphExportHead, GraphOpened, RunView } from '../../contract/workflows.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Json } from '../../lib/json/bytes.ts'
import { mapStrings } from '../../lib/json/scan.ts'
import type { JsonObject } from '../../lib/json/value.ts'
import { counted } from '../../lib/text.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import { hiddenValues } from '../apps/variables.ts'
import { maskSecrets } from '../jobs/rules/job-file.ts'
import type { Models } from '../models/models.ts'
import { presentDirectory } from '../models/rules/layout.ts'
import { createMask } from '../workers/rules/log-lines.ts'
import { storeAsset, writeAsset } from './assets.ts'
import { addWorkflow, readGraph } from './library.ts'
import type { ExportRead, ReadsGraphs } from './ports/readers.ts'
import { readDocument } from './rules/document/document.ts'
import {
  classPackages,
  type NodePackage,
  packagesByClass,
  packagesOfDocument,
  packagesOfPayload,
  withNamed,
} from './rules/node-packages.ts'
import { type NodeTypes, withOthers } from './rules/node-types.ts'
import { toResolvedPayload } from './rules/resolve/resolve.ts'
import { exportLines, needsOf } from './rules/runs/graph-export.ts'
import { createRun, readRun } from './runs.ts'
import type { Workflows } from './workflows.ts'

type ExportDeps = ReadsGraphs & {
  readonly storage: Storage
  readonly clock: Clock
  readonly workflows: Pick<Workflows, 'nodeTypes' | 'nodePackages' | 'assets' | 'library'>
  readonly models: Pick<Models, 'list' | 'checksum'>
  readonly version: string
}

type GraphSource = {
  readonly name: string
  readonly endpoint: Endpoint | undefined
  readonly document: string | undefined
  readonly payload: string | undefined
  readonly run?: GraphExportHead['run']
  readonly results?: readonly { readonly asset: string; readonly filename: string }[]
}

export async function exportRun(deps: ExportDeps, runId: string): Promise<AsyncIterable<Json>> {
  const { id, endpointId, title, status, createdAt, endedAt, executionMs, errors, ...rest } = readRun(deps, runId)
  const endpoint = deps.storage.endpoints.get(endpointId)
  const hidden = hiddenValues(deps.storage, endpoint)
  const mask = createMask([...hidden.secrets, ...hidden.variables])
  const run = { id, endpointId, status, createdAt, endedAt, executionMs, errors: errors.map(mask) }
  const { document, payload, results } = rest
  return await exportGraph(deps, { name: title, endpoint, document, payload, run, results })
}

/**
 * Exports a graph with everything it needs.
 * @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE, BAD_FIELD
 */
export async function exportText(
  deps: ExportDeps,
  { name, text, endpoint }: { readonly name: string; readonly text: string; readonly endpoint: Endpoint | undefined },
): Promise<AsyncIterable<Json>> {
  const isDocument = readGraph(text).form === 'document'
  const [document, payload] = isDocument ? [text, undefined] : [undefined, text]
  return await exportGraph(deps, { name, endpoint, document, payload })
}

async function exportGraph(deps: ExportDeps, source: GraphSource): Promise<AsyncIterable<Json>> {
  const { storage, clock, workflows, version } = deps
  const { name, endpoint, document, payload, run, results = [] } = source
  const [own, bundled, { version: comfyui }] = await Promise.all([
    workflows.nodeTypes.readOf(endpoint),
    workflows.nodeTypes.readOf(undefined),
    workflows.nodeTypes.of(endpoint),
  ])
  const types = withOthers(own, bundled)
  const whole = payloadOf(source, types, clock.now())
  const needs = needsOf(whole, types, await packagesFor(deps, whole, document, types))
  const { secrets } = hiddenValues(storage, endpoint)
  const texts = [document, payload].map((text) => (text === undefined ? undefined : maskSecrets(text, secrets)))
  const files = filesOf(storage, needs.files, results)
  const head: GraphExportHead = {
    ...{ drydock: 'graph', format: 1, version, exportedAt: clock.now(), name, comfyui, run },
    ...{ seeds: needs.seeds, classes: needs.classes, models: await modelsFor(deps, needs.models) },
    files: files.map(({ file }) => file),
    masked: texts.reduce((sum, text) => sum + (text?.places ?? 0), 0),
  }
  const lines = exportLines(head, { document: texts[0]?.text, payload: texts[1]?.text })
  return (async function* () {
    yield lines
    for (const { file, asset } of files) {
      if (file.left !== undefined || asset === undefined) continue
      const bytes = await storage.assetFiles.read(asset)
      if (bytes === undefined) throw new AppError('ASSET_NOT_FOUND', { asset })
      yield `${Buffer.from(bytes).toString('base64')}\n`
    }
  })()
}

function payloadOf({ document, payload }: GraphSource, types: NodeTypes, now: number): JsonObject {
  if (payload !== undefined) return readGraph(payload).raw
  return toResolvedPayload(readDocument(readGraph(document ?? '').raw), types, now).payload
}

async function packagesFor(deps: ExportDeps, payload: JsonObject, document: string | undefined, types: NodeTypes) {
  const names = [
    ...new Set([...payload.values()].flatMap((node) => (node instanceof Map ? [node.get('class_type')] : []))),
  ]
  const classes = names.filter((name) => typeof name === 'string')
  const { classes: indexed } = await deps.workflows.nodePackages(classes)
  const named =
    document === undefined ? packagesOfPayload(payload) : packagesOfDocument(readDocument(readGraph(document).raw))
  const used = classes.flatMap((name) => types.get(name) ?? [])
  const installed = classPackages(used)
    .filter(({ kind }) => kind !== 'unknown')
    .flatMap(({ name, classes: of }) => of.map((one) => [one, [{ name }]] as const))
  const known = withNamed(packagesByClass({ classes: indexed }), named)
  return new Map<string, readonly NodePackage[]>([...installed, ...known])
}

type AskedModel = { readonly name: string; readonly directory: string | undefined }

const isModel =
  ({ name, directory }: AskedModel) =>
  (model: ModelView) =>
    model.name === name && (directory === undefined || presentDirectory(model.directory) === directory)

async function modelsFor({ models }: ExportDeps, asked: readonly AskedModel[]): Promise<GraphExportHead['models']> {
  const here = asked.length === 0 ? [] : (await models.list()).models
  const found: GraphExportHead['models'] = []
  for (const one of asked) {
    const model = here.find(isModel(one))
    const sha256 = model && (await models.checksum(model))
    found.push({ ...one, bytes: model?.bytes, sha256, missing: model === undefined })
  }
  return found
}

type ListedFile = { readonly file: GraphExportHead['files'][number]; readonly asset: string | undefined }

function filesOf(
  { assets }: Pick<Storage, 'assets'>,
  inputs: readonly string[],
  results: NonNullable<GraphSource['results']>,
): readonly ListedFile[] {
  let room = (limit('graphExportBytes') * 3) / 4 - 3 * limit('workflowBytes')
  const list = (name: string, use: 'input' | 'result', asset: ReturnType<typeof assets.get>): ListedFile => {
    if (asset === undefined) return { file: { name, use, left: 'missing' }, asset: undefined }
    const facts = { name, use, sha256: asset.id, bytes: asset.bytes, mediaType: asset.mediaType }
    if (asset.bytes > room) return { file: { ...facts, left: 'too-large' }, asset: undefined }
    room -= asset.bytes
    return { file: facts, asset: asset.id }
  }
  return [
    ...inputs.map((name) => list(name, 'input', assets.named(name))),
    ...results.map(({ filename, asset }) => list(filename, 'result', assets.get(asset))),
  ].slice(0, limit('graphExportFiles'))
}

/**
 * @param endpoint whose classes count; undefined for bundled ones
 * @throws AppError BAD_FIELD if damaged; NOT_DONE, DISK_FULL
 */
export async function openGraph(
  deps: ExportDeps,
  { bytes, endpoint }: { readonly bytes: Uint8Array<ArrayBuffer>; readonly endpoint: Endpoint | undefined },
): Promise<GraphOpened> {
  const { storage, workflows, models } = deps
  const { head, document, payload, files } = await readFile(deps, bytes)
  const stored = await storeFiles(workflows, files)
  const text = withFileNames(document ?? payload ?? '', stored)
  const workflow = await addWorkflow(workflows.library, { name: head.name, text })
  const types = await workflows.nodeTypes.readOf(endpoint)
  const here = head.models.length === 0 ? [] : (await models.list()).models
  const missing: GraphOpened['missing'] = {
    classes: head.classes.filter(({ name }) => !types.has(name)),
    files: head.files.flatMap(({ name, use, left }) =>
      use === 'input' && left !== undefined && storage.assets.named(name) === undefined ? [name] : [],
    ),
    models: [],
  }
  for (const model of head.models) {
    const own = here.find(isModel({ name: model.name, directory: model.directory }))
    const isOther = own !== undefined && (await differs(models, own, model))
    if (own === undefined || isOther) missing.models.push({ ...model, missing: own === undefined })
  }
  return { workflow, files: stored, missing, masked: head.masked, run: head.run }
}

/**
 * @param endpoint runs it, by the id of the original endpoint
 * @throws AppError BAD_FIELD if damaged, not a run, or lacking secrets; as createRun does
 */
export async function replayRun(
  deps: ExportDeps & Parameters<typeof createRun>[0],
  { bytes, endpoint }: { readonly bytes: Uint8Array<ArrayBuffer>; readonly endpoint: (ranOn: string) => Endpoint },
): Promise<RunView> {
  const { head, document, payload, files } = await readFile(deps, bytes)
  const refuse = (why: string) => new AppError('BAD_FIELD', { field: 'file', why })
  if (head.run === undefined || payload === undefined) throw refuse('is a graph, not a run. Open it, then run it')
  if (head.masked > 0)
    throw refuse(
      `cannot run as it was sent: ${counted(head.masked, 'secret')} of it were replaced by ***. Open it instead`,
    )
  const found = endpoint(head.run.endpointId)
  const stored = await storeFiles(
    deps.workflows,
    files.filter(({ use }) => use === 'input'),
  )
  const texts = {
    payload: withFileNames(payload, stored),
    document: document === undefined ? undefined : withFileNames(document, stored),
  }
  return await createRun(deps, found, { endpointId: found.id, title: head.name, ...texts })
}

async function readFile({ readInThread }: ReadsGraphs, bytes: Uint8Array<ArrayBuffer>): Promise<ExportRead> {
  const opened = await readInThread.graphExport(bytes)
  if ('problem' in opened)
    throw new AppError('BAD_FIELD', { field: 'file', why: `cannot be opened: ${opened.problem}` })
  return opened
}

async function storeFiles(
  { assets }: ExportDeps['workflows'],
  files: ExportRead['files'],
): Promise<GraphOpened['files']> {
  const stored: GraphOpened['files'] = []
  for (const { name, use, sha256: id, data } of files) {
    if (use === 'result') await storeAsset(assets, data)
    const named = use === 'input' ? await writeAsset(assets, { id, name, bytes: data }) : undefined
    stored.push({ name, use, asset: id, ...(named?.name === undefined ? {} : { storedAs: named.name }) })
  }
  return stored
}

function withFileNames(json: string, stored: GraphOpened['files']): string {
  const renamed = new Map(stored.flatMap(({ name, storedAs = name }) => (storedAs === name ? [] : [[name, storedAs]])))
  if (renamed.size === 0) return json
  return mapStrings(json, (string) => {
    const [, name = '', folder = ''] = /^(.*?)( \[input\])?$/s.exec(string) ?? []
    const other = renamed.get(name)
    return other === undefined ? string : other + folder
  })
}

async function differs(models: ExportDeps['models'], own: ModelView, wanted: GraphExportHead['models'][number]) {
  if (wanted.sha256 === undefined) return false
  if (wanted.bytes !== undefined && wanted.bytes !== own.bytes) return true
  return (await models.checksum(own)) !== wanted.sha256
}
