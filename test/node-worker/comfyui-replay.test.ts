/** The bridge before a server that answers what a real ComfyUI answered; see test/support/real-comfyui. */
import { describe, expect, it } from 'vitest'
import { type Exchange, exchangeNames, readExchange } from '../support/comfyui/exchange.ts'
import { type Faults, recordedServer } from '../support/comfyui/recorded-server.ts'
import { runJob } from '../support/comfyui/run-job.ts'
import { SCENARIOS, sampling } from '../support/real-comfyui/scenarios.ts'

/** Runs the job of an exchange again. */
async function replay(name: string) {
  const exchange = readExchange(name)
  const server = await recordedServer(exchange)
  // Progress as it comes, so that each step is seen.
  const job = await runJob(SCENARIOS[name] ?? '', { servers: [server.url], progressMs: 0 })
  return { ...job, exchange, server, queued: server.asked.find(({ path }) => path === '/prompt')?.body ?? '' }
}

/** Classes of nodes, as a server tells of each. */
const CLASSES: Readonly<Record<string, object>> = {
  EmptyImage: { input: { required: { width: ['INT', {}], height: ['INT', {}] } }, output: ['IMAGE'] },
  PreviewImage: { input: { required: { images: ['IMAGE'] } }, output: [], output_node: true },
}

const GIF = 'GIF89a'

const classes: Faults['answer'] = ({ path }, response) => {
  const [, name = ''] = /^\/object_info\/(.+)$/.exec(path) ?? []
  if (name === '') return false
  response.end(JSON.stringify(name in CLASSES ? { [name]: CLASSES[name] } : {}))
  return true
}

/** The public worker's output in the bridge's form: with the node and the media type of each image. */
function publicOutput({ publicAnswer }: Exchange): unknown {
  const { images } = publicAnswer
  if (!Array.isArray(images)) return publicAnswer
  return {
    ...publicAnswer,
    images: images.map((image) => ({ ...image, node: expect.any(String), mediaType: expect.any(String) })),
  }
}

describe('a payload is answered as the public image worker answers it', () => {
  it('has an exchange of each scenario', () => {
    expect(exchangeNames().toSorted()).toEqual(Object.keys(SCENARIOS).toSorted())
  })

  const same = ['sampling', 'sampling-cached', 'images-of-the-job', 'film', 'only-temporary', 'as-a-text', 'bad-base64']
  const sentences = ['no-output', 'bad-text', 'nothing', 'no-workflow', 'bad-images', 'images-no-list']
  it.each([...same, ...sentences])('%s: the same', async (name) => {
    const { output, exchange } = await replay(name)
    expect(output).toEqual(publicOutput(exchange))
  })

  it.each([
    ['sampling', 'image/png'],
    ['film', 'video/mp4'],
  ])('%s: an entry is marked as %s', async (name, mediaType) => {
    const { output } = await replay(name)
    expect(output.images).toEqual([expect.objectContaining({ mediaType })])
  })

  it.each([
    ['https://example.com/a.png', 'a.png', 'URLs are not supported. Send the file as base64'],
    ['aGk=', '../a.png', 'the name is outside the input folder'],
    ['aGk=', '/etc/a.png', 'the name is outside the input folder'],
  ])('the image %s named %s is refused before it is sent', async (image, name, why) => {
    const server = await recordedServer(readExchange('images-of-the-job'))
    const input = JSON.stringify({
      workflow: { 1: { class_type: 'LoadImage', inputs: {} } },
      images: [{ name, image }],
    })
    const { output } = await runJob(input, { servers: [server.url] })
    expect(JSON.stringify(output)).toContain(why)
    expect(server.asked.map(({ path }) => path)).not.toContain('/upload/image')
  })

  it.each([
    (payload: string) => `{"workflow":{"prompt":${payload},"client_id":"a"}}`,
    (payload: string) => `{"prompt":${payload}}`,
  ])('a payload wrapped as for ComfyUI is unwrapped', async (wrap) => {
    const server = await recordedServer(readExchange('sampling'))
    const payload = '{"1":{"class_type":"KSampler","inputs":{"seed":18446744073709551615}}}'
    await runJob(wrap(payload), { servers: [server.url] })
    expect(server.asked.find(({ path }) => path === '/prompt')?.body).toContain(`"prompt":${payload}`)
  })

  it.each([
    ['refused', { node: '1', class: 'CheckpointLoaderSimple', input: 'ckpt_name' }],
    ['unknown-class', { node: '1', class: 'NoSuchNode' }],
  ])('%s: the same sentence, and where it belongs', async (name, place) => {
    const { output, exchange } = await replay(name)
    expect(output).toEqual({ error: expect.objectContaining({ message: exchange.publicAnswer.error, ...place }) })
  })

  it('refused: what is wrong at the first node is said in plain words, with the title that it has', async () => {
    const titled = (SCENARIOS.refused ?? '').replace('"inputs"', '"_meta":{"title":"My model"},"inputs"')
    const server = await recordedServer(readExchange('refused'))
    const { output } = await runJob(titled, { servers: [server.url] })
    expect(output.error).toMatchObject({
      ...{ node: '1', class: 'CheckpointLoaderSimple', title: 'My model', input: 'ckpt_name' },
      reason: "the server has no it's not.safetensors among its choices. The graph has 2 faults in all",
    })
  })

  it('refused: each fault is a sentence of its own besides', async () => {
    const { output } = await replay('refused')
    expect(output.error.details).toEqual([
      "CheckpointLoaderSimple (1), ckpt_name: Value not in list: ckpt_name: 'it's not.safetensors' not in ['tiny.safetensors']",
      'EmptyLatentImage (2), width: Value 9 smaller than min of 16',
    ])
  })

  it('a document in place of a payload: the same sentence, and what to do', async () => {
    const { output, exchange } = await replay('a-document')
    expect(output.error).toBe(
      `${exchange.publicAnswer.error}. The workflow is in the form that the editor saves; export it in API form and send that`,
    )
  })

  it('no payload at all: the same sentence for its own address, and what it is', async () => {
    const { output, exchange, server } = await replay('no-payload')
    const sentence = String(exchange.publicAnswer.error).replace(/http:\/\/127\.0\.0\.1:\d+/, server.url)
    expect(output.error).toBe(
      `${sentence}. The workflow is a string; it must be an object of nodes with class_type and inputs`,
    )
  })

  it('a node that fails: the same details, and an error that names the node', async () => {
    const { output, exchange } = await replay('node-fails')
    const { details } = exchange.publicAnswer as { details: string[] }
    expect(output.error).toEqual({
      message: `Job processing failed: ${details[0]?.trim()}`,
      ...{ details, node: '1', class: 'LoadImage', reason: "cannot identify image file '/data/input/broken.png'" },
      traceback: expect.stringMatching(
        /^Traceback \(most recent call last\):\n {2}File "\/comfyui\/execution.py", line 496, in execute\n/,
      ),
    })
  })

  it('an output that the server leaves out: the others come, and it is said', async () => {
    const { output, exchange } = await replay('one-output-refused')
    expect(output).toEqual({
      ...(publicOutput(exchange) as object),
      errors: [expect.stringMatching(/^The server ignored this: SaveImage \(3\): /)],
    })
  })

  it('previews: next to the images where the job asks for them, and only there', async () => {
    const asked: string[] = []
    const answer: Faults['answer'] = ({ path }, response) => {
      if (!path.startsWith('/view?')) return false
      asked.push(path)
      response.end(GIF)
      return true
    }
    const server = await recordedServer(readExchange('only-temporary'), { answer })
    const input = SCENARIOS['only-temporary'] ?? ''
    const plain = await runJob(input, { servers: [server.url] })
    expect(plain.output).toEqual({ status: 'success_no_images', images: [] })
    expect(asked).toEqual([])

    const { output } = await runJob(`${input.slice(0, -1)},"previews":true}`, { servers: [server.url] })
    const preview = { filename: 'ComfyUI_temp_sklnd_00001_.png', type: 'base64', node: '2', mediaType: 'image/gif' }
    expect(output).toEqual({
      status: 'success_no_images',
      images: [],
      previews: [{ ...preview, data: Buffer.from(GIF).toString('base64') }],
    })
    expect(asked).toEqual(['/view?filename=ComfyUI_temp_sklnd_00001_.png&subfolder=&type=temp'])
  })

  it('previews that are gone, or do not fit, are reported in the log alone', async () => {
    const input = `${(SCENARIOS['only-temporary'] ?? '').slice(0, -1)},"previews":true}`
    const gone = await runJob(input, { servers: [(await recordedServer(readExchange('only-temporary'))).url] })
    const answer: Faults['answer'] = ({ path }, response) => path.startsWith('/view?') && response.end('12345') !== null
    const server = await recordedServer(readExchange('only-temporary'), { answer })
    const large = await runJob(input, { servers: [server.url], resultBytes: 4 })
    for (const { output, log } of [gone, large]) {
      expect(output).toEqual({ status: 'success_no_images', images: [] })
      expect(log).toEqual([expect.stringContaining('ComfyUI_temp_sklnd_00001_.png')])
    }
  })

  it('a text that a node shows: a result, where the public worker gives none', async () => {
    const { output, exchange } = await replay('text')
    const text = { filename: '1_text.txt', type: 'base64', node: '1', mediaType: 'text/plain' }
    expect(output).toEqual({ images: [{ ...text, data: Buffer.from('a text\nof two lines').toString('base64') }] })
    expect(exchange.publicAnswer).toEqual({ status: 'success_no_images', images: [] })
  })
})

describe('the request to the server', () => {
  it('is the payload with its numbers as they came, and a key that the job brings', async () => {
    const { queued } = await replay('sampling')
    expect(queued).toContain('"seed":18446744073709551615')
    const server = await recordedServer(readExchange('as-a-text'))
    const keys = { comfy_org_api_key: 'of the job', comfy_org_auth_token: 'a token' }
    const input = JSON.stringify({ workflow: { '1': {} }, ...keys })
    await runJob(input, { servers: [server.url], comfyOrgKey: 'of the endpoint' })
    expect(JSON.parse(server.asked.find(({ path }) => path === '/prompt')?.body ?? '').extra_data).toEqual({
      preview_method: 'auto',
      api_key_comfy_org: 'of the job',
      auth_token_comfy_org: 'a token',
    })
  })

  it('is NaN as Python writes it, and nothing that a server noted for its cache', async () => {
    const server = await recordedServer(readExchange('sampling'))
    const node = '"class_type":"KSampler","inputs":{"cfg":NaN,"eta":-Infinity}'
    await runJob(JSON.stringify(`{"workflow":{"1":{${node},"is_changed":[NaN]}}}`), { servers: [server.url] })
    const queued = server.asked.find(({ path }) => path === '/prompt')?.body
    expect(queued).toContain(`"prompt":{"1":{${node}}}`)
  })

  it('is the document of the job, with its numbers as they came', async () => {
    const server = await recordedServer(readExchange('sampling'))
    const document = '{"nodes":[{"id":1,"widgets_values":[18446744073709551615,8.0]}],"links":[]}'
    const input = `${sampling('1', 6).slice(0, -1)},"extra_pnginfo":{"workflow":${document}}}`
    await runJob(input, { servers: [server.url] })
    const queued = server.asked.find(({ path }) => path === '/prompt')?.body
    expect(queued).toContain(`"extra_data":{"preview_method":"auto","extra_pnginfo":{"workflow":${document}}}`)
    expect(server.asked.some(({ path }) => path.startsWith('/object_info'))).toBe(false)
  })

  it('is a document made of a payload, by the classes of the server, so that its files hold a graph', async () => {
    const server = await recordedServer(readExchange('only-temporary'), { answer: classes })
    const { output } = await runJob(SCENARIOS['only-temporary'] ?? '', { servers: [server.url] })
    expect(output.images).toEqual([])
    const { extra_data: extra } = JSON.parse(server.asked.find(({ path }) => path === '/prompt')?.body ?? '')
    expect(extra.extra_pnginfo.workflow).toMatchObject({
      nodes: [
        { id: 1, type: 'EmptyImage' },
        { id: 2, type: 'PreviewImage' },
      ],
      links: [[1, 1, 0, 2, 0, 'IMAGE']],
    })
  })

  it('is no document where its classes cannot be had', async () => {
    const { queued } = await replay('sampling')
    expect(Object.keys(JSON.parse(queued).extra_data)).toEqual(['preview_method'])
  })

  it('is each image of the job under its name', async () => {
    const { server } = await replay('images-of-the-job')
    const upload = server.asked.find(({ path }) => path === '/upload/image')?.body ?? ''
    expect(upload).toContain('name="image"; filename="dot é.png"')
    expect(upload).toContain('name="overwrite"\r\n\r\ntrue')
  })
})

describe('progress', () => {
  it('tells the node, its steps, what is done, and the newest preview', async () => {
    const exchange = readExchange('sampling')
    const told = Promise.withResolvers<void>()
    // The end is said when the last step has been told: values come at their pace, and some are left out.
    const end = exchange.socket.findIndex((message) => 'text' in message && message.text.includes('execution_success'))
    const onPrompt: Faults['onPrompt'] = async (socket, server) => {
      server.replay(socket, 0, end)
      await told.promise
      server.replay(socket, end)
    }
    const server = await recordedServer(exchange, { onPrompt })
    const { progress } = await runJob(sampling('1', 6), {
      servers: [server.url],
      progressMs: 1,
      onProgress: (value) => JSON.stringify(value).includes('"node":"9"') && told.resolve(),
    })
    expect(progress.at(-1)).toEqual({
      node: '9',
      done: ['4', '5', '7', '6', '3', '8', '9'],
      preview: { node: '3', data: expect.stringMatching(/^data:image\/jpeg;base64,\/9j\//) },
    })
  })

  it('tells what did not have to run', async () => {
    const { progress } = await replay('sampling-cached')
    expect(progress.at(-1)).toMatchObject({ cached: expect.arrayContaining(['3', '4', '5', '6', '7', '8', '9']) })
  })
})
