import { z } from 'zod'
import { limit } from './limits.ts'
import { DELETE, done, GET, PATCH, POST, PUT, type Route, wholeNumber } from './routes.ts'
import {
  assetId,
  assetView,
  blueprint,
  graphExportCreate,
  graphOpened,
  nodePackagesAsked,
  nodePackagesResponse,
  nodeTypesResponse,
  runCreate,
  runDetail,
  runView,
  sweepView,
  workflowCreate,
  workflowDetail,
  workflowServer,
  workflowTemplate,
  workflowText,
  workflowUpdate,
  workflowVersion,
  workflowView,
} from './workflows.ts'

// A document's text is JSON within JSON, where each quote takes two characters; so are classes and payloads.
const TEXT_BODY = { bytes: 2 * limit('workflowBytes') + limit('managementBodyBytes'), name: 'this operation' }

export const WORKFLOW_ROUTES = {
  workflowList: GET('/api/workflows', 'List the workflows of the library, last changed first', {
    response: z.object({ workflows: z.array(workflowView) }),
  }),
  workflowCreate: POST('/api/workflows', 'Add a workflow', {
    body: workflowCreate,
    bodyLimit: TEXT_BODY,
    response: workflowView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'NOT_A_WORKFLOW'],
  }),
  workflowRead: GET(
    '/api/workflows/:workflowId',
    'Read a workflow: its draft if there is one, else its newest version',
    { response: workflowDetail, errors: ['WORKFLOW_NOT_FOUND'] },
  ),
  workflowUpdate: PATCH('/api/workflows/:workflowId', 'Change the name or the thumbnail of a workflow', {
    body: workflowUpdate,
    response: workflowView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'WORKFLOW_NOT_FOUND'],
  }),
  workflowDelete: DELETE('/api/workflows/:workflowId', 'Delete a workflow; it can be restored for an hour', {
    response: done,
    errors: ['WORKFLOW_NOT_FOUND'],
  }),
  workflowRestore: POST('/api/workflows/:workflowId/restore', 'Restore a deleted workflow', {
    response: workflowView,
    errors: ['WORKFLOW_NOT_FOUND'],
  }),
  workflowDraft: PUT('/api/workflows/:workflowId/draft', 'Store unsaved edits as a draft', {
    isStep: true,
    body: workflowText,
    bodyLimit: TEXT_BODY,
    response: workflowView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'NOT_A_WORKFLOW', 'WORKFLOW_NOT_FOUND', 'WORKFLOW_CHANGED'],
  }),
  workflowDropDraft: DELETE('/api/workflows/:workflowId/draft', 'Go back to the newest saved version', {
    response: workflowView,
    errors: ['WORKFLOW_NOT_FOUND'],
  }),
  workflowSave: POST('/api/workflows/:workflowId/versions', 'Save a version; this removes the draft', {
    body: workflowText,
    bodyLimit: TEXT_BODY,
    response: workflowView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'NOT_A_WORKFLOW', 'WORKFLOW_NOT_FOUND', 'WORKFLOW_CHANGED'],
  }),
  workflowVersions: GET('/api/workflows/:workflowId/versions', 'List the saved versions, newest first', {
    response: z.object({ versions: z.array(workflowVersion) }),
    errors: ['WORKFLOW_NOT_FOUND'],
  }),
  workflowVersion: GET('/api/workflows/:workflowId/versions/:version', 'Read a saved version', {
    response: workflowVersion.extend({ text: z.string() }),
    errors: ['WORKFLOW_NOT_FOUND'],
  }),
  workflowFile: GET(
    '/api/workflows/:workflowId/file',
    'Export a workflow with everything it needs, for another Drydock',
    {
      response: z.string(),
      errors: ['WORKFLOW_NOT_FOUND', 'NOT_A_WORKFLOW'],
      source: 'docs/spec/monitoring.md, 3',
    },
  ),
  workflowTemplates: GET('/api/workflow-templates', 'List the templates that come with Drydock', {
    response: z.object({ templates: z.array(workflowTemplate) }),
  }),
  assetWrite: PUT('/api/assets/:asset', 'Store a file under its SHA-256, and under a name for the nodes that load it', {
    role: 'run',
    isStep: true,
    params: { asset: assetId },
    bodyLimit: { bytes: limit('assetBytes'), name: 'a file of workflows' },
    query: { name: z.string().min(1).max(255).optional() },
    bodyType: 'application/octet-stream',
    response: assetView,
    errors: ['BAD_FIELD', 'BODY_TOO_LARGE', 'DISK_FULL'],
  }),
  assetRead: GET('/api/assets/:asset', 'Read a file; one that is not a picture, video or sound is sent as a download', {
    query: { name: z.string().max(255).optional().describe('file name of a download') },
    response: z.unknown(),
    errors: ['ASSET_NOT_FOUND'],
  }),
  assetFind: GET('/api/assets', 'List the named files, or find one by its name', {
    query: { name: z.string().max(255).optional() },
    response: z.object({ assets: z.array(assetView) }),
  }),
  nodeTypes: GET('/api/node-types', 'List the node classes of an endpoint (default: those that come with Drydock)', {
    query: { endpoint: z.string().max(40).optional() },
    response: nodeTypesResponse,
    errors: ['ENDPOINT_NOT_FOUND'],
    source: 'docs/spec/image-workflows.md, 3',
  }),
  nodeTypesWrite: PUT('/api/node-types/:endpointId', 'Set the node classes of an endpoint from a file', {
    body: z.strictObject({ text: z.string() }),
    bodyLimit: { bytes: 2 * limit('nodeTypesBytes'), name: 'this operation' },
    response: nodeTypesResponse,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'ENDPOINT_NOT_FOUND'],
    source: 'docs/spec/image-workflows.md, 3',
  }),
  nodeTypesFetch: POST(
    '/api/node-types/:endpointId/fetch',
    'Read the node classes from the server of an endpoint, and store them',
    {
      response: nodeTypesResponse,
      errors: ['ENDPOINT_NOT_FOUND', 'NODE_TYPES_UNREADABLE'],
      source: 'docs/spec/image-workflows.md, 3',
    },
  ),
  blueprintList: GET('/api/blueprints/:endpointId', "List the subgraph blueprints of an endpoint's ComfyUI server", {
    response: z.object({
      blueprints: z.array(blueprint),
      fault: z.string().optional().describe('why they could not be read, as the end of a sentence'),
    }),
    errors: ['ENDPOINT_NOT_FOUND'],
    source: 'docs/spec/comfyui.md, 5',
  }),
  blueprintRead: GET('/api/blueprints/:endpointId/:blueprint', 'Read a blueprint: a document with one subgraph node', {
    params: { blueprint: z.string().min(1).max(200) },
    response: z.object({ text: z.string() }),
    errors: ['ENDPOINT_NOT_FOUND', 'BLUEPRINT_NOT_FOUND', 'SERVER_UNREACHABLE'],
    source: 'docs/spec/comfyui.md, 5',
  }),
  nodePackages: POST(
    '/api/node-packages',
    'Find the packages of node classes in the index node-packages.json of the data folder',
    {
      role: 'read',
      isStep: true,
      body: nodePackagesAsked,
      response: nodePackagesResponse,
      errors: ['BAD_FIELD', 'BODY_TOO_LARGE'],
    },
  ),
  workflowServers: GET('/api/workflow-servers', 'Look for ComfyUI servers at their usual addresses on this machine', {
    response: z.object({ servers: z.array(workflowServer) }),
    source: 'docs/spec/image-workflows.md, 6.2',
  }),
  runCreate: POST('/api/workflow-runs', 'Queue a graph as a job, with the pictures that it loads', {
    role: 'run',
    body: runCreate,
    bodyLimit: { bytes: 4 * limit('workflowBytes'), name: 'this operation' },
    response: runView,
    errors: [
      ...([
        'NOT_JSON',
        'BAD_FIELD',
        'BODY_TOO_LARGE',
        'NOT_A_WORKFLOW',
        'TAKES_NO_WORKFLOWS',
        'MODEL_NOT_INSTALLED',
      ] as const),
      ...(['ENDPOINT_NOT_FOUND', 'ENDPOINT_PAUSED', 'NOT_QUEUE_BASED'] as const),
    ],
    source: 'docs/spec/image-workflows.md, 5',
  }),
  runList: GET('/api/workflow-runs', 'List the runs of graphs, newest first', {
    query: {
      workflow: z.string().max(40).optional(),
      endpoint: z.string().max(40).optional(),
      sweep: z.string().max(64).optional(),
      q: z.string().max(200).optional().describe('text in the title, the label or the payload'),
      before: z.string().max(100).optional().describe('id of the last run already seen'),
      limit: wholeNumber.refine((n) => n >= 1 && n <= 200, 'must be 1 to 200').optional(),
    },
    response: z.object({ runs: z.array(runView), more: z.boolean() }),
    errors: ['BAD_FIELD'],
  }),
  sweepList: GET('/api/workflow-sweeps', 'List the sweeps whose runs are stored, newest first', {
    query: {
      before: z.string().max(64).optional().describe('id of the last sweep already seen'),
      limit: wholeNumber.refine((n) => n >= 1 && n <= 200, 'must be 1 to 200').optional(),
    },
    response: z.object({ sweeps: z.array(sweepView), more: z.boolean() }),
    errors: ['BAD_FIELD'],
    source: 'docs/spec/image-workflows.md, 7',
  }),
  sweepCancel: POST(
    '/api/workflow-sweeps/:sweepId/cancel',
    'Cancel the runs of a sweep that have not ended; the others stay',
    {
      role: 'run',
      response: z.object({ cancelled: z.number().int() }),
      errors: ['SWEEP_NOT_FOUND'],
      source: 'docs/spec/image-workflows.md, 7',
    },
  ),
  runRead: GET('/api/workflow-runs/:runId', 'Read a run with its payload and its document', {
    response: runDetail,
    errors: ['RUN_NOT_FOUND'],
  }),
  runFile: GET(
    '/api/workflow-runs/:runId/file',
    'Export a run, for another Drydock: graph, exact seeds, input files, results',
    { response: z.string(), errors: ['RUN_NOT_FOUND'], source: 'docs/spec/monitoring.md, 3' },
  ),
  graphExport: POST(
    '/api/workflow-exports',
    'Export a graph with everything it needs: input files, SHA-256 of models, node classes with their packages',
    {
      role: 'read',
      isStep: true,
      body: graphExportCreate,
      bodyLimit: TEXT_BODY,
      response: z.string(),
      errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'NOT_A_WORKFLOW', 'ENDPOINT_NOT_FOUND'],
      source: 'docs/spec/monitoring.md, 3',
    },
  ),
  graphOpen: POST(
    '/api/workflow-imports',
    'Import an exported graph: add it to the library, and list what is missing here',
    {
      bodyLimit: { bytes: limit('graphExportBytes'), name: 'an exported graph' },
      query: { endpoint: z.string().max(40).optional().describe('whose classes of nodes count') },
      bodyType: 'application/octet-stream',
      response: graphOpened,
      errors: ['BAD_FIELD', 'BODY_TOO_LARGE', 'ENDPOINT_NOT_FOUND', 'DISK_FULL'],
      source: 'docs/spec/monitoring.md, 3',
    },
  ),
  graphReplay: POST('/api/workflow-imports/run', 'Repeat an exported run, exactly as it was sent', {
    role: 'run',
    bodyLimit: { bytes: limit('graphExportBytes'), name: 'an exported graph' },
    query: {
      endpoint: z.string().max(40).optional().describe('who runs it; without it the endpoint that ran it there'),
    },
    bodyType: 'application/octet-stream',
    response: runView,
    errors: [
      ...(['BAD_FIELD', 'BODY_TOO_LARGE', 'TAKES_NO_WORKFLOWS', 'MODEL_NOT_INSTALLED', 'DISK_FULL'] as const),
      ...(['ENDPOINT_NOT_FOUND', 'ENDPOINT_PAUSED', 'NOT_QUEUE_BASED'] as const),
    ],
    source: 'docs/spec/monitoring.md, 3',
  }),
  runDelete: DELETE('/api/workflow-runs/:runId', 'Remove an ended run from the gallery', {
    role: 'run',
    response: done,
    errors: ['RUN_NOT_FOUND', 'BAD_FIELD'],
  }),
} as const satisfies Record<string, Route>
