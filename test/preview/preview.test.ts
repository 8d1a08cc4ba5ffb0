import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { gatedWorker, previewProject } from './support.ts'

/** Code that does not become ready before a file is there. */
const waitsAtImport = (gate: string) =>
  `import os\nimport time\n\nwhile not os.path.exists(${JSON.stringify(gate)}):\n    time.sleep(0.01)\n\n`

test('the app of init answers at all its endpoints, and Ctrl+C leaves nothing of it', async () => {
  const app = await previewProject()
  const preview = app.start()
  const { app: name, environment, keyFile } = await preview.event('up')
  const live = await preview.event('live')
  expect({ name, environment }).toEqual({ name: 'demo', environment: expect.stringMatching(/^preview-\w{6}$/) })
  expect(live).toMatchObject({ release: 1, runsOn: 'processes', changed: 5, files: [] })
  expect(live.endpoints.map(({ id }: { id: string }) => id)).toEqual([
    'api',
    'countdown',
    'greet',
    'text-stats',
    'welcome',
  ])
  expect(live.warnings).toEqual([expect.stringMatching(/^No containers: .+ Workers are processes of this machine\.$/)])
  expect((statSync(keyFile).mode & 0o777).toString(8)).toBe('600')
  expect((statSync(join(keyFile, '..')).mode & 0o777).toString(8)).toBe('700')

  expect(await preview.output('greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
  expect(await preview.output('welcome', { names: ['Ada'] })).toEqual({ welcome: ['Hello, Ada!'] })
  expect(await preview.ask('GET', '/lb/api/health')).toEqual({ status: 200, body: { status: 'ok' } })

  preview.signal('SIGINT')
  expect(await preview.ended).toMatchObject({ exitCode: 0, stderr: '' })
  expect(preview.told().at(-1)).toEqual({ event: 'ended' })
  expect(preview.processes()).toEqual([])
  expect(app.folders()).toEqual([])
})

/** A worker that tells in which release's folder its code lies. */
const PLACED = `import os

from svc import Endpoint


@Endpoint(name="placed", cpu="cpu3c-1-2")
def placed():
    return os.path.basename(os.path.dirname(os.path.abspath(__file__)))
`

test('a save waits for the endpoints that load its file, and all others have the same release too', async () => {
  const app = await previewProject()
  app.write('placed.py', PLACED)
  const preview = app.start()
  await preview.event('live')
  expect(await preview.output('placed')).toBe('1')

  app.edit('cpu_worker.py', 'Hello', 'Hi')
  expect(await preview.event('live', 2)).toMatchObject({ release: 2, changed: 2 })
  const prepared = preview.told().filter(({ event, release }) => event === 'preparing' && release === 2)
  const started = prepared.flatMap(({ steps }) => steps.filter(({ state }: { state: string }) => state === 'starting'))
  expect([...new Set(started.map(({ resource }) => resource))].sort()).toEqual(['greet', 'welcome'])
  expect(await preview.output('greet')).toEqual({ greeting: 'Hi, world!' })
  expect(await preview.output('welcome', { names: ['Ada'] })).toEqual({ welcome: ['Hi, Ada!'] })
  expect(await preview.output('placed')).toBe('2')

  app.write('words.txt', 'x')
  expect(await preview.event('live', 3)).toMatchObject({ release: 3, changed: 6 })
})

test('requests go on while a save that does not concern their endpoint becomes live', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py', 'lb_worker.py')
  const preview = app.start()
  await preview.event('live')
  const workers = async (): Promise<readonly string[]> => {
    const { body } = await preview.ask('GET', '/api/workers')
    return body.workers.flatMap(({ id, endpointId }: Record<string, string>) => (endpointId === 'api' ? [id] : []))
  }
  const [before] = await workers()
  const over = new AbortController()
  const answers: number[] = []
  const asking = (async () => {
    while (!over.signal.aborted) answers.push((await preview.ask('GET', '/lb/api/health')).status)
  })()
  try {
    app.edit('cpu_worker.py', 'Hello', 'Hi')
    await preview.event('live', 2)
    await until(async () => expect(await workers()).not.toContain(before))
  } finally {
    over.abort()
    await asking
  }
  expect(new Set(answers)).toEqual(new Set([200]))
})

test('a save that cannot be built is reported with its place, and the release before keeps answering', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  const preview = app.start()
  await preview.event('live')
  app.edit('cpu_worker.py', 'cpu="cpu3c-1-2"', 'gpu="NOPE"')
  const failed = await preview.event('build failed')
  expect(failed).toMatchObject({ answers: 1, problems: [{ file: 'cpu_worker.py', line: expect.any(Number) }] })
  expect(await preview.output('greet')).toEqual({ greeting: 'Hello, world!' })
  app.edit('cpu_worker.py', 'gpu="NOPE"', 'cpu="cpu3c-1-2"')
  expect(await preview.event('as before')).toEqual({ event: 'as before', release: 1 })
  app.edit('cpu_worker.py', 'Hello', 'Good day')
  expect(await preview.event('live', 2)).toMatchObject({ release: 2 })
  expect(await preview.output('greet')).toEqual({ greeting: 'Good day, world!' })
})

test('a save that does not start is reported with its reason, and the release before keeps answering', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  const preview = app.start()
  await preview.event('live')
  app.edit('cpu_worker.py', 'from svc', 'import not_there_at_all\nfrom svc')
  expect(await preview.event('release failed')).toMatchObject({
    release: 2,
    answers: 1,
    why: expect.stringContaining("greet: ModuleNotFoundError: No module named 'not_there_at_all'"),
  })
  expect(await preview.output('greet')).toEqual({ greeting: 'Hello, world!' })
  app.edit('cpu_worker.py', 'import not_there_at_all\n', '# it works\n')
  expect(await preview.event('live', 2)).toMatchObject({ release: 3 })
})

test('a first build that fails waits for the save that fixes it', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  app.edit('cpu_worker.py', 'cpu="cpu3c-1-2"', 'gpu="NOPE"')
  const preview = app.start()
  expect(await preview.event('build failed')).not.toHaveProperty('answers')
  app.edit('cpu_worker.py', 'gpu="NOPE"', 'cpu="cpu3c-1-2"')
  expect(await preview.event('live')).toMatchObject({ release: 1 })
})

test('a release that hangs is given up for the next save', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  app.write('gated.py', gatedWorker('before'))
  const preview = app.start()
  await preview.event('live')
  app.write('gated.py', waitsAtImport(join(app.project, '..', 'never')) + gatedWorker('hangs'))
  await until(() => expect(preview.told().at(-1)).toMatchObject({ event: 'preparing', release: 2 }))
  app.write('gated.py', gatedWorker('newest'))
  expect(await preview.event('given up')).toEqual({ event: 'given up', release: 2 })
  expect(await preview.event('live', 2)).toMatchObject({ release: 3 })
  expect(await preview.output('gated')).toBe('newest')
})

test('a save without a change, or of an ignored file, makes no release; temporary files of editors are not named', async () => {
  const app = await previewProject()
  app.write('.runpodignore', 'private/\n')
  app.write('private/notes.txt', 'one')
  const preview = app.start()
  const { data } = await preview.event('up')
  await preview.event('live')
  expect(existsSync(join(data, 'code', '1', 'cpu_worker.py'))).toBe(true)
  expect(existsSync(join(data, 'code', '1', 'private'))).toBe(false)
  const builtAt = () => JSON.parse(readFileSync(join(app.project, '.svc', 'svc_manifest.json'), 'utf8')).generated_at
  const first = builtAt()
  app.write('private/notes.txt', 'two')
  await until(() => expect(builtAt()).not.toBe(first))
  const before = builtAt()
  app.write('.cpu_worker.py.swp', 'x')
  app.edit('cpu_worker.py', 'Hello', 'Hello')
  app.remove('.cpu_worker.py.swp')
  await until(() => expect(builtAt()).not.toBe(before))
  app.edit('stream_worker.py', 'range(start, -1, -1)', 'range(start, 0, -1)')
  expect(await preview.event('live', 2)).toMatchObject({ release: 2, files: ['stream_worker.py'] })
  expect(preview.told().filter(({ event }) => event === 'as before' || event === 'build failed')).toEqual([])
})

test('endpoints come and go with their files', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  const preview = app.start()
  await preview.event('live')
  app.write('gated.py', gatedWorker('new'))
  const { endpoints } = await preview.event('live', 2)
  expect(endpoints.map(({ resource }: { resource: string }) => resource)).toContain('gated')
  expect(await preview.output('gated')).toBe('new')
  app.remove('gated.py')
  const later = await preview.event('live', 3)
  expect(later.endpoints.map(({ resource }: { resource: string }) => resource)).not.toContain('gated')
  expect((await preview.ask('POST', '/v2/gated/run', { input: {} })).status).toBe(404)
})

test('variables of .env reach workers, also when they change, and their values are told nowhere', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  app.write('.env', 'COLOUR=crimson-one\nSVC_API_KEY=hidden-key\n')
  app.write(
    'colour.py',
    'from svc import Endpoint\n\n\n@Endpoint(name="colour", cpu="cpu3c-1-2")\ndef colour():\n    import os\n\n    return os.environ["COLOUR"][8:] + os.environ.get("NUMBER", "-none")\n',
  )
  const preview = app.start()
  await preview.event('live')
  expect(await preview.event('variables')).toEqual({ event: 'variables', names: ['COLOUR'], leftOut: ['SVC_API_KEY'] })
  expect(await preview.output('colour')).toBe('one-none')
  app.write('.env', 'COLOUR=crimson-two\nNUMBER=-5')
  expect(await preview.event('live', 2)).toMatchObject({ release: 2, because: 'variables', files: ['.env'] })
  expect(await preview.output('colour')).toBe('two-5')
  app.remove('.env')
  app.edit('colour.py', 'os.environ["COLOUR"][8:]', 'os.environ.get("COLOUR", "none")')
  await until(async () => expect(await preview.output('colour')).toBe('none-none'))
  preview.signal('SIGINT')
  const { stdout, stderr } = await preview.ended
  expect(stdout + stderr).not.toMatch(/crimson|hidden-key/)
})

test('code of earlier releases goes, the newest three stay', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  const preview = app.start()
  const { data } = await preview.event('up')
  await preview.event('live')
  let newest = 1
  const releaseNext = async () => {
    newest += 1
    app.write('number.py', `NUMBER = ${newest}\n`)
    await preview.event('live', newest)
  }
  while (newest < 5) await releaseNext()
  await until(async () => {
    const numbers = Array.from({ length: newest }, (_, at) => at + 1)
    const there = numbers.filter((folder) => existsSync(join(data, 'code', String(folder), 'number.py')))
    // A worker that had not ended yet kept its folder: the next release looks again.
    if (there.length > 3) await releaseNext()
    expect(there).toEqual([newest - 2, newest - 1, newest])
  })
})
