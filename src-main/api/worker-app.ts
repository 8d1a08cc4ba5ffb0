/**
 * The app of the listener for workers: only the routes of contract/worker-protocol, each with the token of the worker
 * in the path. Its responses suit the public SDK: a result is never refused with a 4xx, because the SDK throws away
 * what is; nothing to do is a 204 that was held.
 */
import type { Socket } from 'node:net'
import { type Context, Hono } from 'hono'
import { AppError } from '../contract/errors.ts'
import { limit } from '../contract/limits.ts'
import type { Route } from '../contract/routes.ts'
import { TOKEN_PARAMETER, WORKER_ROUTES, type WorkerCall } from '../contract/worker-protocol.ts'
import { keyFromHeader } from '../domain/auth.ts'
import { droppedUpdate, isUpdate, type Report, readReport, tooLargeReport, unreadReport } from '../domain/job/report.ts'
import { readChunk, type SentChunk } from '../domain/job/stream.ts'
import type { Json } from '../domain/json/json.ts'
import type { TraceHeaders } from '../domain/monitoring/trace-context.ts'
import { keepEnds } from '../domain/text.ts'
import { type Bytes, bodyText, shortText, withoutMark } from '../services/body-text.ts'
import type { ReadsInThread } from '../services/ports/read-in-thread.ts'
import type { HandOut } from '../services/queue/parked-takes.ts'
import type { ServiceBase, WorkerServices } from '../services/service-context.ts'
import type { LiveWorker } from '../services/worker-registry.ts'
import { noteAdmission } from './admission.ts'
import { errorResponse } from './error-response.ts'
import type { NodeBindings } from './node-bindings.ts'
import { jsonResponse } from './operation.ts'
import { type Parsed, parseRequest, readBody } from './read-request.ts'
import { afterResponse } from './send-response.ts'

const NOTHING = () => new Response(null, { status: 204 })
const ACCEPTED = '{"ok":true}'

/** What a call gets: the token has been checked, and the values are those of its row. */
type WorkerRequest<Name extends WorkerCall> = Parsed<(typeof WORKER_ROUTES)[Name]> & {
  readonly c: Context
  readonly worker: LiveWorker
}

type WorkerOperations = {
  readonly [Name in WorkerCall]: (request: WorkerRequest<Name>) => Promise<Response> | Response
}

/** Makes the app of the listener for workers. */
export function createWorkerApp(service: ServiceBase & WorkerServices): Hono {
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
  ): Promise<readonly HandOut[]> {
    const handOuts = await calls.take(worker, { max, busy: query.job_in_progress, signal: c.req.raw.signal })
    if (handOuts.length > 0) {
      const jobs = handOuts.map(({ job }) => job)
      const lost = () =>
        void calls.undelivered(jobs).catch((error) => log.error('undelivered jobs not released', { error }))
      afterHandOut(c, lost)
    }
    return handOuts
  }

  const piecesOf = (handOut: HandOut) => jobPieces(handOut, service.traces.forWorker(handOut.job))

  const operations: WorkerOperations = {
    async take(request) {
      const [handOut] = await take(request, 1)
      return handOut === undefined ? NOTHING() : jsonResponse(piecesOf(handOut))
    },
    async takeBatch(request) {
      const handOuts = await take(request, request.query.batch_size)
      if (handOuts.length === 0) return NOTHING()
      const listed = handOuts.flatMap((handOut, at) => [at === 0 ? '[' : ',', ...piecesOf(handOut)])
      return jsonResponse([...listed, ']'])
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
    async done({ c, worker, path }) {
      await calls.report(worker, path.jobId, await readDone(c, service))
      return jsonResponse(ACCEPTED)
    },
    async stream({ worker, path, body }) {
      await calls.stream(worker, path.jobId, await readSentChunk(body, service))
      return jsonResponse(ACCEPTED)
    },
  }

  for (const [name, route] of Object.entries<Route>(WORKER_ROUTES)) {
    // Row and operation have one name, which the compiler cannot see through a variable.
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

/** What to call for the newest answer on a connection when it turns out that nobody has read it. */
const unread = new WeakMap<Socket, () => void>()

/**
 * Calls `lost` when a response did not reach the client: its connection was closed before the response, or before the
 * client has read it. To write in full is no proof, since the system takes what is written for a connection whose other
 * side has just closed. That side then answers with a reset, and it sends one too where it closes with bytes that were
 * not read.
 *
 *   closed before the response, seen in time        the response is not written in full
 *   closed before the response, seen too late       end of input, and one more write fails with the reset
 *   closed with the response unread                 the reset itself
 *   closed with the response read                   end of input, and one more write succeeds: not lost
 *
 * Without a socket (the app is called as a function) nothing is ever lost, unless the client had gone.
 * @param lost may be called twice; not any more when the next answer of this kind is sent on the connection
 */
function afterHandOut(c: Context, lost: () => void): void {
  const bindings = c.env as NodeBindings | undefined
  afterResponse(c, { written: () => undefined, lost })
  const socket = bindings?.incoming?.socket
  if (socket === undefined) return
  if (!unread.has(socket)) {
    // Before the server's own listener, which closes our side. A client that still reads finds an empty line after the
    // response.
    socket.prependOnceListener('end', () => void (socket.writable && socket.write('\r\n')))
    socket.once('close', (withError) => void (withError && unread.get(socket)?.()))
  }
  unread.set(socket, lost)
}

function jobPieces({ job, input, s3Config }: HandOut, trace: TraceHeaders | undefined): readonly Json[] {
  const webhook = job.webhook === null ? '' : `,"webhook":${JSON.stringify(job.webhook)}`
  return [
    `{"id":"${job.id}","input":`,
    input,
    `${webhook}${s3Config === undefined ? '' : `,"s3Config":${s3Config}`}${traceFields(trace)}}`,
  ]
}

// Named as the headers, so that a handler passes them on as they are.
function traceFields(trace: TraceHeaders | undefined): string {
  return trace === undefined ? '' : `,${JSON.stringify(trace).slice(1, -1)}`
}

function healthReason({ check, reason }: WorkerRequest<'ping'>['query']): string {
  const parts = [check, reason].filter((part) => part !== undefined && part !== '')
  return keepEnds(parts.join(': '), 300) || 'it says that it is unhealthy'
}

// Enough to tell an update from a result.
const START_BYTES = 100

const startOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, START_BYTES)).toString('latin1')

async function readDone(c: Context, { readInThread }: ReadsInThread): Promise<Report> {
  let start = ''
  const begins = (first: Uint8Array) => {
    start = startOf(first)
  }
  try {
    const { bytes, name } = WORKER_ROUTES.done.bodyLimit
    const body = withoutMark(await readBody(c, bytes, name, begins))
    const text = shortText(body)
    if (text !== undefined) return readReport(text)
    const read = await readInThread('report', body)
    if (!('problem' in read)) return read
    return isUpdate(startOf(body)) ? droppedUpdate(read.problem) : unreadReport(read.problem)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'BODY_TOO_LARGE') throw error
    const most = String(error.data.limit)
    return isUpdate(start) ? droppedUpdate(`it exceeds the ${most} maximum`) : tooLargeReport(most)
  }
}

async function readSentChunk(sent: Bytes, { readInThread }: ReadsInThread): Promise<SentChunk> {
  const body = withoutMark(sent)
  if (body.length <= limit('payloadInRowBytes')) return readChunk(bodyText(body).text, limit('chunkBytes'))
  return await readInThread('chunk', body)
}
