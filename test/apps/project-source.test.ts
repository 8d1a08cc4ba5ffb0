import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setup } from '../support/core.ts'
import { buildEnd, folderWith, openProject, WORKER } from '../support/project-folder.ts'

describe('projects', () => {
  it('begin with an example or with the template, in a folder that is made', async () => {
    const service = await setup()
    const { examples } = await service.get('/api/examples')
    expect(examples).toContainEqual({
      name: 'mixed',
      summary: expect.stringContaining('An HTTP API in front of three queues'),
      endpoints: ['reviews', 'clean', 'keywords', 'mood'],
    })
    const path = folderWith()
    const made = await service.post('/api/projects', { folder: join(path, 'deep/mine'), from: 'mixed' })
    expect(made).toMatchObject({ app: 'mine', folder: join(path, 'deep/mine') })
    expect(readdirSync(made.folder)).toEqual([
      '.gitignore',
      'README.md',
      'api.py',
      'clean.py',
      'keywords.py',
      'mood.py',
    ])
    const template = await service.post('/api/projects', { folder: join(path, 'own'), from: 'app' })
    expect(readFileSync(join(template.folder, 'pyproject.toml'), 'utf8')).toContain('name = "own"')
    const wrong = await service.ask('POST', '/api/projects', { body: { folder: join(path, 'x'), from: '../app' } })
    expect(wrong).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
    expect(readdirSync(path)).toEqual(['deep', 'own'])
  })

  it('tell what their source makes, where it stands, and who calls whom', async () => {
    const service = await setup()
    const path = join(folderWith(), 'mixed')
    const { id } = await service.post('/api/projects', { folder: path, from: 'mixed' })
    const read = await service.get(`/api/projects/${id}`)
    expect(read.problems).toEqual([])
    expect(Object.keys(read.manifest.resources)).toEqual(['clean', 'keywords', 'mood', 'reviews'])
    expect(read.calls).toEqual([
      { from: 'reviews', to: 'clean', functions: ['clean'] },
      { from: 'reviews', to: 'keywords', functions: ['keywords'] },
      { from: 'reviews', to: 'mood', functions: ['mood'] },
    ])
    const lines = readFileSync(join(path, read.places.mood.file), 'utf8').split('\n')
    expect(lines[read.places.mood.line - 1]).toContain('Endpoint(')
  })

  it('run nothing of the user when they are read', async () => {
    const service = await setup()
    const { path, read } = await openProject(service, { 'worker.py': `open("ran", "w")\n${WORKER}` })
    expect((await read()).manifest?.resources).toHaveProperty('greet')
    expect(readdirSync(path)).toEqual(['worker.py'])
  })

  it('are read anew when a file changes, comes or goes, and only then', async () => {
    const service = await setup()
    const { path, read } = await openProject(service, { 'worker.py': WORKER, 'inner/notes.txt': '', 'empty/.keep': '' })
    rmSync(join(path, 'empty/.keep'))
    const names = async () => Object.keys((await read()).manifest?.resources ?? {})
    expect(await names()).toEqual(['greet'])
    await read() // one in the moment of a change is not kept
    // The time of a reading stands in its manifest, so one that was kept is told from a new one.
    const first = (await read()).manifest?.generated_at
    await service.clock.leap(1000)
    expect((await read()).manifest?.generated_at).toBe(first)
    writeFileSync(join(path, 'worker.py'), WORKER.replaceAll('greet', 'hello'))
    expect(await names()).toEqual(['hello'])
    writeFileSync(join(path, 'empty/more.py'), WORKER)
    expect(await names()).toEqual(['greet', 'hello'])
    writeFileSync(join(path, '.gitignore'), 'empty/\n')
    expect(await names()).toEqual(['hello'])
    renameSync(join(path, 'worker.py'), join(path, 'worker.txt'))
    expect((await read()).problems).not.toEqual([])
  })

  it('with broken source have problems with their places, and are sound again once they are fixed', async () => {
    const service = await setup()
    const { path, read } = await openProject(service, { 'worker.py': `${WORKER}\ndef (\n` })
    const broken = await read()
    expect(broken.manifest).toBeUndefined()
    expect(broken.problems).toMatchObject([{ code: 'syntax-error', file: 'worker.py', line: 7 }])
    writeFileSync(join(path, 'worker.py'), WORKER)
    expect(await read()).toMatchObject({ problems: [], manifest: { app: expect.any(String) } })
  })

  it('that take too long to be read say so', async () => {
    const service = await setup()
    const { read } = await openProject(service, { 'worker.py': WORKER })
    const reading = read()
    let isOver = false
    void reading.finally(() => {
      isOver = true
    })
    // The reading begins in its own time, and is late at the first look after that.
    while (!isOver) await service.clock.leap(20_000)
    expect(await reading).toMatchObject({ problems: [{ code: 'SOURCE_TOO_LARGE' }] })
    expect(await read()).toMatchObject({ problems: [] })
  })

  it('in a folder whose name no app can have say so', async () => {
    const service = await setup()
    const path = join(folderWith(), 'x'.repeat(101))
    const { id } = await service.post('/api/projects', { folder: path, from: 'hello' })
    expect(await service.get(`/api/projects/${id}`)).toMatchObject({ problems: [{ code: 'APP_NAME' }] })
  })

  it('whose folder is gone say so, and come back with it', async () => {
    const service = await setup()
    const { path, read, id } = await openProject(service, { 'worker.py': WORKER })
    await read()
    renameSync(path, `${path}-away`)
    onTestFinished(() => rmSync(`${path}-away`, { recursive: true, force: true }))
    expect(await read()).toMatchObject({ isThere: false, problems: [{ code: 'FOLDER_GONE' }] })
    expect((await service.get('/api/projects')).projects).toMatchObject([{ id, isThere: false }])
    await service.post(`/api/projects/${id}/build`, {})
    expect(await buildEnd(service, `/api/projects/${id}`)).toMatchObject({ problems: [{ code: 'FOLDER_GONE' }] })
    renameSync(`${path}-away`, path)
    expect(await read()).toMatchObject({ isThere: true, problems: [] })
  })
})
