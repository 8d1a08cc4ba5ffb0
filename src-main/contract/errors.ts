import { filled } from '../lib/text.ts'
import { KEY_ERRORS, MACHINE_ERRORS, TARGET_ERRORS } from './machine-errors.ts'
import { PLATFORM_ERRORS } from './platform-errors.ts'
import { REQUEST_ERRORS } from './request-errors.ts'

/**
 * Every error that leaves the service: code, HTTP status, and a message with `{name}` placeholders that
 * are filled from the error's data. A message says what is wrong and what to do.
 */
export const ERRORS = {
  NOT_JSON: { status: 400, message: 'The body is not valid JSON: {why}. Send a JSON object.' },
  BAD_INPUT: { status: 400, message: '{why}. Send a JSON object with an `input` object.' },
  BAD_FIELD: { status: 400, message: '{field}: {why}.' },
  BODY_TOO_LARGE: {
    status: 400,
    message: 'The body exceeds the {limit} maximum of {operation}. Send less, or the URL of the data.',
  },
  WRONG_STATE: {
    status: 400,
    message: 'Job {jobId} is {status}; {operation} needs one of {allowed}.',
  },
  NOT_QUEUE_BASED: {
    status: 400,
    message:
      'Endpoint {endpointId} is load-balanced: it answers requests and takes no jobs. Send the request to {address}.',
  },
  NOT_LOAD_BALANCED: {
    status: 400,
    message: 'Endpoint {endpointId} is queue-based and has no routes of its own. Send jobs to {address}.',
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'The API key is missing or wrong. Send it as `Authorization: Bearer KEY`.',
  },
  FORBIDDEN_HOST: {
    status: 403,
    message:
      'This service does not accept the Host of this request. Use its own address, or add the host with --allow-host.',
  },
  FORBIDDEN_ORIGIN: {
    status: 403,
    message:
      'Requests from pages of other origins are refused. Call the service from its own page or outside a browser.',
  },
  FORBIDDEN_KEY: {
    status: 403,
    message: 'This key only works for calls to endpoints. Use the account key for management.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    message: 'There is no {method} {path}. The routes are listed at /openapi.json.',
  },
  METHOD_NOT_ALLOWED: { status: 405, message: '{path} takes {allowed}, not {method}.' },
  ENDPOINT_NOT_FOUND: {
    status: 404,
    message: 'There is no endpoint {endpointId}. List the endpoints with `drydock endpoint list`.',
  },
  JOB_NOT_FOUND: {
    status: 404,
    message: 'There is no job {jobId} here: the id is unknown, belongs to another endpoint, or its retention is over.',
  },
  WORKER_NOT_FOUND: { status: 404, message: 'There is no worker {workerId}, or it has ended.' },
  WORKER_LEAVES: {
    status: 409,
    message: 'Worker {workerId} is already stopping: {why}. Another one starts if needed.',
  },
  SHELL_NOT_FOUND: {
    status: 404,
    message: 'There is no shell {shellId}, or it has ended. Open another one.',
  },
  SHELL_REFUSED: {
    status: 409,
    message: 'No shell can be opened in worker {workerId}: {why}.',
  },
  TOO_MANY_SHELLS: {
    status: 409,
    message: '{count} shells are open, which is the limit. Close one first.',
  },
  DELIVERY_NOT_FOUND: { status: 404, message: 'There is no webhook delivery {deliveryId}.' },
  REGISTRY_NOT_FOUND: {
    status: 404,
    message: 'There are no registry credentials {name}. List them with `drydock registry list`.',
  },
  FOLDER_UNREADABLE: { status: 400, message: 'The folder {folder} cannot be used: {why}.' },
  FOLDER_NOT_EMPTY: {
    status: 409,
    message: 'The folder {folder} already has files in it. Choose an empty or a new folder.',
  },
  PROJECT_NOT_FOUND: {
    status: 404,
    message: 'There is no project {projectId}. Open its folder again.',
  },
  NO_BUILD: { status: 404, message: 'Project {projectId} has not been built. Build it first.' },
  BUILD_RUNNING: {
    status: 409,
    message: 'Project {projectId} is being built. Wait until the build ends, or cancel it.',
  },
  IMAGE_BUILD_RUNNING: {
    status: 409,
    message: 'The image of workflow {workflowId} is being built. Wait until the build ends, or cancel it.',
  },
  BUILD_FAILED: { status: 422, message: 'The app does not build: {why}' },
  NO_PREVIEW: {
    status: 404,
    message: 'Project {projectId} has no preview. Start one.',
  },
  PREVIEW_RUNNING: {
    status: 409,
    message: 'Project {projectId} already has a preview. End it before you start another.',
  },
  APP_NOT_FOUND: {
    status: 404,
    message: 'There is no app {app}. List the apps with `drydock app list`, or deploy it with `drydock deploy`.',
  },
  ENVIRONMENT_NOT_FOUND: {
    status: 404,
    message: 'App {app} has no environment {environment}. List them with `drydock env list`.',
  },
  RELEASE_NOT_FOUND: {
    status: 404,
    message:
      'There is no release {number} of {app}/{environment} to go back to. List them with `drydock env show {environment}`.',
  },
  ARTIFACT_NOT_FOUND: {
    status: 404,
    message: 'The artifact {artifact} is missing or incomplete. Upload it first, as `drydock deploy` does.',
  },
  NOT_DEPLOYED: {
    status: 404,
    message:
      'Endpoint {endpoint} not found in app {app}, environment {environment}: run `drydock deploy` in its project, or check the names.',
  },
  ENDPOINT_PAUSED: {
    status: 409,
    message:
      'ENDPOINT_PAUSED: endpoint {endpointId} {why}, so it accepts no jobs. Resume it or raise its maximum number of workers.',
  },
  ENDPOINT_EXISTS: {
    status: 409,
    message: 'An endpoint with {field} {value} already exists. Choose another one, or update that endpoint.',
  },
  ENVIRONMENT_EXISTS: {
    status: 409,
    message: 'App {app} already has an environment {environment}.',
  },
  DEPLOY_RUNNING: {
    status: 409,
    message: 'Release {number} of {app}/{environment} is being prepared. Wait for it, or cancel it.',
  },
  UPLOAD_OFFSET: {
    status: 409,
    message: '{received} bytes of the artifact were received. Continue from there.',
  },
  UPLOAD_TOO_LARGE: {
    status: 413,
    message: 'The artifact has {bytes} bytes, and the limit is {limit}. Leave packages out with --exclude.',
  },
  REQUEST_TOO_LARGE: {
    status: 413,
    message: 'The body exceeds the {limit} maximum of a request to a load-balanced endpoint. Send it in parts.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'The body is {type}, but this address takes {wanted}. Send that, with its Content-Type.',
  },
  UNSUPPORTED_ENCODING: {
    status: 415,
    message:
      'The body has the Content-Encoding {encoding}, which is not supported. Send it as gzip, deflate, br or zstd, or without compression.',
  },
  UPLOAD_DAMAGED: {
    status: 422,
    message: 'The artifact is not valid: {why}. It was discarded; send it again.',
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    message: 'The limit of {limit} for {operation} is reached. Wait {seconds} s, or switch strict limits off.',
  },
  TOO_MANY_MESSAGES: { status: 429, message: '{why}' },
  PAYLOAD_LOST: {
    status: 500,
    message: 'The {what} of job {jobId} is lost: its file {file} is missing in the data folder. Submit the job again.',
  },
  SECRET_LOST: {
    status: 500,
    message:
      'The secret {name} of {scope} cannot be read: the file secrets.key of the data folder is missing or not the one it was stored with. Store it again.',
  },
  INTERNAL: {
    status: 500,
    message: 'The service failed on this request; see {requestId} in its log. Nothing accepted was lost.',
  },
  FAULT_SWITCH: {
    status: 500,
    message:
      'The request was failed by fault injection on endpoint {endpointId}: set failPercent to 0 with `drydock faults {endpointId} --fail 0`.',
  },
  WORKER_FAILED: {
    status: 502,
    message:
      'Worker {workerId} did not answer: {why}. See `drydock logs {endpointId}`; the request may have had effects.',
  },
  NOTHING_LISTENS: {
    status: 502,
    message:
      'No worker of endpoint {endpointId} can take the request: {why} Start its server on the port given in PORT, or change the port in the settings of the endpoint.',
  },
  NO_WORKER: {
    status: 400,
    detail: 'timed out waiting for worker',
    as503: { status: 503 },
    message: 'No worker of endpoint {endpointId} can take the request: {why}',
  },
  AFFINITY_WORKER_GONE: {
    status: 404,
    detail: 'affinity_worker_gone',
    message: 'The request asks for worker {workerId} of endpoint {endpointId}, which cannot take it: {why}',
  },
  REQUEST_TOO_SLOW: {
    status: 504,
    message: 'Worker {workerId} did not answer within {seconds} s. Answer sooner, or use a queue-based endpoint.',
  },
  WORKER_TOO_SLOW: {
    status: 504,
    message: 'Job {jobId} has not ended yet and continues: read it with status/{jobId}.',
  },
  DATABASE_BUSY: {
    status: 503,
    message: 'The database cannot be written at the moment: {why}. Nothing accepted was lost. Try again.',
  },
  STORAGE_FAILED: {
    status: 503,
    message:
      'The disk of the data folder reported an error while the database was written ({why}). Confirmed changes are safe; others may be lost. Check the disk, then restart the service.',
  },
  FEATURE_MISSING: {
    status: 501,
    message:
      'This service runs without {feature}, because its program files are missing or damaged. Install Drydock again.',
  },
  STOPPING: {
    status: 503,
    message: 'The service is stopping. Try again when it is back.',
  },
  NOT_A_WORKFLOW: {
    status: 400,
    message: 'This is not a workflow but {found}. {fix}',
  },
  MODEL_NOT_INSTALLED: {
    status: 400,
    message:
      'Node {node} asks for the model {asked} in its input {input}, but endpoint {endpointId} has {installed}. Choose that one, or turn off the model check in the settings of the endpoint.',
  },
  TAKES_NO_WORKFLOWS: {
    status: 400,
    message: 'Endpoint {endpointId} cannot run this graph: {why}.',
  },
  GRAPH_WITHOUT_ENDPOINT: {
    status: 409,
    message:
      'Graph {endpointId} runs on endpoint {behind}, which no longer exists. Choose another endpoint on the page of the graph, or with `drydock workflow publish FILE --id {endpointId} --endpoint ENDPOINT`.',
  },
  WORKFLOW_NOT_FOUND: { status: 404, message: 'There is no workflow {workflowId} in the library.' },
  WORKFLOW_CHANGED: {
    status: 409,
    message: 'Workflow {workflowId} was changed in another window. Load it again, or save yours as a copy.',
  },
  ASSET_NOT_FOUND: { status: 404, message: 'There is no file {asset} here. Upload it again.' },
  RUN_NOT_FOUND: { status: 404, message: 'There is no run {runId} in the gallery.' },
  SWEEP_NOT_FOUND: { status: 404, message: 'There are no runs of sweep {sweepId}; they may have been deleted.' },
  NODE_TYPES_UNREADABLE: {
    status: 502,
    message: 'The node classes could not be read from {server}: {why}.',
  },
  BLUEPRINT_NOT_FOUND: { status: 404, message: 'The server has no blueprint {blueprint}. Load the page again.' },
  SERVER_UNREACHABLE: {
    status: 502,
    message:
      'The ComfyUI server {server} did not answer: {why}. Start it, or change its address in the settings of the endpoint.',
  },
  SERVER_LOOP: {
    status: 508,
    message:
      'The ComfyUI server {server} leads back to this endpoint. Name a ComfyUI server that runs graphs in the settings of the endpoint.',
  },
  MODEL_NOT_FOUND: {
    status: 404,
    message: 'There is no model {name} in {directory} here. List the models with `drydock models list`.',
  },
  MODEL_EXISTS: {
    status: 409,
    message: 'A model {name} already exists in {directory}. Delete it first, or choose another name.',
  },
  MODEL_UNWRITABLE: { status: 409, message: 'The file of the model cannot be changed: {why}.' },
  DOWNLOAD_NOT_FOUND: {
    status: 404,
    message: 'There is no download {downloadId}: it was removed.',
  },
  CREDENTIALS_NOT_FOUND: {
    status: 404,
    message: 'There are no credentials for {host}. List them with `drydock models credentials`.',
  },
  ...KEY_ERRORS,
  ...MACHINE_ERRORS,
  ...PLATFORM_ERRORS,
  ...REQUEST_ERRORS,
  ...TARGET_ERRORS,
  // Begins with the message of the platform's tools.
  SCHEDULES_NOT_SUPPORTED: {
    status: 422,
    message:
      'recurring schedules are not yet supported by the runpod api. the @schedule decorator records intent but cannot be deployed. To use the schedules of {resources} here, run `drydock settings set appSchedules true`.',
  },
  NOT_DONE: { status: 409, message: 'This could not be done: {why}.' },
  DISK_FULL: {
    status: 507,
    message: 'The disk of the data folder is full. Free some space. Nothing accepted was lost.',
  },
} as const satisfies Record<string, ErrorRow>

export const TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
} as const

/** `detail`: the platform's fixed text; the message is then only in `error`. */
export type ErrorRow = {
  readonly status: keyof typeof TITLES
  readonly message: string
  readonly detail?: string
  /** Response used instead if the error's data has `as503`. */
  readonly as503?: { readonly status: 503; readonly detail?: string }
}

export type ErrorCode = keyof typeof ERRORS

export type ErrorData = Readonly<Record<string, string | number>>

export class AppError extends Error {
  readonly code: ErrorCode
  readonly data: ErrorData

  constructor(code: ErrorCode, data: ErrorData = {}, options?: ErrorOptions) {
    super(errorMessage(code, data), options)
    this.name = 'AppError'
    this.code = code
    this.data = data
  }
}

/** JSON body of every error response. Source: docs/spec/job-api.md, 8. */
export type ErrorBody = {
  readonly error: string
  readonly code: ErrorCode
  readonly status: number
  readonly title: string
  readonly detail: string
}

function errorMessage(code: ErrorCode, data: ErrorData): string {
  return filled(ERRORS[code].message, data)
}

export function errorBody({ code, data, message: error }: AppError): ErrorBody {
  const row: ErrorRow = ERRORS[code]
  const { status, detail = error } = (data.as503 && row.as503) || row
  return { error, code, status, title: TITLES[status], detail }
}
