import { isUtf8 } from 'node:buffer'
/**
 * The app of the listener for workers: only the routes of contract/worker-protocol, each with the token of the worker
 * in the path. Its answers keep the public SDK calm: a result is never refused with a 4xx, because the SDK throws away
 * what is; nothing to do is a 204 that was held.
 */
import { type Context, Hono } from 'hono'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { TOKEN_PARAMETER, WORKER_ROUTES } from '../../contract/worker-protocol.ts'
import { keyFromHeader } from '../../domain/auth.ts'
import { type Report, readReport, tooLargeReport } from '../../domain/job/result.ts'
import type { Json } from '../../domain/json/json.ts'
import { cutText, rawFields } from '../../domain/json/scan-json.ts'
import type { HandOut } from '../../services/queue/read-hand-outs.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import type { LiveWorker } from '../../services/workers/worker-registry.ts'
import { bodyText, withoutMark } from '../body-text.ts'
import { afterHandOut } from '../delivery.ts'
import { errorResponse } from '../error-response.ts'
import { foldedText } from '../fold-strings.ts'
import { readBody } from '../read-body.ts'
import { jsonAnswer } from '../v2/operation.ts'

const NOTHING = () => new Response(null, { status: 204 })
const ACCEPTED = '{"ok":true}'

/** Makes the app of the listener for workers. */
export function createWorkerApp(service: ServiceContext): Hono {
  const { calls, newId, registry, log } = service
  const app = new Hono()

  function workerOf(c: Context): LiveWorker {
    const worker = registry.get(c.req.param('workerId') ?? '')
    const tokens = [keyFromHeader(c.req.header('authorization')), c.req.query(TOKEN_PARAMETER)]
    const isIts = (token: string | undefined) =>
      token !== undefined && worker !== undefined && newId.sameHash(newId.hash(token), worker.tokenHash)
    if (worker === undefined || !tokens.some(isIts) || worker.endpointId !== c.req.param('endpointId'))
      throw new AppError('UNAUTHORIZED')
    return worker
  }

  async function take(c: Context, max: number): Promise<readonly HandOut[]> {
    const handOuts = await calls.take(workerOf(c), {
      max,
      busy: c.req.query('job_in_progress') === '1',
      signal: c.req.raw.signal,
    })
    if (handOuts.length > 0) {
      const jobs = handOuts.map(({ job }) => job)
      const lost = () =>
        void calls.undelivered(jobs).catch((error) => log.error('undelivered jobs not released', { error }))
      afterHandOut(c, lost)
    }
    return handOuts
  }

  app.get(WORKER_ROUTES.take.path, async (c) => {
    const [handOut] = await take(c, 1)
    return handOut === undefined ? NOTHING() : jsonAnswer(jobPieces(handOut))
  })
  app.get(WORKER_ROUTES.takeBatch.path, async (c) => {
    const size = Number(c.req.query('batch_size') ?? 1)
    const handOuts = await take(c, Number.isInteger(size) && size >= 1 ? Math.min(size, limit('takeBatchMax')) : 1)
    if (handOuts.length === 0) return NOTHING()
    const listed = handOuts.flatMap((handOut, at) => [at === 0 ? '[' : ',', ...jobPieces(handOut)])
    return jsonAnswer([...listed, ']'])
  })
  app.get(WORKER_ROUTES.stop.path, async (c) => {
    const jobsToStop = await calls.waitForStopOrders(workerOf(c), c.req.raw.signal)
    return jobsToStop.length === 0 ? NOTHING() : c.json({ jobsToStop })
  })
  app.get(WORKER_ROUTES.ping.path, (c) => {
    const unhealthy = c.req.query('status') === 'unhealthy' ? healthReason(c) : undefined
    calls.ping(workerOf(c), { jobIds: (c.req.query('job_id') ?? '').split(',').filter((id) => id !== ''), unhealthy })
    return jsonAnswer(ACCEPTED)
  })
  app.post(WORKER_ROUTES.done.path, async (c) => {
    const worker = workerOf(c)
    const report = await readDone(c)
    await calls.report(worker, c.req.param('jobId') ?? '', report)
    return jsonAnswer(ACCEPTED)
  })
  app.post(WORKER_ROUTES.stream.path, async (c) => {
    const worker = workerOf(c)
    const chunk = await readChunk(c)
    if (chunk !== undefined) await calls.stream(worker, c.req.param('jobId') ?? '', chunk)
    return jsonAnswer(ACCEPTED)
  })
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

function jobPieces({ job, input, s3Config }: HandOut): readonly Json[] {
  const webhook = job.webhook === null ? '' : `,"webhook":${JSON.stringify(job.webhook)}`
  return [`{"id":"${job.id}","input":`, input, `${webhook}${s3Config === null ? '' : `,"s3Config":${s3Config}`}}`]
}

function healthReason(c: Context): string {
  const words = [c.req.query('check'), c.req.query('reason')].filter((word) => word !== undefined && word !== '')
  return words.join(': ').slice(0, 300) || 'it says that it is unhealthy'
}

async function readDone(c: Context): Promise<Report> {
  try {
    const body = withoutMark(await readBody(c, limit('resultBodyBytes'), 'a result'))
    return readReport(isUtf8(body) ? foldedText(body) : bodyText(body))
  } catch (error) {
    if (error instanceof AppError && error.code === 'BODY_TOO_LARGE') return tooLargeReport(String(error.data.limit))
    throw error
  }
}

// A chunk that is no JSON object with an output carries nothing.
async function readChunk(c: Context): Promise<{ output: string; metrics: string | undefined } | undefined> {
  const { text } = bodyText(withoutMark(await readBody(c, limit('resultBodyBytes'), 'a chunk')))
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  const raw = rawFields(text, cutText(text))
  const output = raw('output')
  return output === undefined ? undefined : { output, metrics: raw('metrics') }
}
