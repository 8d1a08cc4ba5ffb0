import { mkdirSync, rmdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setup } from '../support/core.ts'
import { folderWith, openProject, WORKER } from '../support/project-folder.ts'

describe('folders', () => {
  it('are listed by name, without hidden ones and files, and those with an app are marked', async () => {
    const service = await setup()
    const path = folderWith({
      'shop/worker.py': WORKER,
      'older/src/gpu.py': 'import runpod_flash\n',
      'plain/x.py': 'import os  # not from svc import Endpoint\n',
      'notes/read.md': 'from svc import Endpoint',
      '.hidden/worker.py': WORKER,
      'file.txt': '',
    })
    symlinkSync(join(path, 'nowhere'), join(path, 'broken'))
    const { folders, parent, capped } = await service.get(`/api/folders?path=${encodeURIComponent(path)}`)
    expect(folders).toEqual([
      { name: 'notes', path: join(path, 'notes'), isApp: false },
      { name: 'older', path: join(path, 'older'), isApp: true },
      { name: 'plain', path: join(path, 'plain'), isApp: false },
      { name: 'shop', path: join(path, 'shop'), isApp: true },
    ])
    expect([parent, capped]).toEqual([join(path, '..'), false])
  })

  it('are listed with the files that a handler may be in, where they are asked for', async () => {
    const service = await setup()
    const path = folderWith({
      'face.py': 'import runpod\nrunpod.serverless.start({"handler": run})\n',
      'handler.py': 'async def handler(job):\n    return job\n',
      'paint.ts': 'export const handler = async () => 1\n',
      'util.py': '# a handler is elsewhere\nimport os\n',
      'types.d.ts': 'export default 1\n',
      'read.md': '',
      '.hidden.py': 'def handler(job): pass\n',
      'lib/a.py': '',
    })
    const { folders, files } = await service.get(`/api/folders?files=handlers&path=${encodeURIComponent(path)}`)
    expect(folders).toEqual([{ name: 'lib', path: join(path, 'lib'), isApp: false }])
    expect(files).toEqual([
      { name: 'face.py', path: join(path, 'face.py'), isHandler: true },
      { name: 'handler.py', path: join(path, 'handler.py'), isHandler: true },
      { name: 'paint.ts', path: join(path, 'paint.ts'), isHandler: true },
      { name: 'util.py', path: join(path, 'util.py'), isHandler: false },
    ])
  })

  it('are those of the home folder where none is named, and the root has no parent', async () => {
    const service = await setup()
    const home = await service.get('/api/folders')
    expect(await service.get('/api/folders?path=~')).toEqual(home)
    expect((await service.get('/api/folders?path=/')).parent).toBeUndefined()
  })

  it('are only those of projects and models for a key that may not deploy', async () => {
    const service = await setup()
    const outside = folderWith({ 'secret/a.txt': '' })
    const models = folderWith({ 'loras/a.txt': '' })
    const { path: project } = await openProject(service, { 'worker.py': WORKER, 'src/a.py': '' })
    const similar = `${project}-2`
    mkdirSync(similar)
    onTestFinished(() => rmdirSync(similar))
    symlinkSync(outside, join(project, 'link'))
    await service.post('/api/models/folders', { folders: [{ path: models }] })
    const statusesFor = async (role: string, paths: readonly string[]) => {
      const { key } = await service.post('/api/keys', { name: role, role })
      const answers = paths.map((path) => service.ask('GET', `/api/folders${path}`, { key }))
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    const asked = (path: string) => `?path=${encodeURIComponent(path)}`
    const inside = [project, join(project, 'src'), models, join(models, 'loras')].map(asked)
    const parent = join(project, '..')
    const others = ['', ...[outside, parent, join(project, 'link'), similar, '/', '/nope', 'some/where'].map(asked)]
    const expected = [...inside.map(() => 200), ...others.map(() => 403)]
    for (const role of ['read', 'run']) expect(await statusesFor(role, [...inside, ...others])).toEqual(expected)
    expect(await statusesFor('deploy', ['', asked(outside)])).toEqual([200, 200])
  })

  it.each([499, 500, 501])('of %i are listed up to 500', async (count) => {
    const service = await setup()
    const path = folderWith()
    for (let at = 0; at < count; at++) mkdirSync(join(path, `f${at}`))
    const { folders, capped } = await service.get(`/api/folders?path=${encodeURIComponent(path)}`)
    expect([folders.length, capped]).toEqual([Math.min(count, 500), count > 500])
  })

  it('that cannot be used are refused with the reason', async () => {
    const service = await setup()
    const path = folderWith({ 'file.txt': '' })
    const refused = async (wanted: string) =>
      (await service.ask('GET', `/api/folders?path=${encodeURIComponent(wanted)}`)).body.error
    expect(await refused(join(path, 'none'))).toMatch(/cannot be used: it is not there\.$/)
    expect(await refused(join(path, 'file.txt'))).toMatch(/cannot be used: it is not a folder\.$/)
    expect(await refused('some/where')).toBe('The folder some/where cannot be used: give its whole path.')
  })
})

describe('projects', () => {
  it('are one for a folder, whichever way leads to it, and the last one opened comes first', async () => {
    const service = await setup()
    const first = await openProject(service, { 'worker.py': WORKER })
    await service.clock.leap(10)
    const second = await openProject(service, {})
    await service.clock.leap(10)
    const link = join(folderWith(), 'link')
    symlinkSync(first.path, link)
    const again = await service.post('/api/projects', { folder: `${link}/` })
    expect(again).toMatchObject({ id: first.id, folder: first.path, isThere: true })
    const { projects } = await service.get('/api/projects')
    expect(projects.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id])
  })
})
