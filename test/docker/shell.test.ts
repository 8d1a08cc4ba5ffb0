/** Shells in real containers. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type ContainerService, startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'
import { sharedInFile } from '../support/shared-in-file.ts'

const engine = await dockerEngine()
const LAUNCHER = fileURLToPath(new URL('../../src-main/app/cli/drydock.mjs', import.meta.url))
const ONE = { workersMin: 1, workersMax: 1 }
const HANDLER = `
def handler(job):
    return job["input"]
`

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const shared = sharedInFile(async (whenOver) => {
  const service = await startedContainerService(engine, {}, whenOver)
  await service.createContainerHandler('work', HANDLER, ONE)
  return service
})

/** A new shell in the container of the shared service. */
async function opened() {
  const service = await shared()
  const worker = await service.workerIn('work', 'idle')
  const { shellId, program } = await service.post(`/api/workers/${worker.id}/shell`, { columns: 80, rows: 24 })
  const shell = `/api/shells/${shellId}`
  onTestFinished(async () => void (await service.ask('DELETE', shell)))
  return {
    service,
    worker,
    shell,
    program,
    type: (text: string) => service.post(`${shell}/input`, { text }),
    output: () => outputOf(service, shell),
  }
}

async function outputOf(service: ContainerService, shell: string) {
  const { data, ended } = await service.get(`${shell}/output`)
  return { text: Buffer.from(data, 'base64').toString(), ended }
}

const expectText = (output: () => Promise<{ readonly text: string }>, wanted: RegExp) =>
  until(async () => expect((await output()).text).toMatch(wanted))

test('a shell runs bash as the user of the container, with the rights and the variables of its worker', async () => {
  const { worker, program, type, output, service } = await opened()
  expect(program).toBe('bash')
  await type('echo $((6*7)) "$RUNPOD_POD_ID" "$(id -u)"; grep CapEff /proc/self/status; stty size\r')
  const own = await service.docker('exec', worker.container, 'id', '-u')
  await expectText(output, new RegExp(`42 ${worker.id} ${own}\\r\\nCapEff:\\t0{16}\\r\\n24 80`))
  expect((await output()).text).not.toContain('<shell')
})

test('the terminal takes a new size, control keys, and more than a line', async () => {
  const { shell, service, type, output } = await opened()
  await service.post(`${shell}/size`, { columns: 133, rows: 51 })
  await type('stty size\r')
  await expectText(output, /51 133/)
  await type('echo first\r')
  await type('python3 -c "import time; print(6 * 7, flush=True); time.sleep(1000)"\r')
  await expectText(output, /\n42\r\n/)
  await type('\u0003')
  await expectText(output, /KeyboardInterrupt\s[^<]*# $/)
  // Ctrl-P is the command before, and no key of the engine.
  await type('\u0010\u0010 again\r')
  await expectText(output, /first again\r\n/)
  await type(`cat > /tmp/long <<'X'\n${'0123456789\n'.repeat(3000)}X\nwc -c < /tmp/long\r`)
  await expectText(output, /\n33000\r\n/)
})

test('a program that writes without end is held back, and continues where it is read', async () => {
  const { shell, service, type } = await opened()
  await type('seq 1 100000\r')
  let seen = 0
  let text = ''
  await until(async () => {
    const { end, data } = await service.get(`${shell}/output?after=${seen}`)
    seen = end
    text += Buffer.from(data, 'base64').toString()
    // `expect` would print the whole text for each look.
    if (!text.includes('\n100000\r\n')) throw new Error(`the end is not read, of ${seen} bytes`)
  })
  expect(text.match(/\d+(?=\r\n)/g)?.map(Number)).toEqual(
    expect.arrayContaining(Array.from({ length: 1000 }, (_one, at) => (at + 1) * 100)),
  )
})

test('a shell that exits, and one whose worker ends, say so', async () => {
  const { service, worker, type, output, shell } = await opened()
  await type('exit 3\r')
  await until(async () => expect((await output()).ended).toBe('the shell has exited with code 3'))
  expect((await service.ask('POST', `${shell}/input`, { text: 'x' })).status).toBe(404)
  const { shellId } = await service.post(`/api/workers/${worker.id}/shell`, { columns: 80, rows: 24 })
  await service.post(`/api/workers/${worker.id}/stop`)
  await until(async () =>
    expect((await outputOf(service, `/api/shells/${shellId}`)).ended).toBe('the worker has ended: stopped by a person'),
  )
})

test('closing a shell ends what runs in it', async () => {
  const { service, worker, shell, type, output } = await opened()
  await type('trap "" HUP; sleep 4242\r')
  await expectText(output, /sleep 4242/)
  const programs = () => service.docker('top', worker.container, '-eo', 'pid,args')
  await until(async () => expect(await programs()).toMatch(/\d+ +sleep 4242/))
  expect((await service.ask('DELETE', shell)).status).toBe(200)
  await until(async () => expect(await programs()).not.toMatch(/bash|sleep 4242/))
})

test('the command line opens a shell too: what comes from a pipe is typed, and its end ends it', async () => {
  const service = await shared()
  const { id } = await service.workerIn('work', 'idle')
  const child = spawn(process.execPath, [LAUNCHER, 'workers', 'shell', id, '--data', service.data])
  child.stdin.end('echo $((6*7)) "$RUNPOD_POD_ID"\n')
  const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(printed).toContain(`\n42 ${id}\r\n`)
  expect(said).toContain('the shell has exited')
  const refused = await service.command('workers', 'shell', id)
  expect(refused.exitCode).toBe(2)
})

test('an image without a shell, and a process, say why there is none', async () => {
  const service = await shared()
  await service.createEndpoint('process', ONE)
  const process = await service.workerIn('process', 'idle')
  const refused = async (id: string) =>
    (await service.ask('POST', `/api/workers/${id}/shell`, { columns: 80, rows: 24 })).body.error
  expect(await refused(process.id)).toContain('it runs as a process on this machine')
  await service.createContainerHandler('bare', HANDLER, ONE)
  const { id, container } = await service.workerIn('bare', 'idle')
  await service.docker('exec', '--user', '0', container, 'rm', '/bin/sh')
  expect(await refused(id)).toContain('its image has no shell')
})
