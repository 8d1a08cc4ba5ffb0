import { describe, expect, test } from 'vitest'
import {
  codeFoldersOf,
  fileHere,
  readTraceback,
  type TracebackPart,
} from '../../../../src-main/features/jobs/rules/read-traceback.ts'

const PYTHON = `Traceback (most recent call last):
  File "/usr/local/lib/python3.12/site-packages/runpod/serverless/modules/rp_job.py", line 182, in run_job
    handler_return = handler(job)
                     ^^^^^^^^^^^^
  File "/home/ada/faces/handler.py", line 12, in handler
    return find(job["input"])
           ^^^^^^^^^^^^^^^^^^
  File "/home/ada/faces/find.py", line 4, in find
    raise NoFace(
        "the picture has no face in it")
find.NoFace: the picture has no face in it
`

const place = (part: TracebackPart) =>
  part.kind === 'text' ? part.text : `${part.isOwn ? 'own ' : ''}${part.file}:${part.line} ${part.name}`

describe('a traceback of Python', () => {
  test('has each call with its source, the own ones marked, and no line that says the error again', () => {
    const parts = readTraceback(PYTHON, 'NoFace: the picture has no face in it')
    expect(parts.map(place)).toEqual([
      '/usr/local/lib/python3.12/site-packages/runpod/serverless/modules/rp_job.py:182 run_job',
      'own /home/ada/faces/handler.py:12 handler',
      'own /home/ada/faces/find.py:4 find',
    ])
    expect(parts[2]).toMatchObject({ code: ['raise NoFace(', '    "the picture has no face in it")'] })
  })

  test('of a chain keeps what led to the error, and what it was', () => {
    const chain = `Traceback (most recent call last):
  File "/app/a.py", line 1, in <module>
    {}["name"]
KeyError: 'name'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/a.py", line 3, in handler
ValueError: two
lines
`
    expect(readTraceback(chain, 'ValueError: two\nlines').map(place)).toEqual([
      'own /app/a.py:1 <module>',
      "KeyError: 'name'\n\nDuring handling of the above exception, another exception occurred:",
      'own /app/a.py:3 handler',
    ])
  })

  test('says how often a call is repeated', () => {
    const deep =
      '  File "/app/a.py", line 1, in f\n    f()\n  [Previous line repeated 990 more times]\nRecursionError: deep'
    expect(readTraceback(deep, 'RecursionError: deep').map(place)).toEqual([
      'own /app/a.py:1 f',
      '[Previous line repeated 990 more times]',
    ])
  })

  test.each([
    '/usr/lib/python3.12/json/decoder.py',
    '/home/ada/faces/.venv/lib/python3.12/site-packages/torch/nn/module.py',
    '/usr/lib/python3/dist-packages/requests/api.py',
    'C:\\Users\\ada\\AppData\\Local\\Programs\\Python\\Python312\\Lib\\json\\decoder.py',
    '<frozen importlib._bootstrap>',
    '/opt/drydock/python/svc_worker/_run.py',
  ])('%s is none of the own files', (file) => {
    const [frame] = readTraceback(`  File "${file}", line 1, in f`, '')
    expect(frame).toMatchObject({ file, isOwn: false })
  })
})

test('a stack of Node has its calls, and a traceback of another form is a text', () => {
  const stack = `RangeError: no face
    at find (file:///home/ada/find.ts:4:9)
    at async handler (/home/ada/handler.ts:12:3)
    at file:///home/ada/node_modules/sharp/lib/index.js:1:2`
  expect(readTraceback(stack, 'RangeError: no face').map(place)).toEqual([
    'own /home/ada/find.ts:4 find',
    'own /home/ada/handler.ts:12 async handler',
    '/home/ada/node_modules/sharp/lib/index.js:1 undefined',
  ])
  expect(readTraceback('goroutine 1 [running]:\nmain.main()', 'x')).toEqual([
    { kind: 'text', text: 'goroutine 1 [running]:\nmain.main()' },
  ])
})

describe('the file of this machine that a worker names', () => {
  const container = { volumes: [{ source: '/data/models', target: '/models', readOnly: true }] } as never
  const app = { name: 'shop' } as never
  test.each([
    ['of a process is that file', { handler: '/home/ada/handler.py' }, '/home/ada/find.py', '/home/ada/find.py'],
    [
      'of a container is next to its handler',
      { handler: '/home/ada/handler.py', container },
      '/app/find.py',
      '/home/ada/find.py',
    ],
    ['is found in volumes', { container }, '/models/load.py', '/data/models/load.py'],
    ['in an image is none', { handler: '/home/ada/handler.py', container }, '/usr/src/main.py', undefined],
    [
      'of an app is in its project',
      { handler: '/data/code/1/handler_a.py', app },
      '/data/code/1/lib/a.py',
      '/home/ada/shop/lib/a.py',
    ],
    [
      'of an app in a container too',
      { handler: '/data/code/1/handler_a.py', app, container },
      '/app/a.py',
      '/home/ada/shop/a.py',
    ],
    ['that was run from a text is none', { handler: '/home/ada/handler.py' }, '<string>', undefined],
  ])('%s', (_what, endpoint, file, here) => {
    expect(fileHere(file, codeFoldersOf(endpoint, '/home/ada/shop'))).toBe(here)
  })

  test('of an app without a project here is the copy that runs', () => {
    const endpoint = { handler: '/data/code/1/handler_a.py', app }
    expect(fileHere('/data/code/1/a.py', codeFoldersOf(endpoint, undefined))).toBe('/data/code/1/a.py')
  })
})
