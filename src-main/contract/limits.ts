/** One limit of the service: its value, the unit, and who says so. */
export type Limit = { readonly value: number; readonly unit: 'ms' | 'bytes' | 'count'; readonly source: string }

const MIB = 1024 * 1024
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Every limit of the job API and of workers. Read it with `limit('name')`. */
export const LIMITS = {
  runBodyBytes: { value: 10 * MIB, unit: 'bytes', source: 'spec 8; the platform says MiB' },
  runsyncBodyBytes: { value: 20 * MIB, unit: 'bytes', source: 'spec 8; the platform says MiB' },
  resultBodyBytes: { value: 20 * MIB, unit: 'bytes', source: 'worker-protocol, Calls' },
  managementBodyBytes: { value: MIB, unit: 'bytes', source: 'ours, because a setting is never larger' },
  jsonDepth: { value: 1000, unit: 'count', source: 'ours, because Python handlers recurse about that deep' },
  jsonKeys: { value: 100_000, unit: 'count', source: 'ours: 20 times the keys of a 5,000-node workflow field list' },
  chunkBytes: { value: MIB, unit: 'bytes', source: 'spec 8' },
  chunksPerJob: { value: 1_000_000, unit: 'count', source: 'targets 22' },
  waitDefaultMs: { value: 90_000, unit: 'ms', source: 'spec 4' },
  waitMinMs: { value: 1000, unit: 'ms', source: 'spec 4' },
  waitMaxMs: { value: 300_000, unit: 'ms', source: 'spec 4' },
  streamHoldMs: { value: 5000, unit: 'ms', source: 'job-api, Stream: one client gives up after 10 s' },
  executionTimeoutMinMs: { value: 5000, unit: 'ms', source: 'job-api, Request body' },
  executionTimeoutMaxMs: { value: 7 * DAY, unit: 'ms', source: 'job-api, Request body' },
  executionTimeoutDefaultMs: { value: 600_000, unit: 'ms', source: 'job-api, Request body' },
  ttlMinMs: { value: 10_000, unit: 'ms', source: 'job-api, Request body' },
  ttlMaxMs: { value: 7 * DAY, unit: 'ms', source: 'job-api, Request body' },
  ttlDefaultMs: { value: DAY, unit: 'ms', source: 'job-api, Request body' },
  runRetentionMs: { value: 30 * MINUTE, unit: 'ms', source: 'spec 8' },
  runsyncRetentionMs: { value: MINUTE, unit: 'ms', source: 'spec 8' },
  runsyncRetentionMaxMs: { value: 5 * MINUTE, unit: 'ms', source: 'spec 8' },
  idempotencyKeyLength: { value: 255, unit: 'count', source: 'job-api, Request body' },
  webhookUrlLength: { value: 2048, unit: 'count', source: 'ours, because longer addresses break proxies' },
  leaseMs: { value: 10_000, unit: 'ms', source: 'job-api, States' },
  pingIntervalMs: { value: 3000, unit: 'ms', source: 'worker-protocol, Environment' },
  takeHoldMs: { value: 20_000, unit: 'ms', source: 'worker-protocol, Calls' },
  takeBatchMax: { value: 100, unit: 'count', source: 'ours, because a batch is one answer' },
  stopGraceMs: {
    value: 5000,
    unit: 'ms',
    source: 'ours: longer than one ping interval, so that a cancelled job can say so',
  },
  initializingMs: { value: 7 * MINUTE, unit: 'ms', source: 'the platform: cold start limit' },
  initTimeoutMaxMs: {
    value: 120 * MINUTE,
    unit: 'ms',
    source: 'ours, of RUNPOD_INIT_TIMEOUT: twice the most that the setting takes, for values of production',
  },
  freezeIdleMs: {
    value: 2000,
    unit: 'ms',
    source: 'ours: jobs that follow each other meet no frozen process, and what ends its work after a result has time',
  },
  webhookAttempts: { value: 3, unit: 'count', source: 'job-api, Webhook: one try and two more' },
  webhookRetryMs: { value: 10_000, unit: 'ms', source: 'job-api, Webhook' },
  webhookTimeoutMs: { value: 10_000, unit: 'ms', source: 'job-api, Webhook' },
  webhookAnswerBytes: { value: 64 * 1024, unit: 'bytes', source: 'job-api, Webhook' },
  logLineBytes: { value: 16 * 1024, unit: 'bytes', source: 'ours, because a line is read by a person' },
  unsentResults: {
    value: 1000,
    unit: 'count',
    source: 'ours: jobs that said so and have not ended; more is no worker',
  },
  logLinesPerWorker: { value: 50_000, unit: 'count', source: 'ours: about 5 MB' },
  logLinesPerJob: { value: 10_000, unit: 'count', source: 'ours: about 1 MB' },
  logFileBytes: {
    value: 8 * MIB,
    unit: 'bytes',
    source: 'ours: the file between a worker and the log store is emptied past this',
  },
  payloadInRowBytes: {
    value: 256 * 1024,
    unit: 'bytes',
    source:
      'ours: larger payloads are files, which are written once; the database writes twice, and holds up the event loop',
  },
  payloadMemoryBytes: {
    value: 64 * MIB,
    unit: 'bytes',
    source: 'ours: three of the largest bodies, held for the reader that waits for them',
  },
  requestHeadersMs: { value: 10_000, unit: 'ms', source: 'targets 19: from their first byte' },
  quietConnectionMs: { value: MINUTE, unit: 'ms', source: 'targets 19: a connection on which nothing is asked' },
  connectionsWithoutKey: { value: 1000, unit: 'count', source: 'targets 19: of one client address' },
  proxyBodyBytes: { value: 30 * MIB, unit: 'bytes', source: 'job-api, Load-balanced endpoints' },
  proxyWaitMs: { value: 2 * MINUTE, unit: 'ms', source: 'job-api, Load-balanced endpoints' },
  proxyProcessingMs: { value: 5.5 * MINUTE, unit: 'ms', source: 'job-api, Load-balanced endpoints' },
  requestsPerEndpoint: { value: 50_000, unit: 'count', source: 'ours: the newest; about 8 MB' },
  searchTextBytes: { value: 64 * 1024, unit: 'bytes', source: 'ours, because a picture in base64 is not searched' },
  artifactBytes: { value: 1500 * MIB, unit: 'bytes', source: 'spec 8: deployment size; app-deploy, Build' },
  artifactPartBytes: { value: 8 * MIB, unit: 'bytes', source: 'ours: one part is held in memory' },
  unpackedBytes: { value: 8 * 1500 * MIB, unit: 'bytes', source: 'ours: code packs to a quarter; more is a bomb' },
  unpackedFiles: { value: 500_000, unit: 'count', source: 'ours: ten times the largest set of packages seen' },
  releasesKept: { value: 50, unit: 'count', source: 'ours, of an environment: older ones are deleted' },
  sessionLinkMs: { value: MINUTE, unit: 'ms', source: 'ours: a browser opens at once' },
  sessionLinks: { value: 20, unit: 'count', source: 'ours, open at once: more are of a script that went wrong' },
  sessionMs: { value: 30 * DAY, unit: 'ms', source: 'ours: whoever comes back each month stays signed in' },
  sessions: { value: 50, unit: 'count', source: 'ours: browsers and their private windows; the oldest makes room' },
  shells: { value: 8, unit: 'count', source: 'issue 6, Workers: open at once' },
  shellUnreadMs: { value: MINUTE, unit: 'ms', source: 'issue 6, Workers: a page that is gone leaves its shell' },
  shellInputBytes: { value: 64 * 1024, unit: 'bytes', source: 'ours: a large paste; more is a file' },
  shellUnreadBytes: { value: 128 * 1024, unit: 'bytes', source: 'ours: a screen is 10 KiB; then the program waits' },
  shellKeptBytes: { value: 256 * 1024, unit: 'bytes', source: 'ours: what a page that comes back can read again' },
  loadTestRequests: { value: 100_000, unit: 'count', source: 'issue 6: load test' },
  loadTestConcurrency: { value: 256, unit: 'count', source: 'ours: twice the sockets that clients open by themselves' },
  loadTestBytes: { value: 8192 * MIB, unit: 'bytes', source: 'ours, of all its bodies: jobs keep them on the disk' },
  loadTestsKept: { value: 50, unit: 'count', source: 'ours, of an endpoint: older ones are deleted' },
  savedRequests: { value: 200, unit: 'count', source: 'ours, of an endpoint: a longer list is not a list of names' },
  savedRequestsBytes: { value: 16 * MIB, unit: 'bytes', source: 'ours, of an endpoint: a list of them is one answer' },
  workflowBytes: { value: 20 * MIB, unit: 'bytes', source: 'ours: ten times the largest document seen' },
  workflows: { value: 10_000, unit: 'count', source: 'ours: a list of them is one answer' },
  workflowVersionsKept: { value: 200, unit: 'count', source: 'ours, of a workflow: older ones are deleted' },
  workflowRestoreMs: { value: 60 * MINUTE, unit: 'ms', source: 'ours: who deleted the wrong one notices by then' },
  assetBytes: { value: 64 * MIB, unit: 'bytes', source: 'ours: a film of a minute; one file is held in memory' },
  assetUnusedMs: { value: 60 * MINUTE, unit: 'ms', source: 'ours: from an upload to the draft that names it' },
  runImagesBytes: { value: 10 * MIB, unit: 'bytes', source: 'image-workflows, Running a graph' },
  runsKept: { value: 10_000, unit: 'count', source: 'ours: the newest; some MB of records' },
  runsKeptMs: { value: 30 * DAY, unit: 'ms', source: 'ours: what is older is not looked for in a gallery' },
  runsKeptBytes: { value: 4096 * MIB, unit: 'bytes', source: 'ours, of their graphs: 400 KiB for each; the newest' },
  nodePackagesBytes: { value: 64 * MIB, unit: 'bytes', source: 'ours: ten times the public index' },
  nodeTypesBytes: { value: 32 * MIB, unit: 'bytes', source: 'ours: five times a server with all known extensions' },
  modelsListed: { value: 10_000, unit: 'count', source: 'ours, of a folder: a list of them is one answer' },
  modelDownloadsKept: { value: 200, unit: 'count', source: 'ours: the newest; older ones are read by nobody' },
  modelsSpareBytes: {
    value: 1024 * MIB,
    unit: 'bytes',
    source: 'ours: what a download leaves free on its disk, which the database may be on',
  },
  listPage: { value: 50, unit: 'count', source: 'targets, Speed' },
  listPageMax: { value: 500, unit: 'count', source: 'ours, because a page is one answer' },
  listIds: { value: 100, unit: 'count', source: 'ours: 40 letters each; more does not fit into an address' },
  listErrorLength: { value: 500, unit: 'count', source: 'ours: a row shows a line of it; the job has it whole' },
  jobCount: { value: 1_000_000, unit: 'count', source: 'ours: counted from an index in some 50 ms' },
  jobCountRead: { value: 50_000, unit: 'count', source: 'ours: where each row must be read, in some 50 ms' },
  importBadLines: { value: 100, unit: 'count', source: 'ours: the first ones say what is wrong with a file' },
  bulkIds: { value: 10_000, unit: 'count', source: 'ours: they fit into a body; more are named by a filter' },
} as const satisfies Record<string, Limit>

/** Name of a limit. */
export type LimitName = keyof typeof LIMITS

/** The value of a limit, in its unit. */
export function limit(name: LimitName): number {
  return LIMITS[name].value
}

/** Base requests per 10 s (and at once) of an operation under strict limits; source: job-api, Errors. */
export const STRICT_LIMITS = {
  runsync: { per10s: 2000, atOnce: 400 },
  status: { per10s: 2000, atOnce: 400 },
  stream: { per10s: 2000, atOnce: 400 },
  run: { per10s: 1000, atOnce: 200 },
  cancel: { per10s: 100, atOnce: 20 },
  'purge-queue': { per10s: 2, atOnce: undefined },
  requests: { per10s: 10, atOnce: 2 },
} as const
