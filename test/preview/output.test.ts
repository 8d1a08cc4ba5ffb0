import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { previewProject } from './support.ts'

const PYTHON_PACKAGES = fileURLToPath(new URL('../../resources/python', import.meta.url))

async function setup({ all = false, args = [] }: { readonly all?: boolean; readonly args?: readonly string[] } = {}) {
  const app = await previewProject()
  if (!all) app.keepOnly('cpu_worker.py')
  app.edit('cpu_worker.py', '    return', '    print("greets", name)\n    return')
  const preview = app.startForPerson(...args)
  await until(() => expect(preview.printed()).toContain('export SVC_BASE_URL='))
  /** The text after a word, to the end of its line. */
  const lineWith = (word: string) =>
    preview
      .printed()
      .split('\n')
      .find((line) => line.includes(word)) ?? ''
  /** Runs a job with the variables that are printed. */
  const greetBo = () => {
    const headers = `-H "Authorization: Bearer $SVC_API_KEY" -H 'Content-Type: application/json'`
    const ask = `curl -s ${headers} -d '{"input": {"name": "Bo"}}' "$SVC_BASE_URL/v2/greet/runsync"`
    const answer = execFileSync('sh', ['-c', `${lineWith('export SVC_BASE_URL')} && ${ask}`], { encoding: 'utf8' })
    expect(JSON.parse(answer)).toMatchObject({ status: 'COMPLETED' })
  }
  return { app, preview, lineWith, greetBo }
}

test('it says where all endpoints are, and the request that it prints can be pasted', async () => {
  const { preview, lineWith } = await setup({ all: true })
  const [, url = ''] = /Preview of demo at (\S+)\. Ctrl\+C ends it\./.exec(preview.printed()) ?? []
  const places = preview.printed().slice(preview.printed().indexOf('load-balanced'))
  expect(
    places
      .slice(0, places.indexOf('\nTry:'))
      .trim()
      .split('\n')
      .map((line) => line.trim()),
  ).toEqual([
    'load-balanced',
    `api         ${url}/lb/api`,
    expect.stringMatching(/^or http:\/\/api\.localhost:\d+$/),
    'GET /health, POST /shout',
    'queue-based',
    `countdown   ${url}/v2/countdown`,
    `greet       ${url}/v2/greet`,
    `text-stats  ${url}/v2/text-stats`,
    `welcome     ${url}/v2/welcome`,
  ])
  expect(preview.printed()).toMatch(/✓ live after .+: 5 endpoints as processes of this machine\n/)
  expect(preview.noted()).toMatch(/^No containers: .+ Workers are processes of this machine\.$/m)
  expect(execFileSync('sh', ['-c', `${lineWith('curl')} -s`], { encoding: 'utf8' })).toBe('{"status":"ok"}')
})

test('a Python script that calls its functions needs the line that it prints and nothing else', async () => {
  const { app, lineWith } = await setup()
  const script = 'import asyncio; from cpu_worker import greet; print(asyncio.run(greet(name="Ada")))'
  const answer = execFileSync('sh', ['-c', `${lineWith('export SVC_BASE_URL')} && python3 -c '${script}'`], {
    cwd: app.project,
    env: { ...process.env, PYTHONPATH: PYTHON_PACKAGES },
    encoding: 'utf8',
  })
  expect(answer.trim()).toBe("{'greeting': 'Hello, Ada!'}")
})

test('output of workers comes with the name of their endpoint, and saves with their time', async () => {
  const { app, preview, greetBo } = await setup()
  greetBo()
  await until(() => expect(preview.printed()).toContain('greet | greets Bo\n'))
  app.edit('cpu_worker.py', 'Hello', 'Hi')
  await until(() => expect(preview.printed()).toMatch(/✓ live in \d+(\.\d)? m?s: cpu_worker\.py changed, 1 endpoint\n/))
  app.edit('cpu_worker.py', 'cpu="cpu3c-1-2"', 'gpu="NOPE"')
  await until(() =>
    expect(preview.noted()).toMatch(
      /cpu_worker\.py:\d+: .*NOPE[\s\S]*not built: 1 problem\. Release 2 keeps answering; the next save tries again\.\n/,
    ),
  )
  app.edit('cpu_worker.py', 'gpu="NOPE"', 'cpu="cpu3c-1-2"')
  await until(() => expect(preview.printed()).toContain('the source is back at release 2, which is live'))
  // The addresses are the same, so they are not printed again.
  expect(preview.printed().match(/queue-based/g)).toHaveLength(1)
  preview.signal('SIGINT')
  expect((await preview.ended).exitCode).toBe(0)
  expect(preview.noted()).toMatch(/stopping \.\.\.\n$/)
  expect(preview.printed()).toMatch(/The preview has ended\. .+\n$/)
})

test('--quiet leaves out what workers write', async () => {
  const { app, preview, greetBo } = await setup({ args: ['--quiet'] })
  greetBo()
  app.edit('cpu_worker.py', 'Hello', 'Hi')
  await until(() => expect(preview.printed()).toContain('✓ live in'))
  expect(preview.printed()).not.toContain('greets Bo')
})
