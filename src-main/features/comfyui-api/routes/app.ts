import type { IncomingMessage } from 'node:http'
import { freemem, totalmem } from 'node:os'
import { type Context, Hono } from 'hono'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import type { Admitted } from '../../../http/admit-stream.ts'
import { errorResponse } from '../../../http/error-response.ts'
import type { NodeBindings } from '../../../http/node-bindings.ts'
import { jsonResponse } from '../../../http/operation.ts'
import { createTurns } from '../../../lib/turns.ts'
import type { Asset, Endpoint, ReceivedFile } from '../../../storage/storage.ts'
import type { ServiceContext } from '../../service-context.ts'
import { nameAsset, storeAsset, storeReceived } from '../../workflows/assets.ts'
import { assetResponse } from '../../workflows/routes/assets.ts'
import { LOOP_DETECTED } from '../../workflows/rules/lost-server.ts'
import { plainName } from '../../workflows/rules/runs/find-results.ts'
import { listJobs, readJob } from '../jobs.ts'
import {
  historyOf,
  historyText,
  interrupt,
  queueRemaining,
  queueText,
  removeHistory,
  removeWaiting,
  runOfPrompt,
  submitPrompt,
} from '../prompts.ts'
import { type FileReference, readReference, referenceIn } from '../rules/file-reference.ts'
import { readJobQuery } from '../rules/job-query.ts'
import { modelListsOf } from '../rules/model-lists.ts'
import { type PictureForm, pictureForm } from '../rules/picture-form.ts'
import { inputFolder } from '../rules/user-paths.ts'
import { FEATURES } from '../sockets.ts'
import { boundBody, readBody } from './bodies.ts'
import { createComfyApi } from './comfy-api.ts'
import { forwardToServer } from './forward-to-server.ts'
import { firstFile, readForm, uploadedBody } from './read-form.ts'
import { addUserData } from './user-data.ts'

export type ComfyuiServices = Pick<
  ServiceContext,
  | 'storage'
  | 'clock'
  | 'newId'
  | 'log'
  | 'models'
  | 'readInThread'
  | 'workflows'
  | 'views'
  | 'info'
  | 'openStreams'
  | 'stopping'
> &
  Parameters<typeof errorResponse>[2]

export function createComfyuiApp(
  service: ComfyuiServices,
  admittedOf: (incoming: IncomingMessage) => Admitted | undefined,
): Hono {
  const app = new Hono()
  const { storage, clock, newId, models, readInThread, workflows } = service
  const { nodeTypes, nodePackages, assets } = workflows
  const deps = { storage, clock, newId, models, readInThread, nodeTypes, nodePackages }
  const ofServer = { ...service, hop: `drydock-${newId.uuid()}` }
  // Pictures are drawn one after the other, and only the one being drawn is in memory.
  const { inTurn } = createTurns()

  function admittedFor(c: Context): Admitted {
    const { incoming } = c.env as NodeBindings
    const admitted = incoming && admittedOf(incoming)
    if (admitted === undefined) throw new Error('a request was not admitted')
    return admitted
  }
  const endpointFor = (c: Context): Endpoint => admittedFor(c).endpoint

  type Answer = (c: Context) => Response | Promise<Response>
  /** Asks the server behind the endpoint; without one, `own` answers like a server that has nothing. */
  const fromServer =
    (own: Answer): Answer =>
    async (c) => {
      const response = await forwardToServer(c, admittedFor(c), ofServer).catch((error) => {
        if (error instanceof AppError && error.code === 'SERVER_LOOP') throw error
        return undefined
      })
      if (response?.ok === true || response?.status === LOOP_DETECTED) return response
      await response?.body?.cancel()
      return own(c)
    }

  const bounded = (most: number) => boundBody(most, service)

  app.post('/prompt', bounded(limit('runBodyBytes')), async (c) => {
    const { status, body } = await submitPrompt(deps, endpointFor(c), await c.req.text())
    return c.json(body, status)
  })
  app.get('/prompt', (c) => {
    const remaining = queueRemaining(service.views.counts, endpointFor(c).id)
    return c.json({ exec_info: { queue_remaining: remaining } })
  })

  app.get('/queue', (c) => jsonResponse(queueText(deps, endpointFor(c).id)))
  app.post('/queue', bounded(limit('managementBodyBytes')), async (c) => {
    const body = await readBody(c)
    const { id } = endpointFor(c)
    if (body.clear) await removeWaiting(deps, id, undefined)
    if (Array.isArray(body.delete)) await removeWaiting(deps, id, body.delete.map(String))
    return c.body(null, 200)
  })
  app.post('/interrupt', bounded(limit('managementBodyBytes')), async (c) => {
    const { prompt_id: promptId } = await readBody(c)
    await interrupt(deps, endpointFor(c).id, typeof promptId === 'string' ? promptId : undefined)
    return c.body(null, 200)
  })

  app.get('/history', (c) => {
    const most = numberIn(c, 'max_items') ?? limit('comfyuiHistoryShown')
    return jsonResponse(historyText(deps, endpointFor(c).id, { most, offset: numberIn(c, 'offset') }))
  })
  app.get('/history/:promptId', (c) => jsonResponse(historyOf(deps, endpointFor(c).id, c.req.param('promptId'))))
  app.post('/history', bounded(limit('managementBodyBytes')), async (c) => {
    const body = await readBody(c)
    const { id } = endpointFor(c)
    if (body.clear) await removeHistory(deps, id, undefined)
    if (Array.isArray(body.delete)) await removeHistory(deps, id, body.delete.map(String))
    return c.body(null, 200)
  })

  app.get('/view', async (c) => {
    const id = assetOf(endpointFor(c), referenceIn(c.req.query()))
    if (id === undefined) return c.body(null, 404)
    const form = pictureForm(c.req.query())
    const drawn = form && (await drawPicture(id, form))
    if (drawn === undefined) return assetResponse(c, workflows.assets, { id, name: undefined })
    return c.body(drawn.bytes, 200, { 'content-type': drawn.type, 'x-content-type-options': 'nosniff' })
  })

  /** Results have a folder named after their prompt; see `outputsOf`. */
  function assetOf({ id: endpointId }: Endpoint, { filename, subfolder, type }: FileReference): string | undefined {
    if (type === 'input')
      return storage.assets.namedAt(subfolder === '' ? filename : `${subfolder}/${filename}`, endpointId)?.id
    const run = runOfPrompt(deps, endpointId, subfolder)
    const results = type === 'temp' ? run?.previews : run?.results
    return results?.find((result) => result.filename === filename)?.asset
  }

  async function drawPicture(id: string, form: PictureForm) {
    const drawn = await inTurn('picture', async () => {
      const file = await storage.assetFiles.read(id)
      return file && readInThread.picture(file, form)
    })
    return drawn === undefined || 'problem' in drawn ? undefined : drawn
  }

  type Store = (
    image: ReceivedFile,
    fields: ReadonlyMap<string, string>,
    endpoint: Endpoint,
  ) => Promise<Asset | undefined>
  const upload = (store: Store) => async (c: Context) => {
    await using form = await readForm(c, {
      body: uploadedBody(c),
      receive: firstFile('image', storage.assetFiles.receive),
    })
    const { fields, files: [image] = [] } = form ?? {}
    const [name, subfolder] = [plainName(image?.name ?? ''), inputFolder(fields?.get('subfolder'))]
    if (fields === undefined || image === undefined || name === undefined || subfolder === undefined)
      return c.body(null, 400)
    const endpoint = endpointFor(c)
    const asset = await store(image.received, fields, endpoint)
    if (asset === undefined) return c.body(null, 400)
    const path = await nameAsset(assets, asset.id, { wanted: `${subfolder}${name}`, endpointId: endpoint.id })
    return c.json({ name: path.slice(subfolder.length), subfolder: subfolder.slice(0, -1), type: 'input' })
  }
  const storeMasked: Store = async (mask, fields, endpoint) => {
    const id = assetOf(endpoint, readReference(fields.get('original_ref')))
    const masked = await inTurn('picture', async () => {
      const original = id === undefined ? undefined : await storage.assetFiles.read(id)
      return original && readInThread.maskedPicture(original, await mask.read())
    })
    return masked === undefined || 'problem' in masked ? undefined : storeAsset(assets, masked)
  }
  app.post(
    '/upload/image',
    upload((image) => storeReceived(assets, image)),
  )
  app.post('/upload/mask', upload(storeMasked))

  app.get('/object_info', async (c) => jsonResponse((await nodeTypes.of(endpointFor(c))).text))
  app.get('/object_info/:name', async (c) => {
    const read = await readInThread.classNamed((await nodeTypes.of(endpointFor(c))).text, c.req.param('name'))
    return jsonResponse('json' in read ? read.json : '{}')
  })

  const modelsOf = async (c: Context) => modelListsOf(await nodeTypes.readOf(endpointFor(c)))
  const ask = (path: string, own: Answer) => app.get(path, fromServer(own))
  ask('/models', async (c) => c.json(Object.keys(await modelsOf(c))))
  ask('/models/:folder', async (c) => {
    const names = (await modelsOf(c))[c.req.param('folder') ?? '']
    return names === undefined ? c.body(null, 404) : c.json(names)
  })
  ask('/experiment/models', async (c) => {
    const names = Object.keys(await modelsOf(c))
    return c.json(names.map((name) => ({ name, folders: [] })))
  })
  ask('/experiment/models/:folder', async (c) => {
    const names = (await modelsOf(c))[c.req.param('folder') ?? '']
    return names === undefined ? c.body(null, 404) : c.json(names.map((name) => ({ name, pathIndex: 0 })))
  })

  app.get('/jobs', (c) => {
    const asked = readJobQuery(c.req.query())
    return 'error' in asked ? c.json(asked, 400) : c.json(listJobs(deps, endpointFor(c).id, asked))
  })
  app.get('/jobs/:promptId', (c) => {
    const job = readJob(deps, endpointFor(c).id, c.req.param('promptId'))
    return job === undefined ? c.json({ error: 'Job not found' }, 404) : jsonResponse(job)
  })

  app.route('/v2', createComfyApi({ service, runs: deps, admittedFor }))
  addUserData(app, { storage, clock, endpointFor, bounded })
  for (const path of ['/global_subgraphs', '/workflow_templates', '/i18n', '/node_replacements'])
    ask(path, (c) => c.json({}))
  for (const path of ['/extensions', '/embeddings']) ask(path, (c) => c.json([]))
  app.get('/features', (c) => c.json(FEATURES))
  app.post(
    '/free',
    bounded(limit('managementBodyBytes')),
    fromServer((c) => c.body(null, 200)),
  )
  ask('/system_stats', async (c) => {
    const { version } = await nodeTypes.of(endpointFor(c))
    const [number = 'unknown'] = /\d+(?:\.\d+)+/.exec(version ?? '') ?? []
    const [total, free] = [totalmem(), freemem()]
    const system = {
      ...{ os: process.platform, ram_total: total, ram_free: free },
      ...{ comfyui_version: number, python_version: '', pytorch_version: '' },
      ...{ embedded_python: false, argv: [] },
    }
    // Clients read the first device: here that of a server without a GPU.
    const memory = { vram_total: total, vram_free: free, torch_vram_total: total, torch_vram_free: free }
    return c.json({ system, devices: [{ name: 'cpu', type: 'cpu', index: null, ...memory }] })
  })

  app.put(
    '/etn/image/:id',
    bounded(limit('comfyuiUploadBytes')),
    fromServer((c) => c.body(null, 404)),
  )
  app.notFound(async (c) => (await forwardToServer(c, admittedFor(c), ofServer)) ?? c.text('404: Not Found', 404))
  app.onError((error, c) => errorResponse(c, error, service))
  return app
}

function numberIn(c: Context, name: string): number | undefined {
  const text = c.req.query(name)
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
