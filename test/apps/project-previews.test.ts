import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { PreviewView } from '../../src-main/contract/projects.ts'
import { signal } from '../support/process-table.ts'
import { until } from '../support/served-service.ts'
import { sharedInFile } from '../support/shared-in-file.ts'
import { readSignIn } from '../support/signed-in.ts'
import { projectService } from './projects-support.ts'

const shared = sharedInFile((whenOver) => projectService({}, whenOver))

test('a preview follows each save, says why one does not run, and leaves nothing when it is stopped', async () => {
  const { service, open, processes, previewFolders, askPreview } = await shared()
  const before = processes().length
  const project = await open('saved', 'mixed')
  expect(await service.post(`${project.at}/preview`)).toMatchObject({ state: 'starting' })
  const live = await project.previewIs('live', 1)
  expect(live).toMatchObject({ runsOn: 'processes', problems: [] })
  expect(live.endpoints.map(({ resource }) => resource).sort()).toEqual(['clean', 'keywords', 'mood', 'reviews'])
  const rate = async (view: PreviewView) =>
    (await askPreview(view, 'POST', '/v2/mood/runsync', { input: { text: 'great' } })).output

  const first = await rate(live)
  project.edit('mood.py', 'return {', 'return {"saved": True, ')
  const second = await project.previewIs('live', 2)
  expect(second.notes.findLast(({ kind }) => kind === 'live')).toMatchObject({ files: ['mood.py'] })
  expect(await rate(second)).toEqual({ ...first, saved: true })

  project.edit('mood.py', 'return {', 'return {{')
  const broken = await project.previewIs('broken', 2)
  expect(broken.problems).toMatchObject([{ file: 'mood.py', line: expect.any(Number) }])
  expect(broken.why).toContain('Release 2 keeps answering')
  project.edit('mood.py', 'return {{', 'return {')
  expect((await project.previewIs('live', 2)).problems).toEqual([])

  expect(await service.ask('DELETE', `${project.at}/preview`)).toMatchObject({ body: { state: 'ended' } })
  expect(processes().length).toBe(before)
  expect(previewFolders()).toEqual([])
  // Stopped once more it stays what it is.
  expect(await service.ask('DELETE', `${project.at}/preview`)).toMatchObject({ body: { state: 'ended' } })
})

test('the views of a preview are followed to its end', async () => {
  const { service, open, follow } = await shared()
  const project = await open('viewed', 'hello')
  // It is not live before somebody follows it.
  project.edit('app.py', 'from svc', `${waitsFor(service.gate('go'))}from svc`)
  await service.post(`${project.at}/preview`)
  const rest = await follow<PreviewView>(`${project.at}/preview`)
  service.openGate('go')
  await project.previewIs('live', 1)
  await service.ask('DELETE', project.at)
  const states = (await rest()).map(({ state }) => state)
  expect([...new Set(states)]).toEqual(['starting', 'live', 'stopping', 'ended'])
})

test('a link signs a browser in to a preview page without its key; the session sends requests and sees the workers', async () => {
  const { service, open } = await shared()
  const project = await open('linked', 'hello')
  await service.post(`${project.at}/preview`)
  const { url, endpoints } = await project.previewIs('live', 1)
  onTestFinished(async () => void (await service.ask('DELETE', `${project.at}/preview`)))
  const [{ id } = { id: '' }] = endpoints
  const link = await service.post(`${project.at}/preview/link`)
  expect(link.url.startsWith(`${url}/`)).toBe(true)
  const session = await readSignIn(await fetch(`${link.url}&to=/endpoints/${id}/requests`))
  expect(session.page).toBe(`/endpoints/${id}/requests`)
  expect(session.setCookie).toContain('HttpOnly')
  const headers = { ...session.headers, 'content-type': 'application/json' }
  // biome-ignore lint/suspicious/noExplicitAny: what comes is compared with what is expected, whatever its form
  const ask = async (path: string, body?: string): Promise<any> =>
    (await fetch(`${url}${path}`, body === undefined ? { headers } : { headers, method: 'POST', body })).json()
  const { example } = await ask(`/api/endpoints/${id}/input-hints`)
  const job = await ask(`/v2/${id}/runsync`, `{"input":${example}}`)
  expect(job).toMatchObject({ status: 'COMPLETED', output: { greeting: 'Hello, Ada' } })
  const { workers } = await ask('/api/workers')
  expect(workers).toMatchObject([{ endpointId: id, state: expect.any(String), startedAt: expect.any(Number) }])
  // The service that made the link has neither.
  expect((await service.get('/api/workers')).workers).toEqual([])
})

test('two projects are previewed at once, and a stop of the service ends both', async () => {
  const { service, open, processes, previewFolders } = await projectService()
  const projects = [await open('one', 'hello'), await open('two', 'two-load-balanced')]
  for (const { at } of projects) await service.post(`${at}/preview`)
  const views = await Promise.all(projects.map(({ previewIs }) => previewIs('live', 1)))
  expect(new Set(views.map(({ url }) => url)).size).toBe(2)
  expect(await service.ask('POST', `${projects[0]?.at}/preview`)).toMatchObject({ body: { code: 'PREVIEW_RUNNING' } })
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  expect(processes()).toEqual([])
  expect(previewFolders()).toEqual([])
})

test('a service that is killed leaves no preview behind', async () => {
  const { service, open, processes, previewFolders } = await projectService()
  const project = await open('shop', 'hello')
  // Workers that write without a pause: whatever the preview tells then, nobody reads it.
  project.write('noise.py', NOISE)
  await service.post(`${project.at}/preview`)
  await project.previewIs('live', 1)
  await until(async () => expect((await project.preview()).notes.map(({ text }) => text)).toContain('noise'))
  await service.kill()
  await until(() => expect(processes()).toEqual([]))
  expect(previewFolders()).toEqual([])
})

test('a preview that is killed says so, and its workers go', async () => {
  const { service, open, processes, previewFolders } = await shared()
  const before = processes().map(({ pid }) => pid)
  const project = await open('killed', 'hello')
  await service.post(`${project.at}/preview`)
  await project.previewIs('live', 1)
  const [preview] = processes().filter(({ pid, workerId }) => !before.includes(pid) && workerId === undefined)
  signal(preview?.pid ?? 0, 'SIGKILL')
  const ended = await project.previewIs('ended')
  expect(ended.why).toBe('The preview was killed. Start it again.')
  expect(processes().map(({ pid }) => pid)).toEqual(before)
  expect(previewFolders()).toEqual([])
})

test('a preview that is stopped at once leaves nothing', async () => {
  const { service, open, processes, previewFolders } = await shared()
  const before = processes().length
  const project = await open('stopped', 'hello')
  for (let round = 0; round < 3; round++) {
    await service.post(`${project.at}/preview`)
    const { body } = await service.ask('DELETE', `${project.at}/preview`)
    expect(body).toMatchObject({ state: 'ended' })
    expect(body.why).toBeUndefined()
  }
  expect(processes().length).toBe(before)
  expect(previewFolders()).toEqual([])
})

test('a preview that cannot begin ends with its own words', async () => {
  const { service, open } = await shared()
  const name = 'x'.repeat(101)
  const project = await open(name, 'hello')
  await service.post(`${project.at}/preview`)
  expect((await project.previewIs('ended')).why).toContain(`"${name}" is not a valid app name`)
})

test('a preview of a folder that is gone ends with the reason', async () => {
  const { service, open } = await shared()
  const project = await open('gone', 'hello')
  rmSync(join(project.folder), { recursive: true })
  await service.post(`${project.at}/preview`)
  const { why } = await project.previewIs('ended')
  expect(why).toBe(`The preview could not be started: the folder ${project.folder} is not there.`)
})

const waitsFor = (gate: string) =>
  `import os\nimport time\n\nwhile not os.path.exists(${JSON.stringify(gate)}):\n    time.sleep(0.01)\n\n`

const NOISE = `
import threading, time
from svc import Endpoint

def chatter():
    while True:
        print("noise", flush=True)
        time.sleep(0.001)

threading.Thread(target=chatter, daemon=True).start()

@Endpoint(name="noise", cpu="cpu3c-1-2", workers=(1, 1))
def noise():
    return 1
`
