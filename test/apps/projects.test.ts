import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../e2e/support-cli.ts'
import { until } from '../support/served-service.ts'
import { makeWheels, onlyWheelsOf } from '../support/wheels.ts'
import { projectService } from './projects-support.ts'

test('an example is opened, built, planned and released, and its endpoints answer', async () => {
  const { service, open } = await projectService()
  const { at, build } = await open('shop', 'mixed')
  const views = await build()
  expect(views.map(({ state }) => state)).toEqual([...Array(views.length - 1).fill('running'), 'done'])
  const { artifact, plan } = await service.post(`${at}/plan`, { environment: 'production' })
  expect(artifact).toBe(views.at(-1)?.result?.artifact)
  expect(plan.steps.map(({ resource, action }: Record<string, string>) => `${action} ${resource}`)).toEqual([
    'create clean',
    'create keywords',
    'create mood',
    'create reviews',
  ])
  const releases = `/api/apps/${plan.app}/environments/production/releases`
  const { release } = await service.post(releases, { source: { artifact } })
  await until(async () =>
    expect(await service.get(`${releases}/${release.number}`)).toMatchObject({ release: { state: 'active' } }),
  )
  const review = await service.post('/lb/reviews/reviews', { text: '<p>I love it</p>' })
  expect(review).toMatchObject({ text: 'I love it', mood: 'praise' })
  // The same source again: nothing is built, and nothing would change.
  const again = await service.post(`${at}/plan`, { environment: 'production' })
  expect(again.artifact).toBe(artifact)
  expect(again.plan.steps.map(({ action }: { action: string }) => action)).toEqual(Array(4).fill('unchanged'))
})

test('a build tells the sizes of packages, and which of them no file imports', async () => {
  const wheels = temporaryFolder()
  const large = 'x'.repeat(2 * 1024 * 1024)
  makeWheels(wheels, [
    { name: 'used', files: { 'used/__init__.py': '', 'used/data.txt': large } },
    { name: 'unused', needs: ['inner'], files: { 'unused_name.py': `"""${large}"""` } },
    { name: 'inner', files: { 'inner.py': `"""${large}"""` } },
  ])
  const { open } = await projectService(onlyWheelsOf(wheels))
  const { build, write, folder } = await open('shop', 'hello')
  write('requirements.txt', 'used\nunused\n')
  write('more.py', 'import used\n')
  write('model.pt', large)
  const [last] = (await build()).slice(-1)
  expect(last).toMatchObject({ state: 'done', problems: [], result: { packagesCached: false } })
  const { pieces = [], suggestions = [], unpackedBytes = 0 } = last?.result ?? {}
  const largest = pieces.slice(0, 4).map(({ path, kind, version }) => `${kind} ${path} ${version}`)
  expect(largest.sort()).toEqual([
    'package inner 1.0',
    'package unused 1.0',
    'package used 1.0',
    'project model.pt undefined',
  ])
  expect(pieces.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(unpackedBytes)
  expect(suggestions.map(({ how, entry }) => `${how} ${entry}`).sort()).toEqual(['exclude unused', 'ignore /model.pt'])

  // The line that it suggests leaves the file out, and nothing is installed for that.
  write('.gitignore', '.svc/\n/model.pt\n')
  const [lean] = (await build()).slice(-1)
  expect(lean?.result?.packagesCached).toBe(true)
  expect(lean?.result?.suggestions.map(({ entry }) => entry)).toEqual(['unused'])
  expect(lean?.result?.pieces.map(({ path }) => path)).not.toContain('model.pt')
  expect(readdirSync(join(folder, '.svc'))).not.toContain('build')
})

test('a build that is cancelled while it installs ends the installer', async () => {
  const { service, open, processes } = await projectService({ PIP_NO_INDEX: '1' })
  const before = processes().length
  const { at, write } = await open('shop', 'hello')
  write('requirements.txt', 'no-such-package\n')
  await service.post(`${at}/build`, {})
  await until(async () => expect((await service.get(`${at}/build`)).steps[3].state).not.toBe('waiting'))
  expect((await service.post(`${at}/build/cancel`)).state).toMatch(/^(cancelled|failed)$/)
  await until(() => expect(processes().length).toBe(before))
})
