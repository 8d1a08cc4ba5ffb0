/**
 * Worker protocol routes with the token in the path. Results never get a 4xx, as the SDK discards those; idle polls get
 * a held 204.
 */
import type { Socket } from 'node:net'
import { type Context, Hono } from 'hono'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Route } from '../../contract/routes.ts'
import { TOKEN_PARAMETER, WORKER_ROUTES, type WorkerCall } from '../../contract/worker-protocol.ts'
import type { ReadsJobs } from '../../features/jobs/ports/readers.ts'
import type { Dispatch } from '../../features/jobs/queue/read-dispatches.ts'
import {
  droppedUpdate,
  isUpdate,
  type Report,
  readReport,
  tooLargeReport,
  unreadReport,
} from '../../features/jobs/rules/report.ts'
import { withMembers } from '../../features/jobs/rules/secret-input.ts'
import { readChunk, type SentChunk } from '../../features/jobs/rules/stream.ts'
import { keyFromHeader } from '../../features/keys/rules.ts'
import type { TraceHeaders } from '../../features/monitoring/rules/trace-context.ts'
import type { ServiceBase, ServiceContext } from '../../features/service-context.ts'
import type { LiveWorker } from '../../features/workers/registry/worker-registry.ts'
import { noteAdmission } from '../../http/admission.ts'
import { type Bytes, bodyText, shortText, withoutMark } from '../../http/body-text.ts'
import { errorResponse } from '../../http/error-response.ts'
import type { NodeBindings } from '../../http/node-bindings.ts'
import { jsonResponse } from '../../http/operation.ts'
import { type Parsed, parseRequest, readBody } from '../../http/read-request.ts'
import { afterResponse } from '../../http/send-response.ts'
import type { Json } from '../../lib/json/bytes.ts'
import { keepEnds } from '../../lib/text.ts'

const NOTHING = () => new Response(null, { status: 204 })
const ACCEPTED = '{"ok":true}'

type WorkerRequest<Name extends WorkerCall> = Parsed<(typeof WORKER_ROUTES)[Name]> & {
  readonly c: Context
  readonly worker: LiveWorker
}

type WorkerOperations = {
  readonly [Name in WorkerCall]: (request: WorkerRequest<Name>) => Promise<Response> | Response
}

export function createWorkerApp(service: ServiceBase & Pick<ServiceContext, 'calls' | 'registry'>): Hono {
  const { calls, newId, registry, log } = service
  const app = new Hono()

  function workerOf(c: Context): LiveWorker {
    const worker = registry.get(c.req.param('workerId') ?? '')
    const tokens = [keyFromHeader(c.req.header('authorization')), c.req.query(TOKEN_PARAMETER)]
    const isIts = (token: string | undefined) =>
      token !== undefined && worker !== undefined && newId.sameHash(newId.hash(token), worker.tokenHash)
    if (worker === undefined || !tokens.some(isIts) || worker.endpointId !== c.req.param('endpointId'))
      throw new AppError('UNAUTHORIZED')
    noteAdmission((c.env as NodeBindings | undefined)?.incoming)
    return worker
  }

  async function take(
    { c, worker, query }: WorkerRequest<'take' | 'takeBatch'>,
    max: number,
  ): Promise<readonly Dispatch[]> {
    return givenTo(c, await calls.take(worker, { max, busy: query.job_in_progress, signal: c.req.raw.signal }))
  }

  function givenTo(c: Context, dispatches: readonly Dispatch[]): readonly Dispatch[] {
    if (dispatches.length > 0) {
      const jobs = dispatches.map(({ job }) => job)
      const lost = () =>
        void calls.undelivered(jobs).catch((error) => log.error('undelivered jobs not released', { error }))
      afterDispatch(c, lost)
    }
    return dispatches
  }

  const piecesOf = (dispatch: Dispatch) => jobPieces(dispatch, service.traces.forWorker(dispatch.job))

  const listOf = (dispatches: readonly Dispatch[]) => [
    ...dispatches.flatMap((dispatch, at) => [at === 0 ? '[' : ',', ...piecesOf(dispatch)]),
    ']',
  ]

  const operations: WorkerOperations = {
    async take(request) {
      const [dispatch] = await take(request, 1)
      return dispatch === undefined ? NOTHING() : jsonResponse(piecesOf(dispatch))
    },
    async takeBatch(request) {
      const dispatches = await take(request, request.query.batch_size)
      if (dispatches.length === 0) return NOTHING()
      return jsonResponse(listOf(dispatches))
    },
    async stop({ c, worker }) {
      const jobsToStop = await calls.waitForStopOrders(worker, c.req.raw.signal)
      return jobsToStop.length === 0 ? NOTHING() : c.json({ jobsToStop })
    },
    ping({ worker, query }) {
      const unhealthy = query.status === 'unhealthy' ? healthReason(query) : undefined
      calls.ping(worker, { jobIds: query.job_id, unhealthy })
      return jsonResponse(ACCEPTED)
    },
    async done({ c, worker, path, query }) {
      const report = await readDone(c, service)
      if (query.take === 0) await calls.report(worker, path.jobId, report)
      else {
        const jobs = givenTo(c, await calls.reportAndTake(worker, path.jobId, { report, max: query.take }))
        if (jobs.length > 0) return jsonResponse(['{"ok":true,"jobs":', ...listOf(jobs), '}'])
      }
      return jsonResponse(ACCEPTED)
    },
    async stream({ worker, path, body }) {
      await calls.stream(worker, path.jobId, await readSentChunk(body, service))
      return jsonResponse(ACCEPTED)
    },
  }

  for (const [name, route] of Object.entries<Route>(WORKER_ROUTES)) {
    const operate = operations[name as WorkerCall] as (request: object) => Promise<Response> | Response
    app.on([...route.methods], route.path, async (c) => {
      const worker = workerOf(c) // first: without its token nothing else of a request is read
      return await operate({ c, worker, ...(await parseRequest(c, route, service)) })
    })
  }
  app.notFound((c) =>
    errorResponse(
      c,
      new AppError('ROUTE_NOT_FOUND', { method: c.req.method, path: c.req.path.slice(0, 200) }),
      service,
    ),
  )
  app.onError((error, c) => errorResponse(c, error, service))
  return app
}

/** Called if nobody has read the newest response on a connection. */
const unread = new WeakMap<Socket, () => void>()

/**
 * Detects unread responses by one extra write, as a successful write proves nothing.
 * @param lost may be called twice, until the next such answer on the connection
 */
function afterDispatch(c: Context, lost: () => void): void {
  const bindings = c.env as NodeBindings | undefined
  afterResponse(c, { written: () => undefined, lost })
  const socket = bindings?.incoming?.socket
  if (socket === undefined) return
  if (!unread.has(socket)) {
    // Before the server's listener, which closes our side. A client that still reads sees an empty line.
    socket.prependOnceListener('end', () => void (socket.writable && socket.write('\r\n')))
    socket.once('close', (withError) => void (withError && unread.get(socket)?.()))
  }
  unread.set(socket, lost)
}

function jobPieces({ job, input, s3Config, secretInput }: Dispatch, trace: TraceHeaders | undefined): readonly Json[] {
  const webhook = job.webhook === null ? '' : `,"webhook":${JSON.stringify(job.webhook)}`
  return [
    `{"id":"${job.id}","input":`,
    ...(secretInput === undefined ? [input] : withMembers(input, secretInput)),
    `${webhook}${s3Config === undefined ? '' : `,"s3Config":${s3Config}`}${batchField(job)}${traceFields(trace)}}`,
  ]
}

const batchField = ({ batchId }: Dispatch['job']) => (batchId === null ? '' : `,"batchId":${JSON.stringify(batchId)}`)

function traceFields(trace: TraceHeaders | undefined): string {
  return trace === undefined ? '' : `,${JSON.stringify(trace).slice(1, -1)}`
}

function healthReason({ check, reason }: WorkerRequest<'ping'>['query']): string {
  const parts = [check, reason].filter((part) => part !== undefined && part !== '')
  return keepEnds(parts.join(': '), 300) || 'it says that it is unhealthy'
}

const START_BYTES = 100

const startOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, START_BYTES)).toString('latin1')

async function readDone(c: Context, { readInThread }: ReadsJobs): Promise<Report> {
  let start = ''
  const begins = (first: Uint8Array) => {
    start = startOf(first)
  }
  try {
    const { bytes, name } = WORKER_ROUTES.done.bodyLimit
    const body = withoutMark(await readBody(c, bytes, name, begins))
    const text = shortText(body)
    if (text !== undefined) return readReport(text)
    // Read before the thread takes the body.
    const startOfText = startOf(body)
    const read = await readInThread.report(body)
    if (!('problem' in read)) return read
    return isUpdate(startOfText) ? droppedUpdate(read.problem) : unreadReport(read.problem)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'BODY_TOO_LARGE') throw error
    const most = String(error.data.limit)
    return isUpdate(start) ? droppedUpdate(`it exceeds the ${most} maximum`) : tooLargeReport(most)
  }
}

async function readSentChunk(sent: Bytes, { readInThread }: ReadsJobs): Promise<SentChunk> {
  const body = withoutMark(sent)
  if (body.length <= limit('payloadInRowBytes')) return readChunk(bodyText(body).text, limit('chunkBytes'))
  return await readInThread.chunk(body)
}
