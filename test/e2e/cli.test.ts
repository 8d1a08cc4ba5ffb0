import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Ended } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'
import { HELLO_HANDLER, serve, startCommand, temporaryFolder } from './support-cli.ts'

/** A service on a fresh data folder, and a function that runs a command against it. */
async function setup() {
  const folder = temporaryFolder()
  const service = await serve(folder)
  const run = async (...argv: string[]) =>
    documentsOf(await startCommand([...argv, '--data', 'data', '--json'], { cwd: folder }).ended)
  return { folder, service, run }
}

const shared = sharedService()

/** The same on a service that several tests share, with an endpoint for each test. */
async function setupShared(endpoint: string) {
  const { folder, command } = await shared()
  const run = async (...argv: string[]) => documentsOf(await command(...argv))
  const createHello = () => run('endpoint', 'create', endpoint, '--id', endpoint, '--handler', HELLO_HANDLER)
  return { folder, run, createHello }
}

/** The JSON documents that a command printed, one per line. */
function documentsOf({ exitCode, stdout, stderr }: Ended) {
  const lines = stdout.split('\n').filter(Boolean)
  return { exitCode, stderr, documents: lines.map((line) => JSON.parse(line)) }
}

describe('serve', () => {
  test('prints one line of the fixed form, and its files are for the user alone', async () => {
    const { folder, service } = await setup()
    const { ready, child, ended } = service
    expect(ready).toEqual({
      ready: true,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      data: join(folder, 'data'),
      keyFile: join(folder, 'data', 'account.key'),
    })
    const modes = [ready.keyFile, join(ready.data, 'service.json')].map((file) => statSync(file).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600])
    const key = readFileSync(ready.keyFile, 'utf8')
    expect(key).toMatch(/^\S+$/)
    const answer = await fetch(`${ready.url}/api/info`, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(200)
    child.kill('SIGTERM')
    const { exitCode, stdout, stderr } = await ended
    expect(exitCode).toBe(0)
    expect(stdout.split('\n')).toHaveLength(2)
    expect(stdout + stderr).not.toContain(key)
  })

  test('stops in order on SIGINT and leaves no trace of a running service', async () => {
    const { service, run } = await setup()
    service.child.kill('SIGINT')
    expect(await service.ended).toMatchObject({ exitCode: 0 })
    expect(await run('health')).toMatchObject({ exitCode: 3 })
  })

  test('on a data folder in use is refused, and names the service that runs; so is a port that is taken', async () => {
    const { folder, data, url, serviceFile } = await shared()
    const second = await startCommand(['serve', '--data', data, '--port', '0', '--json'], { cwd: folder }).ended
    expect(second).toMatchObject({ exitCode: 5, stdout: '' })
    const { error, code } = JSON.parse(second.stderr)
    expect(code).toBe('DATA_FOLDER_IN_USE')
    expect(error).toContain(String(serviceFile().pid))
    expect(error).toContain(url())

    const { port } = new URL(url())
    const third = await startCommand(['serve', '--data', 'other', '--port', port], { cwd: folder }).ended
    expect(third).toMatchObject({ exitCode: 5, stdout: '' })
    expect(third.stderr).toMatch(new RegExp(`^drydock: .*${port}.*\n$`))
  })

  test('goes down with a launcher that was killed, and its data folder is free at once', async () => {
    const { folder, service } = await setup()
    service.child.kill('SIGKILL')
    await service.ended
    const next = await serve(folder)
    expect(next.ready.data).toBe(service.ready.data)
  })
})

describe('jobs', () => {
  test('go from the command that queues them to their result', async () => {
    const { run, createHello } = await setupShared('ends')
    const created = await createHello()
    expect(created).toMatchObject({ exitCode: 0, documents: [{ id: 'ends', key: expect.any(String) }] })

    const done = await run('run', 'ends', '{"name":"Ada"}', '--wait')
    expect(done).toMatchObject({
      exitCode: 0,
      documents: [{ status: 'COMPLETED', output: { greeting: 'Hello, Ada' } }],
    })
    const id: string = done.documents[0].id
    expect((await run('status', id)).documents).toEqual(done.documents)
    expect((await run('status', 'ends', id)).documents).toEqual(done.documents)

    expect(await run('runsync', 'ends', '{"name":"Bob"}')).toMatchObject({
      exitCode: 0,
      documents: [{ status: 'COMPLETED', output: { greeting: 'Hello, Bob' } }],
    })
    const seed = await run('runsync', 'ends', '{"name":18446744073709551615}')
    expect(seed.documents).toMatchObject([{ output: { greeting: 'Hello, 18446744073709551615' } }])
    expect((await run('jobs', 'search', 'Ada')).documents).toMatchObject([{ requests: [{ id }] }])
    expect((await run('health', 'ends')).documents).toMatchObject([{ jobs: { completed: 3, inQueue: 0 } }])
  })
})

describe('workers', () => {
  test('of a command start in the folder of the caller, with the variables of the endpoint', async () => {
    const { run, folder } = await setupShared('mine')
    writeFileSync(join(folder, 'my_worker.py'), WORKER)
    const created = await run('endpoint', 'create', 'mine', '--command', 'python3 my_worker.py', '--env', 'COLOUR=blue')
    const { id } = created.documents[0]
    expect((await run('runsync', id, '{}')).documents).toMatchObject([{ output: { cwd: folder, colour: 'blue' } }])
  })

  test('are listed and stopped, and their lines can be followed', async () => {
    const { run, folder } = await setupShared('talk')
    writeFileSync(
      join(folder, 'talk.py'),
      'def handler(job):\n    print("a line of", job["input"]["who"], flush=True)\n    return {}\n',
    )
    await run('endpoint', 'create', 'talk', '--id', 'talk', '--handler', 'talk.py', '--idle-timeout', '600')
    const follower = startCommand(['logs', 'talk', '-f', '--data', 'data'], { cwd: folder })
    const { id } = (await run('run', 'talk', '{"who":"Eve"}', '--wait')).documents[0]
    let line = await follower.nextLine()
    while (line !== undefined && !line.includes('a line of Eve')) line = await follower.nextLine()
    expect(line).toContain('a line of Eve')
    expect((await run('logs', '--job', id)).documents[0].lines).toMatchObject([{ jobId: id, line: 'a line of Eve' }])

    const [{ workers }] = (await run('workers', 'list', '--endpoint', 'talk')).documents
    expect(workers).toMatchObject([{ endpointId: 'talk', state: 'idle', jobsDone: 1 }])
    expect(await run('workers', 'stop', workers[0].id)).toMatchObject({ exitCode: 0, documents: [{ ok: true }] })
  })
})

describe('start', () => {
  test('says where everything is and that the sample answered; a second one asks the same service and ends', async () => {
    const folder = temporaryFolder()
    const argv = ['start', '--no-window', '--data', 'data']
    const first = startCommand([...argv, '--port', '0'], { cwd: folder })
    const lines: string[] = []
    for (let line = await first.nextLine(); line !== undefined; line = await first.nextLine()) {
      lines.push(line)
      if (line.includes('endpoint create')) break
    }
    const text = lines.join('\n')
    expect(text).toMatch(/^address +http:\/\/127\.0\.0\.1:\d+$/m)
    expect(text).toMatch(/^✓ The sample hello answered \{"greeting":"Hello, world"\} in \d/m)
    expect(text).toContain(join(folder, 'data', 'account.key'))
    expect(text).not.toContain(readFileSync(join(folder, 'data', 'account.key'), 'utf8'))

    expect(text).toMatch(/^Ready in \d.*, counted from the command\.$/m)
    const jobs = await startCommand(['jobs', '--data', 'data', '--json'], { cwd: folder }).ended
    expect(JSON.parse(jobs.stdout).requests).toEqual([])

    const second = await startCommand(argv, { cwd: folder }).ended
    expect(second).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/already running[\s\S]*hello answered/) })
    const listed = await startCommand(['endpoint', 'list', '--data', 'data', '--json'], { cwd: folder }).ended
    expect(JSON.parse(listed.stdout).endpoints).toMatchObject([{ id: 'hello' }, { id: 'sketch', workflows: {} }])
    first.child.kill('SIGINT')
    expect(await first.ended).toMatchObject({ exitCode: 0 })
  })

  test.each([
    ['opens the pages with another link', [], 'The pages are open in your browser (`--no-open` turns this off).'],
    ['opens nothing with --no-open', ['--no-open'], 'The endpoint sketch runs image workflows'],
  ])('in a terminal prints a sign-in link and %s', async (_does, options, last) => {
    const folder = temporaryFolder()
    const opened = join(folder, 'opened')
    writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$@" >>'${opened}'\n`, { mode: 0o755 })
    const PATH = [folder, process.env.PATH].join(delimiter)
    const { child, nextLine, ended } = startCommand(
      ['start', '--no-window', '--data', 'data', '--port', '0', ...options],
      {
        cwd: folder,
        env: { PATH, DISPLAY: ':0', CI: '', SSH_CONNECTION: '' },
        terminal: true,
      },
    )
    const lines: string[] = []
    while (!lines.at(-1)?.includes(last)) lines.push((await nextLine()) ?? last)
    const [, printed = ''] = /^sign in +(\S+) {2}\(works once, within a minute\)$/m.exec(lines.join('\n')) ?? []
    const { headers } = await fetch(printed, { redirect: 'manual' })
    expect(headers.get('set-cookie')).not.toBe(null)
    child.stdin?.write('\u0003')
    await ended
    const links = existsSync(opened) ? readFileSync(opened, 'utf8').trim().split('\n') : []
    const link = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\?code=\S+$/)
    expect(links).toEqual(options.length === 0 ? [link] : [])
    expect(links).not.toContain(printed)
  })
})

test('start without Python says so, and that the rest runs', async () => {
  const folder = temporaryFolder()
  const started = startCommand(['start', '--no-window', '--data', 'data', '--port', '0'], {
    cwd: folder,
    env: { PATH: folder },
  })
  const [said] = await once(started.child.stderr as Readable, 'data')
  expect(String(said)).toContain('because it needs Python 3: python3 is not there. Install Python')
  started.child.kill('SIGINT')
  expect(await started.ended).toMatchObject({ exitCode: 0 })
})

test('demo shows every answer, finds each right and leaves nothing behind', async () => {
  const folder = temporaryFolder()
  const { exitCode, stdout, stderr } = await startCommand(['demo'], { cwd: folder, env: { TMPDIR: folder } }).ended
  expect({ exitCode, stderr, wrong: stdout.match(/^✗.*/gm) }).toEqual({ exitCode: 0, stderr: '', wrong: null })
  expect(readdirSync(folder)).toEqual([])
})

test('doctor has no failed row while a service runs', async () => {
  const { run } = await setupShared('none')
  const { exitCode, documents } = await run('doctor')
  expect(exitCode).toBe(0)
  expect(documents[0].checks).toContainEqual({
    check: 'service',
    state: 'ok',
    found: expect.stringContaining('key accepted'),
  })
})

// The least that speaks the worker protocol: takes one job and answers where it runs.
const WORKER = `
import json, os, urllib.request

def call(url, body=None):
    request = urllib.request.Request(url, data=body, headers={"Authorization": os.environ["RUNPOD_AI_API_KEY"]})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()

worker = os.environ["RUNPOD_POD_ID"]
while True:
    text = call(os.environ["RUNPOD_WEBHOOK_GET_JOB"].replace("$ID", worker) + "&job_in_progress=0")
    if text:
        job = json.loads(text)
        url = os.environ["RUNPOD_WEBHOOK_POST_OUTPUT"].replace("$RUNPOD_POD_ID", worker).replace("$ID", job["id"])
        call(url, json.dumps({"output": {"cwd": os.getcwd(), "colour": os.environ.get("COLOUR")}}).encode())
`
