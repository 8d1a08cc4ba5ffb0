/** Comfy API v2 for each endpoint that takes workflows. Source: docs/spec/comfyui.md, 11. */
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import type { Admitted } from '../../../http/admit-stream.ts'
import { schemeOn } from '../../../http/guards.ts'
import type { NodeBindings } from '../../../http/node-bindings.ts'
import { jsonResponse } from '../../../http/operation.ts'
import { plainJson } from '../../../lib/json/plain.ts'
import { sizeText } from '../../../lib/text.ts'
import type { ServiceContext } from '../../service-context.ts'
import { assetResponse } from '../../workflows/routes/assets.ts'
import { withoutCredentials } from '../../workflows/rules/server-address.ts'
import {
  addComfyAsset,
  assetFromHash,
  fileOfComfyAsset,
  namesInGraph,
  readComfyAsset,
  receiveComfyAsset,
  removeComfyAsset,
} from '../comfy-assets.ts'
import { createComfyEvents } from '../comfy-events.ts'
import { cancelComfyJob, comfyWorkflow, isRunOf, listComfyJobs, readComfyJob, requireComfyRun } from '../comfy-jobs.ts'
import { type PromptDeps, promptOfJob, queuePrompt } from '../prompts.ts'
import { readFields } from '../read-fields.ts'
import { type ComfyFailure, comfyFailure, failureBody, refusedFailure } from '../rules/comfy-error.ts'
import { readAskedJobs, readAssetFields, readSubmission } from '../rules/comfy-requests.ts'
import type { ComfyPlace } from '../view-comfy-job.ts'
import { firstFile, readForm, uploadedBody } from './read-form.ts'

type Deps = {
  readonly service: Pick<
    ServiceContext,
    'storage' | 'clock' | 'newId' | 'log' | 'openStreams' | 'stopping' | 'workflows'
  >
  readonly runs: PromptDeps
  readonly admittedFor: (c: Context) => Admitted
}

export function createComfyApi({ service, runs, admittedFor }: Deps): Hono {
  const app = new Hono()
  const { storage, stopping, openStreams } = service
  const { assets } = service.workflows
  const deps = { ...runs, assets }
  const events = createComfyEvents(runs)
  let streams = 0

  function placeOf(c: Context): ComfyPlace {
    const { endpoint, address } = admittedFor(c)
    const { incoming } = c.env as NodeBindings
    const base = `${schemeOn(incoming?.socket)}://${incoming?.headers.host}${address.prefix}/api/v2`
    return { endpointId: endpoint.id, base }
  }
  const idOf = (c: Context) => c.req.param('id') ?? ''
  const bounded = (most: number) =>
    bodyLimit({
      maxSize: most,
      onError: (c) =>
        failed(c, comfyFailure(new AppError('BODY_TOO_LARGE', { limit: sizeText(most), operation: c.req.path }))),
    })

  app.get('/health', (c) => {
    const { config, id } = admittedFor(c).endpoint
    const { server } = config.workflows ?? {}
    return c.json({ status: 'healthy', upstream: server === undefined ? id : withoutCredentials(server) })
  })

  app.post('/jobs', bounded(limit('runBodyBytes')), async (c) => {
    const { endpoint } = admittedFor(c)
    const place = placeOf(c)
    const text = await c.req.text()
    const field = await readFields(runs, text)
    const inGraph = await readFields(runs, field('workflow') ?? '{}')
    const asked = readSubmission(field, inGraph, c.req.header('idempotency-key'))
    if ('code' in asked) return failed(c, asked)
    const promptId = runs.newId.uuid()
    const { graph, extraData, priority, metadata, idempotencyKey } = asked
    const queued = await queuePrompt(runs, endpoint, {
      ...{ graph, promptId, extraData, metadata },
      assets: await namesInGraph(deps, place, graph),
      ...(priority === undefined ? {} : { priority }),
      idempotencyKey: idempotencyKey && `comfy ${idempotencyKey}`,
    })
    if ('refused' in queued) return failed(c, refusedFailure(queued.refused))
    if (!isRunOf(queued.runId, promptId)) return failed(c, reused(promptOfJob(queued.runId) ?? queued.runId))
    return c.json(await readComfyJob(runs, place, promptId), 201)
  })
  app.get('/jobs', async (c) => {
    const asked = readAskedJobs(c.req.query())
    return 'code' in asked ? failed(c, asked) : c.json(await listComfyJobs(runs, placeOf(c), asked))
  })
  app.get('/jobs/:id', async (c) => c.json(await readComfyJob(runs, placeOf(c), idOf(c))))
  app.get('/jobs/:id/workflow', (c) => jsonResponse(comfyWorkflow(runs, placeOf(c), idOf(c))))
  app.post('/jobs/:id/cancel', async (c) => c.json(await cancelComfyJob(runs, placeOf(c), idOf(c))))
  app.get('/jobs/:id/events', (c) => {
    const place = placeOf(c)
    requireComfyRun(runs, place, idOf(c))
    if (streams >= limit('comfyuiEventStreams')) return failed(c, TOO_MANY_STREAMS)
    streams += 1
    return streamSSE(c, async (stream) => {
      const over = new AbortController()
      const unwatch = openStreams.watch(admittedFor(c).isAllowed, () => over.abort())
      const signal = AbortSignal.any([stopping, c.req.raw.signal, over.signal])
      try {
        for await (const event of events.follow(place, idOf(c), signal)) {
          if (event === undefined) await stream.write(': keepalive\n\n')
          else await stream.writeSSE({ event: event.event, data: JSON.stringify(event.data) })
          if (signal.aborted || stream.aborted) return
        }
      } finally {
        unwatch()
        streams -= 1
      }
    })
  })

  app.post('/assets', async (c) => {
    const place = placeOf(c)
    await using form = await readForm(c, {
      body: uploadedBody(c),
      receive: firstFile('file', (pieces) => receiveComfyAsset(deps, pieces)),
    })
    const { fields, files: [file] = [] } = form ?? {}
    if (file === undefined) return failed(c, invalid('file: must be a part of a form.'))
    const asked = readAssetFields((name) => fields?.get(name), file)
    if ('code' in asked) return failed(c, asked)
    const added = await addComfyAsset(deps, place, { ...asked, file: file.received })
    return added === undefined ? failed(c, MISMATCH) : c.json(added.asset, added.isNew ? 201 : 200)
  })
  app.post('/assets/from-hash', bounded(limit('managementBodyBytes')), async (c) => {
    const body = plainJson(await c.req.text())
    const fields = new Map(Object.entries(typeof body === 'object' && body !== null ? body : {}))
    const asked = readAssetFields((name) => (name === 'expected_hash' ? fields.get('hash') : fields.get(name)))
    if ('code' in asked) return failed(c, asked)
    const { expected: hash, expiresInSeconds } = asked
    if (hash === undefined) return failed(c, invalid('hash: must be the BLAKE3 hash of the file, like blake3:HEX.'))
    const filePath = fields.get('file_path') === undefined ? undefined : asked.filePath
    const asset = await assetFromHash(deps, placeOf(c), { hash, filePath, expiresInSeconds })
    return asset === undefined ? failed(c, NO_BLOB) : c.json(asset, 201)
  })
  app.get('/assets/by-hash/:hash', (c) => {
    const blake3 = /^blake3:([0-9a-f]{64})$/i.exec(c.req.param('hash'))?.[1]?.toLowerCase() ?? ''
    const { endpointId } = placeOf(c)
    const isHere = storage.comfyAssets.byHash({ endpointId, blake3, now: service.clock.now() }) !== undefined
    return c.body(null, isHere ? 200 : 404)
  })
  app.get('/assets/:id', (c) => c.json(readComfyAsset(deps, placeOf(c), idOf(c))))
  app.get('/assets/:id/content', (c) =>
    assetResponse(c, assets, { id: fileOfComfyAsset(deps, placeOf(c), idOf(c)), name: undefined }),
  )
  app.delete('/assets/:id', async (c) => {
    const place = placeOf(c)
    if (await removeComfyAsset(deps, place, idOf(c))) return c.body(null, 204)
    readComfyAsset(deps, place, idOf(c))
    return failed(c, IN_USE)
  })

  for (const path of ['/health', '/jobs/*', '/assets/*'])
    app.all(path, (c) =>
      failed(c, { status: 404, code: 'not_found', message: `There is no ${c.req.method} ${c.req.path}.` }),
    )
  app.onError((error, c) => {
    if (error instanceof AppError) return failed(c, comfyFailure(error))
    const requestId = service.newId.worker()
    service.log.error('request failed', { requestId, method: c.req.method, path: c.req.path, error })
    return failed(c, comfyFailure(new AppError('INTERNAL', { requestId })))
  })
  return app
}

function failed(c: Context, failure: ComfyFailure): Response {
  const { status, retryAfterSeconds } = failure
  const headers = {
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  }
  return c.json(failureBody(failure), status as 400, headers)
}

const invalid = (message: string): ComfyFailure => ({ status: 422, code: 'invalid_request', message })

/** Clients that lost the response find their job by its id. */
const reused = (jobId: string): ComfyFailure => ({
  ...{ status: 422, code: 'idempotency_key_reuse', details: { job_id: jobId } },
  message: `This Idempotency-Key was already used for job ${jobId}. Read that job, or use another key.`,
})

const TOO_MANY_STREAMS: ComfyFailure = {
  ...{ status: 429, code: 'too_many_streams', retryAfterSeconds: 5 },
  message: 'Too many event streams are open. Read the job instead, or close one.',
}

const MISMATCH: ComfyFailure = {
  ...{ status: 409, code: 'hash_mismatch' },
  message: 'The hash of the received bytes differs from expected_hash. Send them again.',
}

const NO_BLOB: ComfyFailure = {
  ...{ status: 404, code: 'blob_not_found' },
  message: 'No file with this hash has been uploaded to this endpoint. Upload it first.',
}

const IN_USE: ComfyFailure = {
  ...{ status: 409, code: 'asset_in_use' },
  message: 'The asset is a result of a job, and is deleted together with that job.',
}
