/**
 * Edge cases of a build: what a build refuses, with the exact text that a user reads, and
 * what must run all the same, as handlers of a real build under real workers. Two of them are in packages.test.ts:
 * installer missing, and installer failing in the middle.
 */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { runningApp } from './running-app.ts'
import { problemsOf, setup } from './support.ts'

const IMPORT = 'from svc import Endpoint'
const app = (...lines: readonly string[]) => `${[IMPORT, ...lines].join('\n')}\n`
const PEER = app('@Endpoint(name="gpu")', 'def infer(text): return text')

type Refused = {
  readonly files: Readonly<Record<string, string>>
  readonly python?: string
  /** `file:line message`, all of them. */
  readonly says: readonly string[]
}

const REFUSED: Readonly<Record<string, Refused>> = {
  'no endpoints: a decorator is missing': {
    files: { 'worker.py': app('def greet(): ...') },
    says: [
      'worker.py:1 No endpoint was found: worker.py imports the package, but no function is decorated. Write `from svc import Endpoint` and `@Endpoint(name="hello")` above a function.',
    ],
  },
  'no endpoints: the files are ignored': {
    files: { '.gitignore': '*.log\nworker.py\n', 'worker.py': PEER },
    says: [
      'worker.py:1 No endpoint was found: worker.py holds one, but `worker.py` (.gitignore line 2) leaves it out of the build.',
    ],
  },
  'no endpoints: a decorator without a call': {
    files: { 'worker.py': app('@Endpoint', 'def greet(): ...') },
    says: ['worker.py:2 No endpoint was found: @Endpoint needs a call: write @Endpoint(name="...") above greet.'],
  },
  'duplicate function': {
    files: { 'a.py': PEER, 'b.py': PEER.replace('gpu', 'cpu') },
    says: ['b.py:2 The function infer is decorated twice: here and in a.py line 2. Rename one of them.'],
  },
  'duplicate name in one file': {
    files: { 'worker.py': app('@Endpoint(name="x")', 'def a(): ...', '@Endpoint(name="x")', 'def b(): ...') },
    says: [
      'worker.py:4 The endpoint name "x" is used twice: for b here and for a in worker.py line 2. Give each its own name.',
    ],
  },
  'peer imported at module top': {
    files: { 'gpu.py': PEER, 'api.py': app('from gpu import infer', '@Endpoint(name="api")', 'def ask(): ...') },
    says: [
      'api.py:2 infer belongs to the endpoint "gpu" and is imported at the top of the file. Move the import into the body of the function that calls it.',
    ],
  },
  'ignored import': {
    files: {
      '.gitignore': 'local_*.py\n',
      'local_words.py': 'WORDS = []',
      'worker.py': app('@Endpoint(name="x")', 'def a():', '    from local_words import WORDS'),
    },
    says: [
      'worker.py:4 worker.py imports local_words, but local_words.py is left out of the build by `local_*.py` (.gitignore line 1). Change that line, or move local_words.py.',
    ],
  },
  'dependency list in a variable that only a worker could know': {
    files: {
      'worker.py': app('import os', 'NEEDS = os.listdir()', '@Endpoint(name="x", dependencies=NEEDS)', 'def a(): ...'),
    },
    says: [
      'worker.py:4 dependencies of endpoint "x" cannot be known when the app is built: `os.listdir()` is not part of the project (worker.py line 3). Write the value itself or a constant of a project file.',
    ],
  },
  'conflicting Python versions': {
    files: {
      'a.py': app('@Endpoint(name="a", python_version="3.11")', 'def a(): ...'),
      'b.py': app('@Endpoint(name="b", python_version="3.12")', 'def b(): ...'),
    },
    says: [
      'a.py:2 An app has one Python version, but its endpoints ask for several: "a" for 3.11, "b" for 3.12. Give them the same, or choose one with --python.',
    ],
  },
  'a Python version that there is not': {
    files: { 'worker.py': PEER },
    python: '3.9',
    says: [' Python 3.9 is not one of 3.10, 3.11, 3.12, 3.13. Choose one with --python.'],
  },
  'syntax error': {
    files: { 'worker.py': app('@Endpoint(name="x")', 'def a()', '    pass') },
    says: [expect.stringMatching(/^worker\.py:3 Expected ':' \(read by Python 3\.\d+\.\d+\)\.$/)],
  },
  'duplicate route': {
    files: {
      'api.py': app(
        'api = Endpoint(name="api")',
        '@api.get("/x/{a}")',
        'def a(a): ...',
        '@api.get("/x/{b}")',
        'def b(b): ...',
      ),
    },
    says: ['api.py:5 GET /x/{b} of "api" is declared twice: for b here and for a in api.py line 3.'],
  },
}

test.each(Object.entries(REFUSED))('%s: the build says so, with the place', async (_case, { files, python, says }) => {
  const { build } = setup({ files })
  const problems = await problemsOf(build({ pythonVersion: python }))
  const told = problems.map(({ file, line, message }) => `${file === undefined ? '' : `${file}:${line}`} ${message}`)
  expect(told).toEqual(says)
})

test('conflicting Python versions are settled by the one that the user chooses', async () => {
  const { build } = setup({ files: REFUSED['conflicting Python versions']?.files ?? {} })
  expect(await build({ pythonVersion: '3.12' })).toMatchObject({ pythonVersion: '3.12', warnings: [] })
})

test('dependency list in a variable: what it holds is installed', async () => {
  const wheels = ['tiny', 'small'].map((name) => ({ name, files: { [`${name}.py`]: '' } }))
  const { build } = setup({
    wheels,
    files: {
      'needs.py': 'BASE = ["tiny"]\n',
      'worker.py': app(
        'from needs import BASE',
        'ALL = BASE + ["small"]',
        '@Endpoint(name="x", dependencies=ALL)',
        'def a(): ...',
      ),
    },
  })
  expect((await build()).packages.map(({ name }) => name)).toEqual(['small', 'tiny'])
})

// Text of hexadecimal digits that no program knows ahead: it becomes half as large when it is compressed.
const noise = (mib: number) =>
  createHash('shake256', { outputLength: mib * 2 ** 19 })
    .update('x')
    .digest('hex')

test('archive over the limit: its largest packages, and the line that would fix it', async () => {
  const wheels = [
    { name: 'heavy', version: '2.1', files: { 'heavy.txt': noise(24) } },
    { name: 'light', files: { 'light.txt': noise(12) } },
  ]
  const files = { 'worker.py': app('@Endpoint(name="x", dependencies=["heavy", "light"])', 'def a(): ...') }
  const { build } = setup({ files, wheels, limitBytes: 10 * 2 ** 20 })
  expect(await problemsOf(build())).toEqual([
    {
      code: 'ARCHIVE_TOO_LARGE',
      message: [
        'The artifact would have about 20 MiB, and the limit is 10 MiB.',
        'The largest packages, not compressed:',
        '      24 MiB  heavy 2.1',
        '      12 MiB  light 1.0',
        'If your image has them, leave them out: drydock build --exclude heavy',
      ].join('\n'),
    },
  ])
})

/** Builds an app from these files and runs it. */
async function running(sources: Readonly<Record<string, readonly string[]>>) {
  const files = Object.fromEntries(Object.entries(sources).map(([file, lines]) => [file, app(...lines)]))
  const { build, artifact } = setup({ files })
  const { warnings } = await build()
  return { ...(await runningApp(artifact)), warnings }
}

// Names of functions that could break a handler file.
const NAMES = ['e', 'handler', 'config', 'queue_function', 'print']
const JOBS = {
  'count.py': ['@Endpoint(name="count", cpu="cpu3c-1-2")', 'def count(n):', '    yield from range(n)'],
  'meet.py': [
    'import threading',
    'both = threading.Barrier(2)',
    '@Endpoint(name="meet", cpu="cpu3c-1-2", workers=1, max_concurrency=2)',
    'def meet(): return both.wait(20) >= 0',
  ],
  'model.py': [
    'made = []',
    '@Endpoint(name="model", cpu="cpu3c-1-2", workers=1)',
    'class Model:',
    '    def __init__(self, size, *, seed=0):',
    '        self.size, self.seed = size, seed',
    '        made.append(size)',
    '    def predict(self, text): return [self.size, self.seed, text]',
    '    def made(self): return made',
    'model = Model("large", seed=4)',
  ],
  'names.py': [
    ...NAMES.flatMap((name) => [`@Endpoint(name="is-${name}", cpu="cpu3c-1-2")`, `def ${name}(): return "${name}"`]),
    '@Endpoint(name="my greeter", cpu="cpu3c-1-2")',
    'def greet(name): return name',
    'api = Endpoint(name="my api", cpu="cpu3c-1-2")',
    '@api.get("/x")',
    'def x(): return 1',
  ],
}

test('generators, concurrent sync functions, classes, functions named e and endpoint names with a space answer', async () => {
  const { job, json, stream, warnings } = await running(JOBS)
  expect(await stream('count', { n: 3 })).toEqual([0, 1, 2])

  expect(warnings).toEqual([
    {
      code: 'sync-concurrency',
      message: 'meet is not async, so its 2 jobs at once run in threads. Make sure that it is thread-safe.',
      file: 'meet.py',
      line: 4,
    },
  ])
  // Either waits for the other, so one alone would fail.
  const jobs = await Promise.all([job('meet', {}), job('meet', {})])
  expect(jobs.map(({ status, output }) => [status, output])).toEqual(Array(2).fill(['COMPLETED', true]))

  // The class is instantiated once, with the arguments of the build.
  expect(await job('model', { method: 'predict', text: 'a' })).toMatchObject({ output: ['large', 4, 'a'] })
  expect(await job('model', { method: 'made' })).toMatchObject({ output: ['large'] })
  expect(await job('model', {})).toMatchObject({
    status: 'FAILED',
    error: 'Model has several methods: name one as "method": predict, made',
  })

  for (const name of NAMES) expect(await job(`is-${name}`, {})).toMatchObject({ output: name })
  expect(await job('my greeter', { name: 'Ada' })).toMatchObject({ output: 'Ada' })
  expect(await json('my api', 'GET', '/x')).toBe(1)
})

const ROUTES = [
  'api = Endpoint(name="api", cpu="cpu3c-1-2")',
  '@api.put("/items/{item_id}")',
  'def put(item_id: int, name: str): return ["put", item_id, name]',
  '@api.patch("/items/{item_id}/{field}")',
  'def patch(item_id: int, field: str, value: float): return ["patch", item_id, field, value]',
  '@api.delete("/items/{item_id}")',
  'def delete(item_id: int): return ["delete", item_id]',
  '@api.get("/files/{rest:path}")',
  'def read(rest: str): return rest',
  '@api.post("/upload")',
  'def upload(data: bytes):',
  '    import hashlib',
  '    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}',
  '@api.get("/ticks")',
  'async def ticks(n: int = 3):',
  '    for tick in range(n):',
  '        yield {"tick": tick}',
]

test('PUT, PATCH, DELETE, path parameters, uploads and server-sent events arrive as the annotated types', async () => {
  const { json, request } = await running({ 'worker.py': ROUTES })
  expect(await json('api', 'PUT', '/items/7', { name: 'a b' })).toEqual(['put', 7, 'a b'])
  expect(await json('api', 'PATCH', '/items/7/price%2Fgross', { value: 2 })).toEqual(['patch', 7, 'price/gross', 2])
  expect(await json('api', 'DELETE', '/items/7')).toEqual(['delete', 7])
  expect(await json('api', 'GET', '/files/a/b.txt')).toBe('a/b.txt')
  const wrong = await request('api', '/items/seven', { method: 'DELETE' })
  expect([wrong.status, await wrong.json()]).toMatchObject([422, { detail: [{ loc: ['path', 'item_id'] }] }])

  // The body of the request, or a file of a form.
  const data = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251)
  const expected = { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') }
  const raw = await request('api', '/upload', {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: data,
  })
  expect(await raw.json()).toEqual(expected)
  const form = new FormData()
  form.set('data', new Blob([data]), 'data.bin')
  expect(await (await request('api', '/upload', { method: 'POST', body: form })).json()).toEqual(expected)

  // Events for who asks for them, else lines of JSON.
  const events = await request('api', '/ticks?n=2', { headers: { accept: 'text/event-stream' } })
  expect(events.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(await events.text()).toBe('data: {"tick": 0}\n\ndata: {"tick": 1}\n\n')
  expect(await (await request('api', '/ticks?n=2')).text()).toBe('{"tick": 0}\n{"tick": 1}\n')
})
