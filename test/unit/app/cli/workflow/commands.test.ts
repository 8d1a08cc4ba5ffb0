import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { encode } from 'fast-png'
import { describe, expect, test } from 'vitest'
import { writeGraphIntoPng } from '../../../../../src-main/features/workflows/rules/metadata/png.ts'
import { noWorkflowFiles, readWorkflowFile, workflowFiles } from '../../../../support/workflow-files.ts'
import { type Answers, HELLO_VIEW, NOW, sendError, setupCli } from '../support.ts'

const SEED = '18446744073709551615'

// A class each for a source of numbers and a sink, so that every kind of value is there.
const CLASSES = JSON.stringify({
  Source: {
    input: {
      required: {
        text: ['STRING', { multiline: true }],
        seed: ['INT', { default: 0, min: 0, max: 0 }],
        scale: ['FLOAT', {}],
        on: ['BOOLEAN', {}],
      },
    },
    output: ['IMAGE'],
  },
  LoadImage: { input: { required: { image: [['a.png'], { image_upload: true }] } }, output: ['IMAGE'] },
  Sink: { input: { required: { images: ['IMAGE'] } }, output: [], output_node: true },
}).replace('"max":0', `"max":${SEED}`)

const PAYLOAD = `{"1": {"class_type": "Source", "inputs": {"text": "a cat", "seed": ${SEED}, "scale": 1.0, "on": true}},
  "2": {"class_type": "Sink", "inputs": {"images": ["1", 0]}}}`
const DOCUMENT = `{"nodes": [
  {"id": 1, "type": "Source", "outputs": [{"name": "IMAGE", "type": "IMAGE", "links": [1]}],
    "widgets_values": ["a cat", ${SEED}, "randomize", 1.0, true]},
  {"id": 2, "type": "Sink", "inputs": [{"name": "images", "type": "IMAGE", "link": 1}]}
], "links": [[1, 1, 0, 2, 0, "IMAGE"]], "version": 0.4}`

const JOB = 'j1'
const ASSET = 'a'.repeat(64)
const QUEUED = { id: JOB, endpointId: 'e', title: 'cat', status: 'IN_QUEUE', createdAt: NOW, results: [], errors: [] }
const RESULT = { asset: ASSET, filename: 'out.png', mediaType: 'image/png', node: '2' }
const ENDED = { ...QUEUED, status: 'COMPLETED', endedAt: NOW, results: [RESULT], payload: '{}' }

const bare = () => encode({ width: 1, height: 1, channels: 1, depth: 8, data: new Uint8Array(1) })
const BARE_ID = createHash('sha256').update(bare()).digest('hex')
const picture = (texts: { workflow?: string; prompt?: string }) =>
  writeGraphIntoPng(bare(), texts, (text) => new TextEncoder().encode(text)) ?? new Uint8Array()

async function setup(answers: Answers = {}) {
  const cli = await setupCli({
    'GET /api/node-types': { text: CLASSES, source: 'file' },
    'POST /api/workflow-runs': QUEUED,
    [`GET /api/workflow-runs/${JOB}`]: ENDED,
    [`GET /api/assets/${ASSET}`]: (response: ServerResponse) => void response.end('a picture'),
    ...answers,
  })
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(cli.folder, name), content)
  write('cat.json', DOCUMENT)
  write('payload.json', PAYLOAD)
  write('cat.png', picture({ workflow: DOCUMENT }))
  const sent = () => cli.service.seen.find(({ line }) => line === 'POST /api/workflow-runs')?.body as Sent | undefined
  return { ...cli, write, sent, read: (name: string) => readFileSync(join(cli.folder, name), 'utf8') }
}

type Sent = { readonly payload: string; readonly document?: string; readonly title: string }

describe('workflow validate', () => {
  test('says that a graph is right, from JSON of both forms, a picture and standard input', async () => {
    const { run } = await setup()
    for (const file of ['cat.json', 'payload.json', 'cat.png']) {
      const { exitCode, stdout } = await run(['workflow', 'validate', file, '--endpoint', 'e'])
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${file} is valid: 2 nodes would run.\n` })
    }
    expect((await run(['workflow', 'validate', '-', '--endpoint', 'e'], { stdin: PAYLOAD })).exitCode).toBe(0)
  })

  test('names what is wrong at its node, and fails', async () => {
    const { run, write } = await setup()
    write('bad.json', PAYLOAD.replace('["1", 0]', '["9", 0]').replace('"scale": 1.0, ', ''))
    const { exitCode, stdout, stderr } = await run(['workflow', 'validate', 'bad.json', '--endpoint', 'e'])
    expect(exitCode).toBe(1)
    expect(stdout).toContain('dangling_link')
    expect(stderr).toMatch(/^drydock: bad\.json would not run: /)
    const asJson = await run(['workflow', 'validate', 'bad.json', '--endpoint', 'e', '--json'])
    expect(asJson.exitCode).toBe(1)
    expect(asJson.json()).toMatchObject({
      valid: false,
      problems: expect.arrayContaining([
        expect.objectContaining({ code: 'dangling_link', node: '2', input: 'images' }),
      ]),
    })
  })

  test('needs no service', async () => {
    const { run, service } = await setup()
    await run(['workflow', 'validate', 'payload.json'])
    expect(service.seen).toEqual([])
  })

  test.each([
    ['nothing.json', 'nothing.json cannot be read: there is no such file.'],
    ['half.json', 'The workflow is not valid JSON'],
    ['plain.png', 'The file holds no workflow: it is neither JSON nor a picture with a graph in it.'],
    ['other.json', 'The file holds no workflow but an object with "name"'],
  ])('of %s says why it is none', async (file, message) => {
    const { run, write } = await setup()
    write('half.json', DOCUMENT.slice(0, 100))
    write('plain.png', bare())
    write('other.json', '{"name": 1}')
    const { exitCode, stderr } = await run(['workflow', 'validate', file])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(message) })
  })
})

describe('workflow convert', () => {
  test('gives the payload with every number as it was', async () => {
    const { run } = await setup()
    const { exitCode, stdout } = await run([
      'workflow',
      'convert',
      'cat.png',
      '--to',
      'api',
      '--endpoint',
      'e',
      '--json',
    ])
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`"seed":${SEED},"scale":1.0`)
  })

  test('writes a file and reports it', async () => {
    const { run, read } = await setup()
    const { stdout } = await run(['workflow', 'convert', 'payload.json', '--to', 'ui', '-o', 'made.json'])
    expect(stdout).toBe('made.json: 2 nodes\n')
    expect(JSON.parse(read('made.json'))).toMatchObject({ nodes: [{ type: 'Source' }, { type: 'Sink' }], version: 0.4 })
    expect(read('made.json')).toContain(SEED)
  })

  test('to the form that it has opens and saves, also out of a request', async () => {
    const { run } = await setup()
    const same = await run(['workflow', 'convert', '-', '--to', 'api', '--json'], {
      stdin: `{"input": {"workflow": ${PAYLOAD}}}`,
    })
    expect(same.stdout).toContain(`"seed":${SEED}`)
    expect(JSON.parse(same.stdout)).toEqual(JSON.parse(PAYLOAD))
  })

  test('keeps NaN and Infinity of Python both ways, and all of a file that has the form', async () => {
    const { run, read, write } = await setup()
    const payload = PAYLOAD.replace('1.0', 'NaN').replace('"class_type"', '"is_changed": [-Infinity], "class_type"')
    write('older.json', payload)
    await run(['workflow', 'convert', 'older.json', '--to', 'ui', '-o', 'made.json', '--endpoint', 'e'])
    expect(read('made.json')).toMatch(/"widgets_values": \[[^\]]*\bNaN\b/)
    const back = await run(['workflow', 'convert', 'made.json', '--to', 'api', '--endpoint', 'e', '--json'])
    expect(back.stdout).toContain(`"seed":${SEED},"scale":NaN,`)
    const same = await run(['workflow', 'convert', 'older.json', '--to', 'api', '--json'])
    expect(same.stdout).toContain('{"1":{"is_changed":[-Infinity],"class_type":"Source"')
    const checked = await run(['workflow', 'validate', 'older.json', '--endpoint', 'e'])
    expect(checked.stdout).toBe('older.json is valid: 2 nodes would run.\n')
  })

  test('says what it may be asked for', async () => {
    const { run } = await setup()
    const { exitCode, stderr } = await run(['workflow', 'convert', 'cat.json', '--to', 'xml'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(/api, ui/) })
  })
})

test('workflow info tells form, nodes, seeds and where results come from', async () => {
  const { run } = await setup()
  const { exitCode, json } = await run(['workflow', 'info', 'cat.png', '--json'])
  expect(exitCode).toBe(0)
  expect(json()).toMatchObject({ mediaType: 'image/png', form: 'document', nodes: 2, links: 1, version: 0.4 })
  const shown = await run(['workflow', 'info', 'payload.json'])
  expect(shown.stdout).toContain(`seeds           ${SEED} (1.seed)`)
  expect(shown.stdout).toContain('not known here  Sink')
})

describe('workflow run', () => {
  test('sends the graph with its document, and writes what it gave', async () => {
    const { run, sent, read } = await setup()
    const { exitCode, stdout, stderr } = await run(['workflow', 'run', 'cat.json', '--endpoint', 'e', '-o', 'out'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'job j1 on e\n' })
    expect(stdout).toMatch(/out\/out\.png\n$/)
    expect(read('out/out.png')).toBe('a picture')
    expect(sent()).toMatchObject({ endpointId: 'e', title: 'cat' })
    expect(sent()?.payload).toContain(`"seed":${SEED},"scale":1.0`)
    expect(sent()?.document).toContain(SEED)
  })

  test('writes previews where it is asked to, and says that there are some where nothing else is', async () => {
    const preview = { asset: ASSET, filename: 'preview.png', mediaType: 'image/png', node: '3' }
    const answers = { [`GET /api/workflow-runs/${JOB}`]: { ...ENDED, results: [], previews: [preview] } }
    const { run, read } = await setup(answers)
    const command = ['workflow', 'run', 'cat.json', '--endpoint', 'e', '-o', 'out']
    const plain = await run(command)
    expect(plain).toMatchObject({ exitCode: 0, stdout: '' })
    expect(plain.stderr).toContain('The job returned only previews. Write them with --previews.')
    const asked = await run([...command, '--previews'])
    expect(asked.stdout).toMatch(/out\/preview\.png\n$/)
    expect(read('out/preview.png')).toBe('a picture')
    const all = (await run([...command, '--previews', '--json'])).json()
    expect(all).toMatchObject({ results: [], previews: [{ node: '3', file: expect.stringMatching(/preview/) }] })
  })

  test('tells an error at a node in a line, and the calls that led there where it is asked to', async () => {
    const traceback = 'Traceback (most recent call last):\n  File "/x.py", line 1, in f\n'
    const place = { node: '3', title: 'Cat', class: 'LoadImage', input: 'image' }
    const error = JSON.stringify({ message: 'Job processing failed', ...place, reason: 'no picture', traceback })
    const { run } = await setup({ [`GET /api/workflow-runs/${JOB}`]: { ...ENDED, status: 'FAILED', errors: [error] } })
    const command = ['workflow', 'run', 'cat.json', '--endpoint', 'e', '-o', 'out']
    const plain = await run(command)
    expect(plain.exitCode).toBe(4)
    expect(plain.stderr).toContain('LoadImage "Cat" (3), image: no picture\n')
    expect(plain.stderr).not.toMatch(/x\.py|\{/)
    expect((await run([...command, '--traceback'])).stderr).toContain('File "/x.py", line 1, in f')
  })

  test('sets values first: words as words, numbers to their last digit, in the document too', async () => {
    const { run, sent } = await setup()
    const settings = ['--set', '1.text=12 "dogs"', '--set', '1.seed=9007199254740993', '--set', '1.scale=2.50']
    expect((await run(['workflow', 'run', 'cat.json', '--endpoint', 'e', ...settings])).exitCode).toBe(0)
    expect(sent()?.payload).toContain('"text":"12 \\"dogs\\"","seed":9007199254740993,"scale":2.50')
    expect(sent()?.document).toContain('9007199254740993')
    const payload = await setup()
    await payload.run(['workflow', 'run', 'payload.json', '--endpoint', 'e', ...settings])
    expect(payload.sent()?.payload).toContain('"text":"12 \\"dogs\\"","seed":9007199254740993,"scale":2.50')
  })

  test.each([
    ['1.text', '--set takes NODE.INPUT=VALUE'],
    ['7.text=x', 'There is no node 7. The graph has 1, 2.'],
    ['1.words=x', 'Node 1 (Source) has no input words. Its inputs are text, seed, scale, on.'],
    ['1.seed=many', '1.seed takes a number, not many.'],
    ['1.seed=1.5', '1.seed takes a whole number, not 1.5.'],
    ['1.on=maybe', '1.on takes true or false, not maybe.'],
  ])('refuses --set %s before anything is queued', async (setting, message) => {
    for (const file of ['cat.json', 'payload.json']) {
      const { run, sent } = await setup()
      const { exitCode, stderr } = await run(['workflow', 'run', file, '--endpoint', 'e', '--set', setting])
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) })
      expect(sent()).toBe(undefined)
    }
  })

  test.each([
    ['1.seed', '--over takes NODE.INPUT=VALUES, like 3.seed=1..4 or 3.cfg=4,7,10, not 1.seed.'],
    ['1.seed=many', 'Give a range like 1..4, or a list like 4,7,10.'],
    ['1.seed=1..', 'Give a range like 1..4, or a list like 4,7,10.'],
  ])('refuses --over %s with an example', async (values, message) => {
    const { run, sent } = await setup()
    const { exitCode, stderr } = await run(['workflow', 'sweep', 'cat.json', '--endpoint', 'e', '--over', values])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) })
    expect(sent()).toBe(undefined)
  })

  test('shows a person how far it is', async () => {
    const job = { id: JOB, endpointId: 'e', createdAt: NOW, input: {}, lowPriority: false, priority: 0, attempt: 1 }
    const rest = { history: [], deliveries: [], chunkCount: 0 }
    const jobs = [
      { ...job, ...rest, status: 'IN_QUEUE', waitingReason: 'a worker starts' },
      {
        ...job,
        ...rest,
        status: 'IN_PROGRESS',
        output: { waiting: 'x' },
        waitingReason: 'ComfyUI does not answer yet.',
      },
      { ...job, ...rest, status: 'IN_PROGRESS', output: { node: '1', step: 3, steps: 20, done: ['2'] } },
      { ...job, ...rest, status: 'COMPLETED' },
    ]
    const open = { ...QUEUED, payload: '{}' }
    const runs = [open, open, open, open, ENDED]
    const next = (values: unknown[]) => (response: ServerResponse) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(values.length > 1 ? values.shift() : values[0]))
    }
    const { run } = await setup({
      [`GET /api/workflow-runs/${JOB}`]: next(runs),
      [`GET /api/jobs/${JOB}`]: next(jobs),
      [`GET /v2/e/status-sync/${JOB}`]: { id: JOB, status: 'IN_PROGRESS' },
    })
    const { exitCode, stdout } = await run(['workflow', 'run', 'cat.json', '--endpoint', 'e'], {
      person: { columns: 100 },
    })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('waits: a worker starts')
    expect(stdout).toContain('waits: ComfyUI does not answer yet.')
    expect(stdout).toContain('runs, 1 of 2 nodes, node 1, step 3 of 20')
  })

  test('queues nothing that is wrong', async () => {
    const { run, write, sent } = await setup()
    write('bad.json', PAYLOAD.replace('["1", 0]', '["9", 0]'))
    expect((await run(['workflow', 'run', 'bad.json', '--endpoint', 'e'])).exitCode).toBe(1)
    expect(sent()).toBe(undefined)
  })

  test('sends pictures that lie next to the file, under the name that the service gives them', async () => {
    const { run, write, sent, service } = await setup({
      [`PUT /api/assets/${BARE_ID}`]: {
        id: BARE_ID,
        name: 'a (1).png',
        bytes: bare().length,
        mediaType: 'image/png',
        createdAt: NOW,
      },
    })
    write('a.png', bare())
    const graph = {
      1: { class_type: 'LoadImage', inputs: { image: 'a.png' } },
      2: { class_type: 'Sink', inputs: { images: ['1', 0] } },
    }
    write('loads.json', JSON.stringify(graph))
    expect((await run(['workflow', 'run', 'loads.json', '--endpoint', 'e'])).exitCode).toBe(0)
    expect(service.seen.map(({ line }) => line)).toContain(`PUT /api/assets/${BARE_ID}?name=a.png`)
    expect(JSON.parse(sent()?.payload ?? '')).toMatchObject({ 1: { inputs: { image: 'a (1).png' } } })
  })

  describe('of a stranger', () => {
    const loading = async (image: string) => {
      const cli = await setup({
        'GET /api/node-types': { text: CLASSES.replace('["a.png"]', '[]'), source: 'file' },
        [`PUT /api/assets/${BARE_ID}`]: { id: BARE_ID, bytes: 1, mediaType: 'image/png', createdAt: NOW },
      })
      mkdirSync(join(cli.folder, 'graphs'))
      const graph = {
        1: { class_type: 'LoadImage', inputs: { image } },
        2: { class_type: 'Sink', inputs: { images: ['1', 0] } },
      }
      cli.write('graphs/loads.json', JSON.stringify(graph))
      cli.write('outside.png', bare())
      cli.write('graphs/secret.png', 'no picture')
      symlinkSync(join(cli.folder, 'outside.png'), join(cli.folder, 'graphs/link.png'))
      const uploads = () => cli.service.seen.filter(({ line }) => line.startsWith('PUT /api/assets'))
      const run = (...more: string[]) =>
        cli.run(['workflow', 'run', join(cli.folder, 'graphs/loads.json'), '--endpoint', 'e', ...more])
      return { run, uploads, outside: join(cli.folder, 'outside.png') }
    }

    test.each(['../outside.png', 'link.png', 'secret.png', '/dev/null'])('sends no file like %s', async (image) => {
      const { run, uploads } = await loading(image)
      const { exitCode, stderr } = await run()
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(/cannot be read: (the graph (names a file outside|loads it)|it is not a file)/)
      expect(uploads()).toEqual([])
    })

    test('sends one from anywhere that the caller names', async () => {
      const { run, uploads, outside } = await loading('a.png')
      expect((await run('--set', `1.image=${outside}`)).exitCode).toBe(0)
      expect(uploads()).toHaveLength(1)
    })
  })

  test('overwrites no file', async () => {
    const { run, folder } = await setup()
    for (let n = 0; n < 3; n++) await run(['workflow', 'run', 'cat.json', '--endpoint', 'e', '-o', 'out'])
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(['out (1).png', 'out (2).png', 'out.png'])
  })

  test('keeps results within the folder, whatever they are called', async () => {
    const results = [{ ...RESULT, filename: '../../escaped.png' }]
    const { run, folder } = await setup({ [`GET /api/workflow-runs/${JOB}`]: { ...ENDED, results } })
    await run(['workflow', 'run', 'cat.json', '--endpoint', 'e', '-o', 'out'])
    expect(existsSync(join(folder, 'out', 'escaped.png'))).toBe(true)
  })

  test('writes no hidden file', async () => {
    const results = [{ ...RESULT, filename: '.npmrc' }]
    const { run, folder } = await setup({ [`GET /api/workflow-runs/${JOB}`]: { ...ENDED, results } })
    await run(['workflow', 'run', 'cat.json', '--endpoint', 'e', '-o', 'out'])
    expect(readdirSync(join(folder, 'out'))).toEqual(['_npmrc'])
  })

  test('lets no text of a graph or a worker steer the terminal', async () => {
    const failed = { ...ENDED, status: 'FAILED', results: [], errors: ['no\u001b]52;c;cm0=\u0007 memory\nat all'] }
    const { run, write } = await setup({ [`GET /api/workflow-runs/${JOB}`]: failed })
    expect((await run(['workflow', 'run', 'cat.json', '--endpoint', 'e'])).stderr).not.toContain('\u001b')
    const swept = await run(['workflow', 'sweep', 'cat.json', '--endpoint', 'e', '--over', '1.seed=1'])
    expect(swept.stdout).not.toContain('\u001b')
    expect(swept.stdout).toContain('FAILED  no]52;c;cm0= memory at all\n')
    write('steers.json', JSON.stringify({ 1: { class_type: 'Mine\u001b[2J', inputs: {} } }))
    expect((await run(['workflow', 'info', 'steers.json'])).stdout).not.toContain('\u001b')
    expect((await run(['workflow', 'validate', 'steers.json'])).stdout).not.toContain('\u001b')
  })

  test('of a job that failed tells why, and its exit code says so', async () => {
    const failed = { ...ENDED, status: 'FAILED', results: [], errors: ['Node 1: no memory'] }
    const { run } = await setup({ [`GET /api/workflow-runs/${JOB}`]: failed })
    const { exitCode, stderr } = await run(['workflow', 'run', 'cat.json', '--endpoint', 'e'])
    expect(exitCode).toBe(4)
    expect(stderr).toContain('Job j1 ended as FAILED: Node 1: no memory')
  })

  test('as JSON prints the run with its files, and nothing else', async () => {
    const { run, folder } = await setup()
    const { exitCode, json, stderr } = await run(['workflow', 'run', 'cat.png', '--endpoint', 'e', '--json'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const { payload: _payload, ...rest } = ENDED
    expect(json()).toEqual({ ...rest, results: [{ ...RESULT, file: join(folder, 'out.png') }] })
  })
})

// The contents of users' files must be described, and stay the same.
test('files of users are announced, and open and save unchanged', async ({ skip }) => {
  skip(noWorkflowFiles !== undefined, noWorkflowFiles)
  const { run, write } = await setup()
  for (const name of workflowFiles) {
    write(name, readWorkflowFile(name))
    const { json } = await run(['workflow', 'info', name, '--json'])
    const to = json().form === 'document' ? 'ui' : 'api'
    const { stdout } = await run(['workflow', 'convert', name, '--to', to, '--json'])
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readWorkflowFile(name)))
  }
})

describe('workflow sweeps', () => {
  const sweep = {
    id: 's1',
    title: 'cat',
    endpointId: 'e',
    axes: ['seed', 'cfg'],
    createdAt: NOW - 2000,
    runs: 6,
    ended: 3,
    completed: 2,
  }

  test('lists them with what is done, failed and waiting', async () => {
    const { run, service } = await setup({ 'GET /api/workflow-sweeps': { sweeps: [sweep], more: true } })
    expect(await run(['workflow', 'sweeps', '--limit', '1'])).toMatchObject({
      exitCode: 0,
      stdout:
        'SWEEP  GRAPH  ENDPOINT  INPUTS     DONE  FAILED  WAITING  CREATED\ns1     cat    e         seed, cfg  2     1       3        2 s ago\n',
      stderr: 'For older sweeps, add --before s1\n',
    })
    expect(service.seen.map(({ line }) => line)).toEqual(['GET /api/workflow-sweeps?limit=1'])
  })

  test('says how one is made where there is none', async () => {
    const { run } = await setup({ 'GET /api/workflow-sweeps': { sweeps: [], more: false } })
    expect((await run(['workflow', 'sweeps'])).stdout).toContain('There are no sweeps yet.')
  })

  test('cancels what has not ended', async () => {
    const { run } = await setup({ 'POST /api/workflow-sweeps/s1/cancel': { cancelled: 3 } })
    expect(await run(['workflow', 'sweeps', 'cancel', 's1', '--yes'])).toMatchObject({
      exitCode: 0,
      stdout: '3 runs cancelled.\n',
    })
  })
})

test('workflow publish of a graph that is published already says how to make its next version', async () => {
  const taken = 'An endpoint with name cat already exists.'
  const { run } = await setup({
    'POST /api/published-graphs': (response: ServerResponse) => sendError(response, 409, 'ENDPOINT_EXISTS', taken),
    'GET /api/endpoints': {
      endpoints: [
        { ...HELLO_VIEW, name: 'dog' },
        { ...HELLO_VIEW, id: 'cat-1', name: 'cat', graph: { behind: 'e', version: 1 } },
      ],
    },
  })
  const publish = (...more: string[]) => run(['workflow', 'publish', 'cat.json', '--endpoint', 'e', ...more])
  expect(await publish()).toMatchObject({
    exitCode: 1,
    stderr:
      'drydock: Graph cat is already published. Make this its next version with --id cat-1, or give it another name with --name.\n',
  })
  expect((await publish('--name', 'dog')).stderr).toBe(`drydock: ${taken}\n`)
  expect((await publish('--id', 'other')).stderr).toBe(`drydock: ${taken}\n`)
})
