import { DAY_MS, HOUR_MS, KIB, MIB, MINUTE_MS, SECOND_MS } from './units.ts'

/** One limit of the service: its value, the unit, and who says so. */
export type Limit = { readonly value: number; readonly unit: 'ms' | 'bytes' | 'count'; readonly source: string }

/** Every limit of the job API and of workers. Read it with `limit('name')`. */
export const LIMITS = {
  runBodyBytes: { value: 10 * MIB, unit: 'bytes', source: 'docs/spec/job-api.md, 11; the platform says MiB' },
  runsyncBodyBytes: { value: 20 * MIB, unit: 'bytes', source: 'docs/spec/job-api.md, 11; the platform says MiB' },
  resultBodyBytes: { value: 20 * MIB, unit: 'bytes', source: 'docs/spec/worker-protocol.md, 2' },
  managementBodyBytes: { value: MIB, unit: 'bytes', source: 'ours, because a setting is never larger' },
  jsonDepth: { value: 1000, unit: 'count', source: 'ours, because Python handlers recurse about that deep' },
  jsonKeys: { value: 100_000, unit: 'count', source: 'ours: 20 times the keys of a 5,000-node workflow field list' },
  jobErrorLength: {
    value: 64 * KIB,
    unit: 'count',
    source: 'ours: a traceback of hundreds of calls; lists read the errors of all their jobs',
  },
  jsonFields: { value: 10_000, unit: 'count', source: 'ours, at the top of a body: programs name some dozens' },
  jsonValues: {
    value: 100_000,
    unit: 'count',
    source: 'ours, of a large body that passes no payloads on: ten times the longest list of ids',
  },
  settingValues: {
    value: 20_000,
    unit: 'count',
    source: 'ours, of a body of the usual size: 2,000 functions of a manifest',
  },
  readInThreadMs: { value: 60_000, unit: 'ms', source: 'ours: the worst body of 20 MiB takes two seconds of a core' },
  readInThreadIdleMs: { value: 30_000, unit: 'ms', source: 'ours: large bodies often come one after the other' },
  chunkBytes: { value: MIB, unit: 'bytes', source: 'docs/spec/job-api.md, 11' },
  chunksPerJob: { value: 1_000_000, unit: 'count', source: 'docs/spec/targets.md, 2.22' },
  waitDefaultMs: { value: 90_000, unit: 'ms', source: 'docs/spec/job-api.md, 1' },
  waitMinMs: { value: 1000, unit: 'ms', source: 'docs/spec/job-api.md, 1' },
  waitMaxMs: { value: 300_000, unit: 'ms', source: 'docs/spec/job-api.md, 1' },
  streamReadBytes: { value: 4 * MIB, unit: 'bytes', source: 'ours: one more chunk may follow; held in memory' },
  streamReadChunks: { value: 10_000, unit: 'count', source: 'ours: read and joined in some 10 ms' },
  streamHoldMs: { value: 5000, unit: 'ms', source: 'docs/spec/job-api.md, 5: one client gives up after 10 s' },
  executionTimeoutMinMs: { value: 5000, unit: 'ms', source: 'docs/spec/job-api.md, 2' },
  executionTimeoutMaxMs: { value: 7 * DAY_MS, unit: 'ms', source: 'docs/spec/job-api.md, 2' },
  executionTimeoutDefaultMs: { value: 600_000, unit: 'ms', source: 'docs/spec/job-api.md, 2' },
  ttlMinMs: { value: 10_000, unit: 'ms', source: 'docs/spec/job-api.md, 2' },
  ttlMaxMs: { value: 7 * DAY_MS, unit: 'ms', source: 'docs/spec/job-api.md, 2' },
  ttlDefaultMs: { value: DAY_MS, unit: 'ms', source: 'docs/spec/job-api.md, 2' },
  runRetentionMs: { value: 30 * MINUTE_MS, unit: 'ms', source: 'docs/spec/job-api.md, 11' },
  runsyncRetentionMs: { value: MINUTE_MS, unit: 'ms', source: 'docs/spec/job-api.md, 11' },
  runsyncRetentionMaxMs: { value: 5 * MINUTE_MS, unit: 'ms', source: 'docs/spec/job-api.md, 11' },
  idempotencyKeyLength: { value: 255, unit: 'count', source: 'docs/spec/job-api.md, 2' },
  priorityMin: {
    value: -100,
    unit: 'count',
    source: 'ours, docs/spec/job-api.md, 2: enough steps to either side of 0',
  },
  priorityMax: { value: 100, unit: 'count', source: 'ours, docs/spec/job-api.md, 2: enough steps to either side of 0' },
  queuePosition: {
    value: 100_000,
    unit: 'count',
    source: 'ours: so many are counted in some ms; beyond it is "more than"',
  },
  webhookUrlLength: { value: 2048, unit: 'count', source: 'ours, because longer addresses break proxies' },
  leaseMs: { value: 10_000, unit: 'ms', source: 'docs/spec/job-api.md, 4' },
  wayBackLostMs: {
    value: 2 * MINUTE_MS,
    unit: 'ms',
    source: 'ours: twelve leases; a service that is started again, or a link that comes back, takes less',
  },
  pingIntervalMs: { value: 3000, unit: 'ms', source: 'docs/spec/worker-protocol.md, 1' },
  takeHoldMs: { value: 20_000, unit: 'ms', source: 'docs/spec/worker-protocol.md, 2' },
  takeBatchMax: { value: 100, unit: 'count', source: 'ours, because a batch is one answer' },
  stopGraceMs: {
    value: 5000,
    unit: 'ms',
    source: 'ours: longer than one ping interval, so that a cancelled job can say so',
  },
  initializingMs: { value: 7 * MINUTE_MS, unit: 'ms', source: 'the platform: cold start limit' },
  initTimeoutMaxMs: {
    value: 120 * MINUTE_MS,
    unit: 'ms',
    source: 'ours, of RUNPOD_INIT_TIMEOUT: twice the most that the setting takes, for values of production',
  },
  whatIfJobs: { value: 200_000, unit: 'count', source: 'ours: twice the load that has to take 3 s for one setting' },
  whatIfSimulatedJobs: {
    value: 4_000_000,
    unit: 'count',
    source: 'ours, because jobs times settings is what takes time: about a minute',
  },
  whatIfSettings: { value: 400, unit: 'count', source: 'ours, because nobody reads a longer table' },
  whatIfValues: { value: 20, unit: 'count', source: 'ours, of one setting' },
  whatIfWaiting: { value: 4, unit: 'count', source: 'ours: each holds its history in memory while it waits' },
  traceBytes: { value: 8 * MIB, unit: 'bytes', source: 'ours: 200,000 lines of 40 letters' },
  freezeIdleMs: {
    value: 2000,
    unit: 'ms',
    source: 'ours: jobs that follow each other meet no frozen process, and what ends its work after a result has time',
  },
  webhookAttempts: { value: 3, unit: 'count', source: 'docs/spec/job-api.md, 6: one try and two more' },
  webhookRetryMs: { value: 10_000, unit: 'ms', source: 'docs/spec/job-api.md, 6' },
  webhookTimeoutMs: { value: 10_000, unit: 'ms', source: 'docs/spec/job-api.md, 6' },
  webhookAnswerBytes: { value: 64 * KIB, unit: 'bytes', source: 'docs/spec/job-api.md, 6' },
  logLineBytes: { value: 16 * KIB, unit: 'bytes', source: 'ours, because a line is read by a person' },
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
    value: 256 * KIB,
    unit: 'bytes',
    source:
      'ours: larger payloads are files, which are written once; the database writes twice, and holds up the event loop',
  },
  payloadMemoryBytes: {
    value: 64 * MIB,
    unit: 'bytes',
    source: 'ours: three of the largest bodies, held for the reader that waits for them',
  },
  requestHeadersMs: { value: 10_000, unit: 'ms', source: 'docs/spec/targets.md, 2.19: from their first byte' },
  quietConnectionMs: { value: MINUTE_MS, unit: 'ms', source: 'docs/spec/targets.md, 2.19: nothing is asked on it' },
  readerMs: { value: 30_000, unit: 'ms', source: 'docs/spec/targets.md, 2.29: over which a reader is measured' },
  readerBytes: { value: 480 * KIB, unit: 'bytes', source: 'docs/spec/targets.md, 2.29: 16 KiB a second of readerMs' },
  connectionsWithoutKey: { value: 1000, unit: 'count', source: 'docs/spec/targets.md, 2.19: of one client address' },
  proxyBodyBytes: { value: 30 * MIB, unit: 'bytes', source: 'docs/spec/job-api.md, 10' },
  proxyWaitMs: { value: 2 * MINUTE_MS, unit: 'ms', source: 'docs/spec/job-api.md, 10' },
  proxyProcessingMs: { value: 5.5 * MINUTE_MS, unit: 'ms', source: 'docs/spec/job-api.md, 10' },
  requestsPerEndpoint: { value: 50_000, unit: 'count', source: 'ours: the newest; about 8 MB' },
  searchTextBytes: { value: 64 * KIB, unit: 'bytes', source: 'ours, because a picture in base64 is not searched' },
  manifestResources: { value: 500, unit: 'count', source: 'ours, endpoints of an app: all are checked at once' },
  variables: { value: 1000, unit: 'count', source: 'ours, of an endpoint or an environment of an app' },
  manifestBytes: { value: MIB, unit: 'bytes', source: 'ours: some 2,000 functions; all of it is checked at once' },
  manifestFiles: { value: 2000, unit: 'count', source: 'ours: some 200 KiB of the manifest, which all of it shares' },
  planFiles: { value: 100, unit: 'count', source: 'ours: a person reads no more' },
  artifactBytes: { value: 1500 * MIB, unit: 'bytes', source: 'docs/spec/app-deploy.md, 5' },
  uploadMs: { value: 3_600_000, unit: 'ms', source: 'ours: an hour for 1500 MB, six times what the public tool takes' },
  uploadsAtOnce: { value: 100, unit: 'count', source: 'ours: a tool deploys a handful of apps at a time' },
  signInRequests: { value: 20, unit: 'count', source: 'ours: more programs than a person signs in at a time' },
  signInRequestMs: { value: 600_000, unit: 'ms', source: 'the public tool: it asks for ten minutes' },
  taskCallsAtOnce: { value: 10, unit: 'count', source: 'ours: further calls of a task wait in its queue' },
  saveWaitMs: { value: 45_000, unit: 'ms', source: 'ours: below the minute after which the public tool gives up' },
  releaseWaitMs: {
    value: 3 * MINUTE_MS,
    unit: 'ms',
    source: 'docs/spec/app-deploy.md, 7: time for the first worker of a release to load its packages and model',
  },
  artifactPartBytes: { value: 8 * MIB, unit: 'bytes', source: 'ours: one part is held in memory' },
  unpackedBytes: {
    value: 8 * 1500 * MIB,
    unit: 'bytes',
    source: 'ours: code packs to a quarter; decompression-bomb guard',
  },
  unpackedFiles: { value: 500_000, unit: 'count', source: 'ours: ten times the largest set of packages seen' },
  artifactUnusedMs: {
    value: HOUR_MS,
    unit: 'ms',
    source: 'ours: from an upload, over a look at the plan, to its release',
  },
  targetDeploysKept: { value: 50, unit: 'count', source: 'ours, of an environment of a target: as releases' },
  releasesKept: { value: 50, unit: 'count', source: 'ours, of an environment: older ones are deleted' },
  endpointRevisionsKept: { value: 50, unit: 'count', source: 'ours, of an endpoint: as releases of an app' },
  sessionLinkMs: { value: MINUTE_MS, unit: 'ms', source: 'ours: a browser opens at once' },
  sessionLinks: { value: 20, unit: 'count', source: 'ours, open at once: more are of a script that went wrong' },
  sessionMs: { value: 30 * DAY_MS, unit: 'ms', source: 'ours: whoever comes back each month stays signed in' },
  sessions: { value: 50, unit: 'count', source: 'ours: browsers and their private windows; the oldest makes room' },
  namedKeys: { value: 100, unit: 'count', source: 'ours: one for each person and program; each is compared' },
  auditEntries: { value: 100_000, unit: 'count', source: 'ours: some years of a busy team; the oldest make room' },
  shells: { value: 8, unit: 'count', source: 'ours, open at once: each is a person at a screen' },
  shellUnreadMs: { value: MINUTE_MS, unit: 'ms', source: 'ours: a page that is gone leaves its shell' },
  shellInputBytes: { value: 64 * KIB, unit: 'bytes', source: 'ours: a large paste; more is a file' },
  shellUnreadBytes: { value: 128 * KIB, unit: 'bytes', source: 'ours: a screen is 10 KiB; then the program waits' },
  shellKeptBytes: { value: 256 * KIB, unit: 'bytes', source: 'ours: what a page that comes back can read again' },
  shellInputCharacters: { value: 16_000, unit: 'count', source: 'ours: 4 bytes each are below shellInputBytes' },
  loadTestRequests: { value: 100_000, unit: 'count', source: 'ours: a minute at 1,600 a second' },
  loadTestConcurrency: { value: 256, unit: 'count', source: 'ours: twice the sockets that clients open by themselves' },
  loadTestBytes: { value: 8192 * MIB, unit: 'bytes', source: 'ours, of all its bodies: jobs keep them on the disk' },
  loadTestsKept: { value: 50, unit: 'count', source: 'ours, of an endpoint: older ones are deleted' },
  savedRequests: { value: 200, unit: 'count', source: 'ours, of an endpoint: a longer list is not a list of names' },
  savedRequestsBytes: { value: 16 * MIB, unit: 'bytes', source: 'ours, of an endpoint: a list of them is one answer' },
  schedules: { value: 100, unit: 'count', source: 'ours, of an endpoint: a longer list is a program of its own' },
  scheduleEveryMinMs: { value: SECOND_MS, unit: 'ms', source: 'ours: what comes more often is a loop of a worker' },
  scheduleGraceMs: {
    value: MINUTE_MS,
    unit: 'ms',
    source: 'ours: a service that is started again is there sooner; a time that is older was missed',
  },
  scheduleRunsKept: { value: 50, unit: 'count', source: 'ours, of a schedule: older ones are deleted' },
  scheduleTimesCounted: { value: 1000, unit: 'count', source: 'ours: of missed times, more is just many' },
  scheduleTimesShown: { value: 5, unit: 'count', source: 'ours: enough to see whether a pattern is meant so' },
  comparisonItems: { value: 2000, unit: 'count', source: 'ours, inputs: written in one commit of some 10 ms' },
  comparisonVersions: { value: 50, unit: 'count', source: 'ours: as many as releases are kept' },
  comparisonJobsAtOnce: { value: 256, unit: 'count', source: 'ours: as a load test; the queue stays short for others' },
  comparisonFileBytes: { value: 8 * MIB, unit: 'bytes', source: 'ours: 2,000 inputs of 4 KiB' },
  comparisonsAtOnce: { value: 4, unit: 'count', source: 'ours: each keeps workers busy' },
  comparisonsKept: { value: 50, unit: 'count', source: 'ours: older ones that have ended are deleted' },
  comparisonOutputBytes: {
    value: 32 * MIB,
    unit: 'bytes',
    source: 'ours, of one output with its stream: more than the largest result; two are held while they are compared',
  },
  comparisonMs: {
    value: 60_000,
    unit: 'ms',
    source: 'ours, for two outputs: pictures of 64 megapixels take some 10 s',
  },
  batchInputs: { value: 100_000, unit: 'count', source: 'ours, of a batch: some hours of work for ten quick workers' },
  batchPieceLines: { value: 1000, unit: 'count', source: 'ours, of one request: what a broken connection sends again' },
  batchesKept: { value: 200, unit: 'count', source: 'ours, of an endpoint: older ones that have ended are forgotten' },
  batchFailuresRead: { value: 1000, unit: 'count', source: 'ours: the newest failures tell why; all take too long' },
  workflowBytes: { value: 20 * MIB, unit: 'bytes', source: 'ours: ten times the largest document seen' },
  workflows: { value: 10_000, unit: 'count', source: 'ours: a list of them is one answer' },
  workflowVersionsKept: { value: 200, unit: 'count', source: 'ours, of a workflow: older ones are deleted' },
  workflowRestoreMs: { value: HOUR_MS, unit: 'ms', source: 'ours: who deleted the wrong one notices by then' },
  assetBytes: { value: 64 * MIB, unit: 'bytes', source: 'ours: a film of a minute; one file is held in memory' },
  assetUnusedMs: { value: HOUR_MS, unit: 'ms', source: 'ours: from an upload to the draft that names it' },
  runImagesBytes: { value: 10 * MIB, unit: 'bytes', source: 'docs/spec/image-workflows.md, 5' },
  runsKept: { value: 10_000, unit: 'count', source: 'ours: the newest; some MB of records' },
  runsKeptMs: { value: 30 * DAY_MS, unit: 'ms', source: 'ours: what is older is not looked for in a gallery' },
  runsKeptBytes: { value: 4096 * MIB, unit: 'bytes', source: 'ours, of their graphs: 400 KiB for each; the newest' },
  graphExportBytes: { value: 192 * MIB, unit: 'bytes', source: 'ours: two files of the largest size; held in memory' },
  graphExportFiles: { value: 500, unit: 'count', source: 'ours: as many results as a run keeps' },
  payloadSecretCharacters: {
    value: 12,
    unit: 'count',
    source: 'ours: shorter values occur in inputs by chance, and an input that was changed cannot be run again',
  },
  appQueryBytes: { value: 64 * KIB, unit: 'bytes', source: 'ours: four times the largest query that is answered' },
  nodePackagesBytes: { value: 64 * MIB, unit: 'bytes', source: 'ours: ten times the public index' },
  nodeTypesBytes: { value: 32 * MIB, unit: 'bytes', source: 'ours: five times a server with all known extensions' },
  modelsListed: { value: 10_000, unit: 'count', source: 'ours, of a folder: a list of them is one answer' },
  modelDownloadsKept: { value: 200, unit: 'count', source: 'ours: the newest; older ones are read by nobody' },
  modelsSpareBytes: {
    value: 1024 * MIB,
    unit: 'bytes',
    source: 'ours: what a download leaves free on its disk, which the database may be on',
  },
  machines: { value: 50, unit: 'count', source: 'ours: each keeps a connection open; larger fleets are a swarm' },
  machineReachedMs: {
    value: 20_000,
    unit: 'ms',
    source: 'ours: how long a start waits for a machine with workers of before; then they are ended when it is reached',
  },
  listPage: { value: 50, unit: 'count', source: 'docs/spec/targets.md, 1' },
  listPageMax: { value: 500, unit: 'count', source: 'ours, because a page is one answer' },
  listIds: { value: 100, unit: 'count', source: 'ours: 40 letters each; more does not fit into an address' },
  listPreviewLength: { value: 200, unit: 'count', source: 'ours: a row shows a line of it; the job has it whole' },
  jobPreviewLength: {
    value: 8192,
    unit: 'count',
    source: 'ours: more than a screen shows of it; the job has it whole',
  },
  listErrorLength: { value: 500, unit: 'count', source: 'ours: a row shows a line of it; the job has it whole' },
  jobCount: { value: 1_000_000, unit: 'count', source: 'ours: counted from an index in some 50 ms' },
  jobCountRead: { value: 50_000, unit: 'count', source: 'ours: where each row must be read, in some 50 ms' },
  stateCount: { value: 10_000, unit: 'count', source: 'ours: all states are counted in some 10 ms' },
  importBadLines: { value: 100, unit: 'count', source: 'ours: the first ones say what is wrong with a file' },
  mcpBodyBytes: { value: 4 * MIB, unit: 'bytes', source: 'ours: a graph of 5,000 nodes has 2 MB' },
  mcpRequests: {
    value: 100,
    unit: 'count',
    source: 'ours, in 1 s of one key: each takes a millisecond of the service',
  },
  mcpRequestsAtOnce: { value: 64, unit: 'count', source: 'ours, of one key: more than a few agents wait for' },
  mcpCalls: { value: 40, unit: 'count', source: 'ours, calls of tools in 1 s: more than an agent reads in a minute' },
  mcpRefusedMs: {
    value: 1000,
    unit: 'ms',
    source:
      'ours: until a call above the limits is told so; who calls again at once is slowed down, and others are not',
  },
  mcpCallsAtOnce: { value: 8, unit: 'count', source: 'ours: an agent asks for a few things side by side' },
  mcpOutputCharacters: { value: 32_000, unit: 'count', source: 'ours, of one answer: some 8,000 tokens of a model' },
  mcpTextCharacters: { value: 4000, unit: 'count', source: 'ours, of one text in it: a traceback fits' },
  mcpRows: { value: 100, unit: 'count', source: 'ours, of a list: more than is compared at a glance' },
  mcpLogLines: { value: 200, unit: 'count', source: 'ours: more is searched, not read' },
  mcpEdits: { value: 200, unit: 'count', source: 'ours, in one call: a graph of usual size' },
  mcpWaitMs: { value: 50_000, unit: 'ms', source: 'ours: the official clients give up after 60 s' },
  mcpPictureBytes: { value: 3 * MIB, unit: 'bytes', source: 'ours: in base64 below the 5 MB that models take' },
  pendingBulkMs: { value: 60_000, unit: 'ms', source: 'ours: nobody waits longer to undo something' },
  pendingBulkActions: { value: 100, unit: 'count', source: 'ours, that wait at a time: each holds a body' },
  pendingBulkKept: { value: 50, unit: 'count', source: 'ours: older ones that have ended are forgotten' },
  bulkIds: { value: 10_000, unit: 'count', source: 'ours: they fit into a body; more are named by a filter' },
} as const satisfies Record<string, Limit>

/** Name of a limit. */
export type LimitName = keyof typeof LIMITS

/** The value of a limit, in its unit. */
export function limit(name: LimitName): number {
  return LIMITS[name].value
}

/** Base requests per 10 s (and at once) of an operation under strict limits; source: docs/spec/job-api.md, 8. */
export const STRICT_LIMITS = {
  runsync: { per10s: 2000, atOnce: 400 },
  status: { per10s: 2000, atOnce: 400 },
  stream: { per10s: 2000, atOnce: 400 },
  run: { per10s: 1000, atOnce: 200 },
  cancel: { per10s: 100, atOnce: 20 },
  'purge-queue': { per10s: 2, atOnce: undefined },
  requests: { per10s: 10, atOnce: 2 },
} as const

/**
 * Bytes of a text in UTF-8. Counted, because the contract and the domain know no runtime that could encode it; by units
 * and not by characters, as whole outputs of jobs are measured so.
 * @param text a surrogate without its other half counts as the three bytes of the character that replaces it
 */
export function utf8Bytes(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (isBetween(unit, 0xd800, 0xdbff) && isBetween(text.charCodeAt(at + 1), 0xdc00, 0xdfff)) {
      bytes += 4
      at += 1
    } else bytes += 3
  }
  return bytes
}

const isBetween = (unit: number, first: number, last: number): boolean => unit >= first && unit <= last
