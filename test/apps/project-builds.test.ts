import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setup, type TestService } from '../support/core.ts'
import { buildEnd, folderWith, openProject, WORKER } from '../support/project-folder.ts'

describe('builds', () => {
  it('end with an artifact that is here, and tell what is in it', async () => {
    const service = await setup()
    const { at, read } = await openProject(service, { 'worker.py': WORKER, 'words.txt': 'x'.repeat(90_000) })
    expect(await service.post(`${at}/build`, {})).toMatchObject({ state: 'running', problems: [] })
    const build = await buildEnd(service, at)
    expect(build).toMatchObject({ state: 'done', problems: [] })
    expect(build.steps.map(({ state }) => state)).toEqual(Array(6).fill('done'))
    const { artifact, bytes, pieces, fingerprint } = build.result ?? {}
    expect(await service.get(`/api/artifacts/${artifact}`)).toEqual({
      state: 'complete',
      received: bytes,
      total: bytes,
    })
    expect(pieces?.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual([
      'generated handlers and manifest',
      'generated runpod_flash',
      'generated svc',
      'project .',
      'project words.txt',
    ])
    expect((await read()).manifest?.source_fingerprint).toBe(fingerprint)
    expect(await read()).toMatchObject({ build: 'done' })
  })

  it('that fail tell the problems, and leave nothing', async () => {
    const service = await setup()
    const { at } = await openProject(service, { 'worker.py': `${WORKER}\ndef (\n` })
    await service.post(`${at}/build`, {})
    const build = await buildEnd(service, at)
    expect(build).toMatchObject({ state: 'failed', problems: [{ code: 'syntax-error', file: 'worker.py', line: 7 }] })
    expect(build.steps.map(({ state }) => state).slice(0, 2)).toEqual(['failed', 'waiting'])
    expect(build.result).toBeUndefined()
  })

  it('that are cancelled have ended with the answer', async () => {
    const service = await setup()
    const { at, path } = await openProject(service, { 'worker.py': WORKER })
    await service.post(`${at}/build`, {})
    expect(await service.post(`${at}/build/cancel`)).toMatchObject({ state: 'cancelled', problems: [] })
    expect(readdirSync(path)).toEqual(['worker.py'])
    await service.post(`${at}/build`, {})
    expect((await buildEnd(service, at)).state).toBe('done')
    // One that is over stays what it is.
    expect(await service.post(`${at}/build/cancel`)).toMatchObject({ state: 'done' })
  })

  it('run for two projects at once', async () => {
    const service = await setup()
    const projects = [await openProject(service, { 'a.py': WORKER }), await openProject(service, { 'b.py': WORKER })]
    await Promise.all(projects.map(({ at }) => service.post(`${at}/build`, {})))
    const builds = await Promise.all(projects.map(({ at }) => buildEnd(service, at)))
    expect(builds.map(({ state }) => state)).toEqual(['done', 'done'])
  })
})

describe('plans', () => {
  const plan = (service: TestService, at: string, more: object = {}) =>
    service.post(`${at}/plan`, { environment: 'production', ...more })

  it('build what has changed and nothing else', async () => {
    const service = await setup()
    const { at, path } = await openProject(service, { 'worker.py': WORKER })
    const first = await plan(service, at)
    expect(first.plan).toMatchObject({
      makes: ['app', 'environment'],
      steps: [{ resource: 'greet', action: 'create' }],
    })
    const { startedAt } = await service.get(`${at}/build`)
    await service.clock.leap(1000)
    expect((await plan(service, at)).artifact).toBe(first.artifact)
    expect((await service.get(`${at}/build`)).startedAt).toBe(startedAt)
    writeFileSync(join(path, 'worker.py'), WORKER.replace('return name', 'return name + "!"'))
    expect((await plan(service, at)).artifact).not.toBe(first.artifact)
    const changed = await service.get(`${at}/build`)
    expect(changed.startedAt).toBeGreaterThan(startedAt)
    await service.clock.leap(1000)
    await plan(service, at, { exclude: ['scipy'] })
    expect((await service.get(`${at}/build`)).startedAt).toBeGreaterThan(changed.startedAt)
  })

  it('show how the source differs from what is deployed, and nothing of what was never packed', async () => {
    const service = await setup()
    const binary = Buffer.from([0, 1, 2, 255])
    const { at, path } = await openProject(service, { 'worker.py': WORKER, 'gone.txt': 'old\n', '.env': 'TOKEN=1\n' })
    writeFileSync(join(path, 'picture.bin'), binary)
    const { artifact, plan: first } = await plan(service, at)
    expect(first).not.toHaveProperty('source')
    const place = `/api/apps/${first.app}/environments/production`
    await service.post(`${place}/releases`, { source: { artifact }, runsOn: 'processes' })
    await service.clock.until(async () => service.fleet().started.length > 0)
    void (await service.worker('greet')).take()
    await service.clock.until(async () => (await service.get(place)).active !== undefined)
    writeFileSync(join(path, 'worker.py'), WORKER.replace('return name', 'return name + "!"'))
    writeFileSync(join(path, 'picture.bin'), Buffer.concat([binary, binary]))
    writeFileSync(join(path, '.env'), 'TOKEN=2\n')
    rmSync(join(path, 'gone.txt'))
    await service.clock.leap(1000)
    const { source } = (await plan(service, at)).plan
    expect(source).toEqual({
      files: [
        { path: 'gone.txt', change: 'removed', diff: ['@@ -1,1 +1,0 @@', '-old'] },
        { path: 'picture.bin', change: 'changed', noDiff: 'binary' },
        { path: 'worker.py', change: 'changed', diff: expect.arrayContaining([expect.stringMatching(/^\+.*"!"/)]) },
      ],
      more: 0,
    })
    expect(JSON.stringify(source)).not.toContain('TOKEN')
  })

  it('of source that does not build say why', async () => {
    const service = await setup()
    const { at } = await openProject(service, { 'worker.py': `${WORKER}\ndef (\n` })
    const refused = await service.ask('POST', `${at}/plan`, { body: { environment: 'production' } })
    expect(refused).toMatchObject({ status: 422, body: { code: 'BUILD_FAILED' } })
    expect(refused.body.error).toContain('worker.py:7: ')
  })

  it('are rejected while another build runs', async () => {
    const service = await setup()
    const { at } = await openProject(service, { 'worker.py': WORKER })
    await service.post(`${at}/build`, {})
    const refused = await service.ask('POST', `${at}/plan`, { body: { environment: 'production' } })
    expect(refused).toMatchObject({ status: 409, body: { code: 'BUILD_RUNNING' } })
    await buildEnd(service, at)
  })
})

describe('projects', () => {
  it.each(['build', 'plan', 'preview'])('begin no %s once the service stops: it would outlive it', async (what) => {
    const started: string[] = []
    const service = await setup({
      startPreview: (folder) => {
        started.push(folder)
        return { ended: Promise.resolve({ exitCode: 0, lastOutput: '' }), stop: () => {}, kill: () => {} }
      },
    })
    const { at } = await openProject(service, { 'worker.py': WORKER })
    await (await service.features().open('projects')).stop()
    const body = what === 'plan' ? { environment: 'production' } : what === 'build' ? {} : undefined
    expect((await service.ask('POST', `${at}/${what}`, { body })).body.code).toBe('STOPPING')
    expect((await service.ask('GET', `${at}/build`)).body.code).toBe('NO_BUILD')
    expect(started).toEqual([])
  })

  it('that are forgotten leave their folder, and end what runs of them', async () => {
    const service = await setup()
    const { path, at } = await openProject(service, { 'worker.py': WORKER })
    await service.post(`${at}/preview`)
    await service.post(`${at}/build`, {})
    expect((await service.ask('DELETE', at)).body).toEqual({ ok: true })
    expect((await service.ask('GET', at)).body.code).toBe('PROJECT_NOT_FOUND')
    expect((await service.get('/api/projects')).projects).toEqual([])
    expect(readdirSync(path)).toContain('worker.py')
    const again = await service.post('/api/projects', { folder: path })
    expect(again).not.toHaveProperty('preview')
    expect(again).not.toHaveProperty('build')
  })

  it('are still known after a restart; their builds and previews are not', async () => {
    const data = folderWith()
    const service = await setup({ file: join(data, 'drydock.db') })
    const { at, id } = await openProject(service, { 'worker.py': WORKER })
    await service.post(`${at}/build`, {})
    await buildEnd(service, at)
    await service.restart('in order')
    expect((await service.get('/api/projects')).projects).toMatchObject([{ id }])
    expect((await service.ask('GET', `${at}/build`)).body.code).toBe('NO_BUILD')
  })
})
