/**
 * Documents and payloads travel as strings, because JavaScript's JSON would round their seeds. Source:
 * docs/spec/image-workflows.md, 2.2.
 */
import { z } from 'zod'
import { limit } from './limits.ts'
import { moment } from './routes.ts'

export const workflowId = z.string().regex(/^[a-z0-9]{12}$/, 'must be the id of a workflow')

export const assetId = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower case hex')

const documentText = z.string().describe('JSON of a document')

export const workflowView = z.object({
  id: workflowId,
  name: z.string(),
  version: z.number().int().describe('the newest that was saved; 0: none was yet'),
  draft: z.number().int().describe('counts the stored states of a draft; 0: there is no draft, everything is saved'),
  nodes: z.number().int().describe('of the newest text'),
  thumbnail: assetId.optional(),
  thumbnailOld: z.boolean().optional().describe('true where it shows the text as it was before the last change'),
  result: assetId.optional().describe('newest picture that a run of it gave; in lists only'),
  createdAt: moment,
  updatedAt: moment,
})

export type WorkflowView = z.infer<typeof workflowView>

export const workflowDetail = workflowView.extend({ text: documentText })

export type WorkflowDetail = z.infer<typeof workflowDetail>

export const workflowCreate = z.strictObject({
  name: z.string().trim().min(1).max(200),
  text: documentText,
  draft: z.boolean().optional().describe('keep it as a draft that nobody has saved yet'),
})

export const workflowText = z.strictObject({
  text: documentText,
  seen: z
    .strictObject({ version: z.number().int().min(0), draft: z.number().int().min(0) })
    .describe('what the writer has seen; another state is not overwritten'),
})

export const workflowUpdate = z.strictObject({
  name: workflowCreate.shape.name.optional(),
  thumbnail: assetId.nullable().optional(),
})

export const workflowVersion = z.object({ version: z.number().int(), savedAt: moment, nodes: z.number().int() })

export type WorkflowVersion = z.infer<typeof workflowVersion>

export const workflowTemplate = z.object({
  id: z.string(),
  name: z.string(),
  summary: z.string(),
  nodes: z.number().int(),
  text: documentText,
})

export type WorkflowTemplate = z.infer<typeof workflowTemplate>

export const assetView = z.object({
  id: assetId,
  name: z.string().optional().describe('under which nodes ask for it; another file of the same name gets a number'),
  bytes: z.number().int(),
  mediaType: z.string().describe('by its first bytes; application/octet-stream where nobody knows it'),
  width: z.number().int().optional(),
  height: z.number().int().optional(),
  createdAt: moment,
})

export type AssetView = z.infer<typeof assetView>

export const nodeTypesResponse = z.object({
  text: z.string().describe('JSON: class name -> definition, as GET /object_info gives it'),
  source: z.enum(['built-in', 'server', 'file']).describe('where they were read'),
  readAt: moment.optional().describe('missing: they came with the product'),
  server: z.string().optional().describe('address that they were read from'),
  version: z.string().max(120).optional().describe('of what has them, like "ComfyUI 0.33.0"; missing: nobody said'),
  fault: z.string().optional().describe('why the last read from the only server failed, as the end of a sentence'),
})

export type NodeTypesResponse = z.infer<typeof nodeTypesResponse>

export const blueprint = z.object({
  id: z.string(),
  name: z.string(),
  package: z.string().optional().describe('which has it; missing: its server does not say'),
})

export type Blueprint = z.infer<typeof blueprint>

export const nodePackagesAsked = z.object({ classes: z.array(z.string()) })

const nodePackage = z.object({
  name: z.string(),
  address: z.string().optional().describe('where it can be had; missing: it comes with ComfyUI'),
  version: z.string().optional(),
})

export const nodePackagesResponse = z.object({
  classes: z
    .array(z.object({ name: z.string(), packages: z.array(nodePackage).describe('the likeliest first') }))
    .describe('those that the index has'),
  fault: z.string().optional().describe('why the index in the data folder (node-packages.json) cannot be read'),
})

export type NodePackagesResponse = z.infer<typeof nodePackagesResponse>

export const workflowServer = z.object({
  address: z.string(),
  version: z.string().optional().describe('of ComfyUI; missing: it does not say'),
  devices: z
    .array(z.object({ name: z.string(), type: z.string(), memoryBytes: z.number().optional() }))
    .describe('what it computes on, as it tells'),
})

export type WorkflowServer = z.infer<typeof workflowServer>

export const runResult = z.object({
  asset: assetId,
  filename: z.string(),
  mediaType: z.string(),
  node: z.string().optional().describe('id of the node that gave it, as the payload has it'),
  width: z.number().int().optional(),
  height: z.number().int().optional(),
})

export type RunResult = z.infer<typeof runResult>

export const sweepCell = z.object({
  kind: z.enum(['grid', 'pairs']).describe('each value with each, or the first with the first and so on'),
  axes: z
    .array(
      z.object({
        name: z.string().max(500).describe('of the input, like `seed`'),
        text: z.string().max(500).describe('the value, as it is shown'),
        at: z.number().int().min(0).describe('which value of the input it is, from 0'),
      }),
    )
    .min(1)
    .max(20)
    .describe('the last one changes first'),
})

export type SweepCell = z.infer<typeof sweepCell>

/** A run of a graph: a job with its source. It outlives the record of its job. */
export const runView = z.object({
  id: z.string().describe('id of its job'),
  endpointId: z.string(),
  workflowId: workflowId.optional(),
  title: z.string().describe('name of the workflow, as it was'),
  label: z.string().optional().describe('what sets it apart from the others of its sweep, like `seed 3`'),
  sweepId: z.string().optional(),
  cell: sweepCell.optional(),
  status: z.enum(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT']),
  createdAt: moment,
  endedAt: moment.optional(),
  executionMs: z.number().int().optional(),
  results: z.array(runResult),
  previews: z
    .array(runResult)
    .optional()
    .describe('files that nodes show without saving, like Preview Image; absent without such files'),
  errors: z.array(z.string()).describe('why it failed, or what went wrong although it has results'),
})

export type RunView = z.infer<typeof runView>

export const runDetail = runView.extend({
  payload: z.string().describe('JSON of the payload that was sent, with resolved seeds and prompts'),
  document: documentText.optional().describe('the document that it was made of'),
})

export type RunDetail = z.infer<typeof runDetail>

export const sweepView = z.object({
  id: z.string(),
  title: z.string().describe('name of the workflow, as it was'),
  endpointId: z.string(),
  workflowId: workflowId.optional(),
  axes: z.array(z.string()).describe('names of the inputs that change'),
  createdAt: moment.describe('ms since the epoch, when its first run was queued'),
  runs: z.number().int(),
  ended: z.number().int().describe('of those'),
  completed: z.number().int().describe('of those that have ended'),
  result: runResult.optional().describe('the newest result, as its picture'),
})

export type SweepView = z.infer<typeof sweepView>

const exportedModel = z.object({
  name: z.string().max(500),
  directory: z.string().max(200).optional(),
  sha256: assetId.optional().describe('missing: the file was not there'),
  bytes: z.number().int().min(0).optional(),
  missing: z.boolean().describe('the machine does not have it'),
})
const exportedClass = z.object({
  name: z.string().max(500),
  count: z.number().int(),
  packages: z.array(nodePackage).describe('where it can be had, the likeliest first'),
})

/** The first line of a graph file for another Drydock. Source: docs/spec/monitoring.md, 3. */
export const graphExportHead = z.object({
  drydock: z.literal('graph'),
  format: z.literal(1),
  version: z.string().max(100).describe('of the Drydock that wrote it'),
  exportedAt: z.number().int(),
  name: workflowCreate.shape.name,
  comfyui: z.string().max(120).optional().describe('of what has the classes of its nodes'),
  run: z
    .object({
      ...{ id: z.string().max(100), endpointId: z.string().max(100), status: runView.shape.status },
      createdAt: z.number(),
      endedAt: z.number().optional(),
      executionMs: z.number().optional(),
      errors: z.array(z.string()),
    })
    .optional()
    .describe('missing: it is a graph and no run of one'),
  seeds: z.array(z.object({ node: z.string(), input: z.string(), value: z.string() })),
  classes: z.array(exportedClass).max(10_000),
  models: z.array(exportedModel).max(2000),
  files: z
    .array(
      z.object({
        name: z.string().min(1).max(255),
        use: z.enum(['input', 'result']),
        sha256: assetId.optional(),
        bytes: z.number().int().min(0).optional(),
        mediaType: z.string().max(100).optional(),
        left: z.enum(['missing', 'too-large']).optional().describe('why it is not in the file; missing: it is'),
      }),
    )
    .max(limit('graphExportFiles')),
  masked: z.number().int().min(0).describe('places in the graph where a secret stood'),
})

export type GraphExportHead = z.infer<typeof graphExportHead>

export const graphOpened = z.object({
  workflow: workflowView,
  files: z
    .array(
      z.object({
        name: z.string(),
        use: z.enum(['input', 'result']),
        asset: assetId,
        storedAs: z.string().optional().describe('another name where a different file has this one'),
      }),
    )
    .describe('those that were in it'),
  missing: z
    .object({ classes: z.array(exportedClass), models: z.array(exportedModel), files: z.array(z.string()) })
    .describe('what it needs and this machine lacks; a model with `missing` false is here with other content'),
  masked: graphExportHead.shape.masked,
  run: graphExportHead.shape.run,
})

export type GraphOpened = z.infer<typeof graphOpened>

export const graphExportCreate = z.strictObject({
  name: workflowCreate.shape.name,
  text: z.string().describe('JSON of a document or of a payload'),
  endpoint: z.string().max(40).optional().describe('whose classes of nodes count'),
})

export const runCreate = z.strictObject({
  endpointId: z.string(),
  payload: z.string().describe('JSON of the payload: seeds and prompts are resolved'),
  document: documentText.optional(),
  workflowId: workflowId.optional(),
  title: z.string().trim().min(1).max(200).default('Untitled'),
  label: z.string().max(500).optional(),
  sweepId: z.string().max(64).optional(),
  cell: sweepCell.optional(),
})

const serverAddress = z.url({ protocol: /^https?$/ }).max(2048)

/** Facts for an endpoint whose workers take workflows. Its presence makes it one of them. */
export const workflowWorker = z.object({
  models: z
    .array(z.string().min(1).max(500))
    .optional()
    .describe('file names of the models that are installed; missing: nobody knows'),
  checkModels: z.boolean().default(true).describe('refuse payloads that load a model which is not installed'),
  modelFolders: z
    .boolean()
    .default(true)
    .describe('the model folders of this machine: containers get them read-only, a bridge counts them as installed'),
  server: serverAddress.optional().describe('address of the ComfyUI server that the bridge uses'),
  moreServers: z
    .array(serverAddress)
    .optional()
    .describe('addresses of more ComfyUI servers; the endpoint then has one worker for each server that answers'),
  drainedServers: z
    .array(serverAddress)
    .optional()
    .describe('those of the servers that finish their prompts and get no new ones'),
})

export const SERVER_CHANGES = ['add', 'remove', 'drain', 'resume'] as const

export const endpointServerChange = z.strictObject({
  kind: z.enum(SERVER_CHANGES),
  address: serverAddress.describe('to remove, drain or resume one, user name and password are not needed'),
})

export const endpointServer = z.object({
  number: z.number().int().min(1),
  address: z.string().describe('its password is hidden'),
  state: z
    .enum(['ready', 'unread', 'lost', 'draining', 'drained', 'only'])
    .describe(
      '`unread`: its node classes are not known yet; `draining`: finishes its graph and takes no others; `only`: a single server is not watched',
    ),
  lostBecause: z.string().optional(),
  lostSince: moment.optional().describe('ms since the epoch'),
  lacks: z
    .object({ classes: z.array(z.string()), models: z.array(z.string()) })
    .describe('node classes and model files that another one of the servers has'),
  jobs: z.array(z.string()).describe('ids of the jobs that it runs'),
  loaded: z
    .array(z.string())
    .describe('models of the last graph that it got; after a start of the service only of one that still runs'),
})

export type EndpointServer = z.infer<typeof endpointServer>
