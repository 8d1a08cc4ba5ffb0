import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ignoreState, openBuildFolder, writeState } from '../../../../src-main/features/apps/adapters/build-folder.ts'
import { plant } from '../../../architecture/planted.ts'

const NOW = Date.now()
const DAY = 24 * 60 * 60 * 1000

test('remains of killed builds go after a day, and the rest stays', async () => {
  const project = plant({ '.svc/build/kept.txt': '', '.svc/artifact.tar.gz': '', '.svc/.artifact.tar.gz.ab.new': '' })
  const state = join(project, '.svc')
  for (const name of ['build-old', 'build-new']) mkdirSync(join(state, name))
  const atAge = (name: string, ms: number) => utimesSync(join(state, name), (NOW - ms) / 1000, (NOW - ms) / 1000)
  for (const name of ['build-old', 'build', 'artifact.tar.gz', '.artifact.tar.gz.ab.new']) atAge(name, DAY + 1000)
  atAge('build-new', DAY - 1000)
  const folder = await openBuildFolder(project, NOW)
  const own = folder.handlers.split('/').at(-2)
  expect(readdirSync(state).sort()).toEqual(['artifact.tar.gz', 'build', 'build-new', own].sort())
  await folder.close(false)
  expect(readdirSync(state).sort()).toEqual(['artifact.tar.gz', 'build-new'])
})

test('two builds of a project have folders of their own', async () => {
  const project = plant({})
  const folders = [await openBuildFolder(project, NOW), await openBuildFolder(project, NOW)]
  expect(new Set(folders.map(({ handlers }) => handlers)).size).toBe(2)
  await Promise.all(folders.map(({ close }) => close(false)))
  expect(readdirSync(project)).toEqual([])
})

test.each([
  ['', '.svc/\n'],
  ['*.log', '*.log\n.svc/\n'],
  ['*.log\n', '*.log\n.svc/\n'],
  ['/.svc\n', '/.svc\n'],
  ['a\r\n.svc/\r\n', 'a\r\n.svc/\r\n'],
  ['my.svc/\n', 'my.svc/\n.svc/\n'],
])('.gitignore with %j becomes %j', async (before, after) => {
  const project = plant({})
  if (before !== '') writeFileSync(join(project, '.gitignore'), before)
  const back = await ignoreState(project)
  await ignoreState(project)
  expect(readFileSync(join(project, '.gitignore'), 'utf8')).toBe(after)
  await back()
  expect(readFileSync(join(project, '.gitignore'), { encoding: 'utf8', flag: 'a+' })).toBe(before)
})

test('a state file is replaced whole', async () => {
  const project = plant({ '.svc/m.json': 'a longer text than the next' })
  expect(await writeState(project, 'm.json', 'short')).toBe(join(project, '.svc', 'm.json'))
  expect(readdirSync(join(project, '.svc'))).toEqual(['m.json'])
  expect(readFileSync(join(project, '.svc', 'm.json'), 'utf8')).toBe('short')
})
