/**
 * The bridge before a real ComfyUI, and the public image worker's own handler; see test/support/real-comfyui.
 * Skipped where there is none.
 */
import { readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { boxIn } from '../../src-main/features/workflows/rules/metadata/exif.ts'
import { readPngTexts, withPngTexts } from '../../src-main/features/workflows/rules/metadata/png.ts'
import { fileTools } from '../../src-main/shipped-files/resources.ts'
import { runJob } from '../support/comfyui/run-job.ts'
import { beforeComfyUi, PATIENCE_MS } from '../support/real-comfyui/before-comfyui.ts'
import { askPublicWorker, findPublicWorker } from '../support/real-comfyui/public-worker.ts'
import { SCENARIOS, sampling } from '../support/real-comfyui/scenarios.ts'
import { findComfyUi } from '../support/real-comfyui/start-comfyui.ts'
import { until } from '../support/served-service.ts'

const found = findComfyUi()
const publicWorker = findPublicWorker()

/** The sentence of an answer that is an error. */
const sentenceOf = ({ error }: { readonly error?: unknown }): unknown =>
  typeof error === 'object' && error !== null && 'message' in error ? error.message : error

type Image = { readonly filename: string; readonly type: string; readonly data: string; readonly node?: string }

/**
 * The common part of two images of the same graph: without the number that the server counts up, the bridge's node,
 * and the document that the bridge has the server write next to the prompt.
 */
function common({ filename, type, data }: Image) {
  const bytes = Buffer.from(data, 'base64')
  const film = boxIn(bytes, 'mdat')
  const picture = withPngTexts(bytes, [{ keyword: 'workflow', text: new Uint8Array() }])
  return { filename: filename.replace(/\d{5}_/, ''), type, data: base64(film ?? picture ?? bytes) }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

describe('before a real ComfyUI', () => {
  const { server, test, withService, ask, queue, queueAsAnother } = beforeComfyUi()

  test('each payload is answered as the public image worker answers it', async ({ skip }) => {
    if (publicWorker === undefined || typeof found === 'string')
      return skip(true, 'DRYDOCK_PUBLIC_WORKER names no public image worker')
    const names = Object.keys(SCENARIOS)
    const inputs = Object.values(SCENARIOS)
    const ours = []
    for (const input of inputs) ours.push((await runJob(input, { servers: [server().url] })).output)
    const theirs = await askPublicWorker({ folder: publicWorker, python: found.python, server: server().url }, inputs)

    for (const [at, name] of names.entries()) {
      const [our, their] = [ours[at], theirs[at] ?? {}]
      const { error, images } = their
      if (typeof error === 'string')
        expect([name, String(sentenceOf(our)).slice(0, error.length)]).toEqual([name, error])
      else if (name !== 'text') expect([name, our.images.map(common)]).toEqual([name, (images as Image[]).map(common)])
      const kind = typeof error === 'string' ? 'the same sentence' : 'the same images'
      writeSync(1, `comfyui ${name}: ${name === 'text' ? 'a text, where the public worker gives none' : kind}\n`)
    }
  })

  test('a seed of 2^64-1 is in the metadata of the picture, and unchanged nodes are reported as cached', async () => {
    const service = await withService()
    const first = await service.send(sampling('18446744073709551615', 4))
    const { output } = await service.jobEnd('comfy', first, PATIENCE_MS)
    const png = Buffer.from(output.images[0].data, 'base64').toString('latin1')
    expect(png).toContain('"seed": 18446744073709551615')

    const second = await service.send(sampling('18446744073709551614', 2000))
    await until(async () => {
      const { output: progress } = await service.get(`/v2/comfy/status/${second}`)
      expect(progress).toMatchObject({ node: '3', steps: 2000, preview: { node: '3' } })
      expect(progress.cached).toEqual(expect.arrayContaining(['4', '5', '6', '7']))
    }, PATIENCE_MS)
    await service.post(`/v2/comfy/cancel/${second}`)
    await until(async () => expect(await queue()).toEqual([]), PATIENCE_MS)
  })

  test('a run of the library keeps its film and its picture, with the graph and the exact seed', async () => {
    const service = await withService()
    for (const [input, mediaType] of [
      [sampling('18446744073709551615', 3), 'image/png'],
      [SCENARIOS.film ?? '', 'video/mp4'],
    ] as const) {
      const payload = input.slice('{"workflow":'.length, -1)
      const run = await service.libraryRun(payload)
      expect(run.results).toHaveLength(1)
      const [{ asset, ...result }] = run.results
      expect(result).toMatchObject({ mediaType, node: mediaType === 'image/png' ? '9' : '3' })
      const bytes = (await service.asset(asset)).toString('latin1')
      if (mediaType === 'image/png') expect(bytes).toMatch(/"seed": ?18446744073709551615/)
    }
  })

  /** The texts of the only picture in the output folder whose name begins so. */
  function textsOf(prefix: string): Readonly<Record<string, unknown>> {
    const folder = join(server().folder, 'output')
    const names = readdirSync(folder).filter((name) => name.startsWith(prefix))
    expect(names).toHaveLength(1)
    const texts = readPngTexts(readFileSync(join(folder, names[0] ?? '')), fileTools)
    return Object.fromEntries(texts.map(({ keyword, text }) => [keyword, JSON.parse(text)]))
  }

  test('files in its output folder hold the graph: the document of a run, or one made of a payload', async () => {
    const service = await withService()
    const save = (prefix: string) => ({
      '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 32, batch_size: 1, color: 255 } },
      '2': { class_type: 'SaveImage', inputs: { filename_prefix: prefix, images: ['1', 0] } },
    })
    const document = { id: 'of-the-run', nodes: [{ id: 1, type: 'EmptyImage' }], links: [], version: 0.4 }
    const asked = { endpointId: 'comfy', payload: JSON.stringify(save('run')), document: JSON.stringify(document) }
    const run = await service.post('/api/workflow-runs', asked)
    expect((await service.jobEnd('comfy', run.id, PATIENCE_MS)).status).toBe('COMPLETED')
    expect(textsOf('run').workflow).toEqual(document)

    const job = await service.send(JSON.stringify({ workflow: save('job') }))
    expect((await service.jobEnd('comfy', job, PATIENCE_MS)).status).toBe('COMPLETED')
    const { workflow, prompt } = textsOf('job')
    expect(prompt).toMatchObject(save('job'))
    expect(workflow).toMatchObject({
      nodes: [
        { id: 1, type: 'EmptyImage', widgets_values: [16, 32, 1, 255] },
        { id: 2, type: 'SaveImage', widgets_values: ['job'] },
      ],
      links: [[1, 1, 0, 2, 0, 'IMAGE']],
    })
  })

  test('a run has the images of its preview nodes in addition to its results', async () => {
    const service = await withService()
    const graph = {
      '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 99 } },
      '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
      '3': { class_type: 'SolidMask', inputs: { value: 1, width: 16, height: 16 } },
      '4': { class_type: 'MaskPreview', inputs: { mask: ['3', 0] } },
      '5': { class_type: 'EmptyAudio', inputs: { duration: 1, sample_rate: 8000, channels: 1 } },
      '6': { class_type: 'PreviewAudio', inputs: { audio: ['5', 0] } },
      '7': { class_type: 'PreviewAny', inputs: { source: 'a text' } },
    }
    const run = await service.libraryRun(graph)
    const kinds = (results: readonly { node: string; mediaType: string }[]) =>
      results.map(({ node, mediaType }) => `${node} ${mediaType}`).toSorted()
    expect(kinds(run.previews)).toEqual(['2 image/png', '4 image/png', '6 audio/flac'])
    expect(kinds(run.results)).toEqual(['7 text/plain'])
  })

  test('a cancelled job that waits behind the prompt of another leaves that one alone', async () => {
    const service = await withService()
    const other = await queueAsAnother(sampling('5', 9000))
    const job = await service.send(sampling('3', 4))
    await until(async () => expect(await queue()).toEqual([other, expect.any(String)]), PATIENCE_MS)
    await service.post(`/v2/comfy/cancel/${job}`)
    await until(async () => expect(await queue()).toEqual([other]))
    // Its end would take minutes.
    await fetch(`${server().url}/interrupt`, { method: 'POST', body: '{}' })
    await until(async () => expect(await queue()).toEqual([]), PATIENCE_MS)
    const history = await ask(`history/${other}`)
    const told = history[other].status.messages.map(([name]: [string]) => name)
    expect(told).toEqual(['execution_start', 'execution_cached', 'execution_interrupted'])
  })

  test('the classes of its nodes are read through the service', async () => {
    const service = await withService()
    await until(
      async () => expect((await service.get('/api/endpoints/comfy')).nodeTypesReadAt).toBeDefined(),
      PATIENCE_MS,
    )
    const { text, source } = await service.post('/api/node-types/comfy/fetch')
    expect(source).toBe('server')
    // By this it is seen that they have changed.
    const { headers } = await fetch(`${server().url}/object_info`, { method: 'HEAD' })
    expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(text))
    const classes = JSON.parse(text)
    expect(Object.keys(classes).length).toBeGreaterThan(300)
    expect(classes.KSampler.input.required.seed[1].max).toBeGreaterThan(1e19)
  })

  test('thirty graphs one after the other leave nothing behind on the server', async () => {
    for (let seed = 100; seed < 130; seed += 1) {
      const { output } = await runJob(sampling(String(seed), 3), { servers: [server().url] })
      expect(output.images).toHaveLength(1)
    }
    expect(await queue()).toEqual([])
  })

  test('a server that dies fails its job with a reason, and the next one waits until it is back', async () => {
    const service = await withService()
    const job = await service.send(sampling('1', 5000))
    await until(
      async () => expect((await service.get(`/v2/comfy/status/${job}`)).output).toMatchObject({ node: '3' }),
      PATIENCE_MS,
    )
    await server().kill()
    const { status, error } = await service.jobEnd('comfy', job, PATIENCE_MS)
    expect([status, error]).toEqual([
      'FAILED',
      expect.stringMatching(/^WebSocket communication error: .* may have ended; see its log$/),
    ])
    const next = await service.send(sampling('2', 3))
    await until(async () => {
      const { status: state, waitingReason } = await service.get(`/api/jobs/${next}`)
      expect([state, waitingReason]).toEqual([
        'IN_PROGRESS',
        expect.stringMatching(/does not answer yet\. .*nothing listens there/),
      ])
    }, PATIENCE_MS)
    await server().start()
    expect((await service.jobEnd('comfy', next, PATIENCE_MS)).status).toBe('COMPLETED')
  })
})
