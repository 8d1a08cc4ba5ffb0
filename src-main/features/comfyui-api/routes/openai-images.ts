/** OpenAI's image routes for published graphs. Source: docs/spec/image-workflows.md, 7. */
import { buffer } from 'node:stream/consumers'
import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { openAiResponse } from '../../../http/error-response.ts'
import type { JobApiServices, OperationRequest } from '../../../http/operation.ts'
import { readBody } from '../../../http/read-request.ts'
import { parseJson } from '../../../lib/json/parse.ts'
import { isObject } from '../../../lib/json/value.ts'
import type { Job } from '../../../storage/storage.ts'
import { kindOf } from '../../endpoints/kinds/endpoint-kinds.ts'
import { cancelUnread, cancelWithClient } from '../../jobs/routes/cancel-with-client.ts'
import { failureOfJob, type OpenAiFailure } from '../../jobs/rules/openai-error.ts'
import { isFinal } from '../../jobs/rules/transitions.ts'
import { requireVersion } from '../../workflows/submit-graph.ts'
import { readPreview } from '../encode-preview.ts'
import { readImagesOf } from '../images-of-job.ts'
import { readJobProgress } from '../progress.ts'
import { type ImagesProblem, type ImagesRequest, readImagesRequest, type SentImages } from '../rules/openai-images.ts'
import { readForm } from './read-form.ts'

type Kind = 'generations' | 'edits'

const EVENTS = { generations: 'image_generation', edits: 'image_edit' } as const

/** @returns undefined for endpoints that are no graph */
export function openaiImages(request: OperationRequest): Promise<Response> | undefined {
  const { c, endpoint } = request
  if (endpoint.config.graph === undefined) return undefined
  const [, route = '', kind] = /\/openai\/(?:v1\/)?(models|images\/(generations|edits))$/.exec(c.req.path) ?? []
  if (c.req.method === 'GET' && route === 'models') return Promise.resolve(listModels(request))
  if (c.req.method === 'POST' && kind !== undefined) return respond(request, kind as Kind)
  return Promise.resolve(openAiResponse(NO_ROUTE))
}

function listModels({ c, service, endpoint: { id, config } }: OperationRequest): Response {
  const { createdAt } = requireVersion(service.storage, id, config.graph?.version ?? 0)
  const model = { id, object: 'model', created: Math.floor(createdAt / 1000), owned_by: 'drydock' }
  return c.json({ object: 'list', data: [model] })
}

const NO_ROUTE: OpenAiFailure = {
  ...{ status: 404, retry: undefined },
  error: {
    message: 'A published workflow answers POST images/generations, POST images/edits and GET models.',
    ...{ type: 'invalid_request_error', param: null, code: null },
  },
}

async function respond(request: OperationRequest, kind: Kind): Promise<Response> {
  const { service, endpoint } = request
  const asked = await readImages(request)
  if ('message' in asked) return openAiResponse(badRequest(asked))
  const jobs: Job[] = []
  try {
    for (const input of asked.inputs) {
      const submission = { kind: 'run', request: {}, input, s3Config: undefined, waitMs: undefined } as const
      const job = await kindOf(endpoint).submit(service, endpoint, submission)
      cancelWithClient(request, job)
      jobs.push(job)
    }
    const streamed = asked.isStream ? jobs.shift() : undefined
    if (streamed !== undefined) return respondAsStream(request, { job: streamed, asked, kind })
    return await respondAtEnd(request, jobs, asked)
  } finally {
    // After a failure, nobody reads the other pictures.
    for (const job of jobs) await cancelUnread(request, job)
  }
}

async function respondAtEnd(request: OperationRequest, jobs: readonly Job[], { format }: ImagesRequest) {
  const images: object[] = []
  for (const job of jobs) {
    const ended = await untilEnd(request, job)
    if (ended.status !== 'COMPLETED') return openAiResponse(failureOfJob(ended))
    const found = await readImagesOf(request.service, ended, { format, request: request.c.req.raw })
    if ('error' in found) return openAiResponse(found)
    images.push(...found)
  }
  return request.c.json({ created: secondsOf(request.service), data: images })
}

const secondsOf = ({ clock }: Pick<JobApiServices, 'clock'>) => Math.floor(clock.now() / 1000)

async function untilEnd({ c, service }: OperationRequest, job: Job): Promise<Job> {
  const ended = await service.waiters.untilEnd(job, limit('waitMaxMs'), c.req.raw.signal)
  if (ended === undefined || !isFinal(ended.status)) throw new AppError('WORKER_TOO_SLOW', { jobId: job.id })
  return ended
}

async function readImages({ c, service, endpoint }: OperationRequest): Promise<ImagesRequest | ImagesProblem> {
  const { storage, newId } = service
  const { version } = endpoint.config.graph ?? { version: 0 }
  const { parameters } = requireVersion(storage, endpoint.id, version)
  const sent = await readFields(c)
  if ('message' in sent) return sent
  // Ids begin with the time, which pictures of one request share.
  const newSeed = () => Number.parseInt(newId.uuid().slice(-12), 16)
  return readImagesRequest(sent, parameters, newSeed)
}

async function readFields(c: Context): Promise<SentImages | ImagesProblem> {
  const body = await readBody(c, limit('runsyncBodyBytes'), 'openai')
  if (c.req.header('content-type')?.toLowerCase().startsWith('multipart/') !== true) {
    const fields = body.length > limit('managementBodyBytes') ? undefined : parseJson(body.toString())
    return isObject(fields)
      ? { fields, images: [], mask: undefined }
      : { param: 'body', message: 'The body must be a JSON object, or a form with pictures.' }
  }
  const form = await readForm(c, {
    ...{ body: [body], fieldBytes: body.length },
    receive: (field, pieces) => (isImage(field) || field === 'mask' ? inMemory(pieces) : undefined),
  })
  if (form === undefined) return { param: 'body', message: 'The form cannot be read.' }
  const { fields, files } = form
  return {
    fields,
    images: files.flatMap(({ field, received }) => (isImage(field) ? [received.base64] : [])),
    mask: files.find(({ field }) => field === 'mask')?.received.base64,
  }
}

const isImage = (field: string) => /^image(?:\[\d*\])?$/.test(field)

const inMemory = async (pieces: AsyncIterable<Uint8Array>) => ({
  base64: (await buffer(pieces)).toString('base64'),
  drop: async () => undefined,
})

const badRequest = ({ param, message }: ImagesProblem): OpenAiFailure => ({
  ...{ status: 400, retry: undefined },
  error: { message, type: 'invalid_request_error', param, code: null },
})

type Streamed = { readonly job: Job; readonly asked: ImagesRequest; readonly kind: Kind }

const PARTIAL_MS = 250

function respondAsStream(request: OperationRequest, { job, asked, kind }: Streamed): Response {
  const { c, service } = request
  const { signal } = c.req.raw
  const name = EVENTS[kind]
  return streamSSE(c, async (stream) => {
    const send = (event: string, data: object) =>
      stream.writeSSE({ event, data: JSON.stringify({ type: event, created_at: secondsOf(service), ...data }) })
    let sent = 0
    let last: string | undefined
    const sendPartial = async () => {
      const {
        preview,
        step = 0,
        steps = 1,
      } = (await readJobProgress(service.storage, service.storage.jobs.read(job.seq))) ?? {}
      if (preview === undefined || preview === last || step / steps < (sent + 1) / (asked.partialImages + 1)) return
      const read = readPreview(preview)
      if (read === undefined) return
      last = preview
      await service.storage.durable()
      const output_format = read.type.slice('image/'.length)
      await send(`${name}.partial_image`, {
        b64_json: read.base64,
        partial_image_index: sent,
        ...UNCHOSEN_OPTIONS,
        output_format,
      })
      sent += 1
    }
    const until = service.clock.now() + limit('waitMaxMs')
    let ended: Job | undefined
    while (ended === undefined && !signal.aborted && !stream.aborted && service.clock.now() < until) {
      const now = await service.waiters.untilEnd(job, asked.partialImages > sent ? PARTIAL_MS : QUIET_MS, signal)
      if (now === undefined || isFinal(now.status)) ended = now ?? job
      else if (asked.partialImages > sent) await sendPartial()
      else await stream.write(': still here\n\n')
    }
    const failure =
      ended === undefined || ended.status !== 'COMPLETED'
        ? failureOfJob(ended ?? { id: job.id, status: 'TIMED_OUT', error: null })
        : undefined
    const found = failure ?? (await readImagesOf(service, ended ?? job, { format: 'b64_json', request: c.req.raw }))
    if ('error' in found)
      return void (await stream.writeSSE({ event: 'error', data: JSON.stringify({ error: found.error }) }))
    for (const image of found)
      await send(`${name}.completed`, { ...image, ...UNCHOSEN_OPTIONS, output_format: 'png', usage: NO_USAGE })
  })
}

const QUIET_MS = 15_000

const UNCHOSEN_OPTIONS = { background: 'auto', quality: 'auto', size: 'auto' } as const

const NO_USAGE = {
  ...{ input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
}
