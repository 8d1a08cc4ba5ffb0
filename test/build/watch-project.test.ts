import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { pollFolders } from '../../src-main/features/apps/adapters/watch-folders.ts'
import { type ProjectChange, watchProject } from '../../src-main/features/apps/adapters/watch-project.ts'
import { until } from '../support/served-service.ts'

const WATCH_MODULE = new URL('../../src-main/features/apps/adapters/watch-project.ts', import.meta.url)

/** A project with two files, and what is told of it. */
function setup() {
  const root = mkdtempSync(join(tmpdir(), 'drydock-watch-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const project = join(root, 'app')
  const write = (name: string, text = name) => {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  write('worker.py')
  write('inner/deep/part.py')
  const changes: ProjectChange[] = []
  const presence: boolean[] = []
  const told = () => changes.flatMap(({ files }) => files)
  /** Waits until a change that comes after all others is told, and gives all files that were. */
  const toldBefore = async (last: string) => {
    write(last)
    await until(() => expect(told()).toContain(last))
    return [...new Set(told())].filter((name) => name !== last).sort()
  }
  const listener = {
    onChange: (change: ProjectChange) => void changes.push(change),
    onThere: (isThere: boolean) => void presence.push(isThere),
    onPolling: (why: string) => {
      throw new Error(`not watched: ${why}`)
    },
    now: () => Date.now(),
  }
  const watch = () => {
    const { close } = watchProject(project, listener)
    onTestFinished(close)
    return close
  }
  return { root, project, write, changes, presence, told, toldBefore, watch, listener }
}

test('a change of a file is reported with its path and the time, below the root too', async () => {
  const { watch, write, changes, told } = setup()
  watch()
  const before = Date.now()
  write('inner/deep/part.py', 'changed')
  await until(() => expect(told()).toEqual(['inner/deep/part.py']))
  expect(changes[0]?.at).toBeGreaterThanOrEqual(before)
  expect(changes[0]?.at).toBeLessThanOrEqual(Date.now())
})

test('reports simultaneous changes together', async () => {
  const { watch, write, changes } = setup()
  watch()
  for (const name of ['b.py', 'a.py', 'inner/c.py']) write(name)
  await until(() => expect(changes.map(({ files }) => files)).toEqual([['a.py', 'b.py', 'inner/c.py']]))
})

test('a save through another file that is renamed is reported', async () => {
  const { watch, project, write, told } = setup()
  watch()
  write('.worker.py.swp')
  write('worker.py.new', 'changed')
  renameSync(join(project, 'worker.py.new'), join(project, 'worker.py'))
  await until(() => expect(told()).toEqual(['worker.py']))
})

test('files in a new folder are reported, also later ones and those further down', async () => {
  const { watch, write, told } = setup()
  watch()
  write('new/further/first.py')
  await until(() => expect(told()).toContain('new/further/first.py'))
  write('new/further/second.py')
  await until(() => expect(told()).toContain('new/further/second.py'))
})

test('a folder that is removed, renamed or made again is reported and watched on', async () => {
  const { watch, project, write, told } = setup()
  watch()
  renameSync(join(project, 'inner'), join(project, 'other'))
  await until(() => expect(told()).toEqual(expect.arrayContaining(['inner', 'other/deep/part.py'])))
  write('other/deep/more.py')
  await until(() => expect(told()).toContain('other/deep/more.py'))
  rmSync(join(project, 'other'), { recursive: true })
  write('other/again.py')
  await until(() => expect(told()).toContain('other/again.py'))
  write('other/again-2.py')
  await until(() => expect(told()).toContain('other/again-2.py'))
})

test('files that no build takes are left alone, except .env, ignore files and files that they may bring back', async () => {
  const { watch, write, toldBefore } = setup()
  write('tests/data.json')
  watch()
  for (const name of ['.svc/x', '.git/HEAD', 'node_modules/a/b.js', '.venv/lib/x.py', 'inner/__pycache__/a.pyc'])
    write(name)
  const told = ['.env', '.gitignore', '.runpodignore', 'tests/data.json']
  for (const name of ['.#worker.py', 'worker.py~', '4913', '.DS_Store', ...told]) write(name)
  expect(await toldBefore('zzz.py')).toEqual(told)
})

test('a project that goes away is reported, and so is what it has when it comes back', async () => {
  const { watch, root, project, presence, write, told } = setup()
  watch()
  renameSync(project, join(root, 'elsewhere'))
  await until(() => expect(presence).toEqual([false]))
  renameSync(join(root, 'elsewhere'), project)
  await until(() => expect(presence).toEqual([false, true]))
  await until(() => expect(told()).toEqual(expect.arrayContaining(['worker.py', 'inner/deep/part.py'])))
  write('later.py')
  await until(() => expect(told()).toContain('later.py'))
})

test('nothing is reported after the watch was closed', async () => {
  const first = setup()
  const close = first.watch()
  first.write('open.py')
  close()
  first.write('closed.py')
  const second = setup()
  second.watch()
  await second.toldBefore('zzz.py')
  expect(first.told()).toEqual([])
})

test('without watches of the system the files are looked at, and that is said', async () => {
  const { project } = setup()
  // Only a process that may watch nothing shows it: limits of the system are not a test's to change.
  const program = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    fs.watch = () => { throw Object.assign(new Error('System limit for number of file watchers reached'), { code: 'ENOSPC' }) }
    syncBuiltinESMExports()
    const { watchProject } = await import(${JSON.stringify(WATCH_MODULE.href)})
    const told = new Set()
    const { close } = watchProject(${JSON.stringify(project)}, {
      now: () => Date.now(), onThere() {}, onPolling: (why) => console.log('polling: ' + why),
      onChange({ files }) {
        for (const file of files) told.add(file)
        if (!told.has('inner/new.py')) return
        console.log([...told].join())
        clearInterval(writing)
        close()
      },
    })
    // Again and again: it is not known when the first look is over.
    const writing = setInterval(() => fs.appendFileSync(${JSON.stringify(join(project, 'inner/new.py'))}, 'x'), 50)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout).toBe('polling: System limit for number of file watchers reached\ninner/new.py\n')
})

test('looking at files tells what changed, came and went', async () => {
  const { project, write } = setup()
  const told = new Set<string>()
  const presence: boolean[] = []
  const stop = pollFolders(
    project,
    { onChange: (path) => told.add(path), onThere: (isThere) => void presence.push(isThere) },
    { wasThere: false },
  )
  onTestFinished(stop)
  await until(() => expect([...told].sort()).toEqual(['inner/deep/part.py', 'worker.py']))
  told.clear()
  write('worker.py', `${readFileSync(join(project, 'worker.py'))} and more`)
  rmSync(join(project, 'inner/deep/part.py'))
  write('inner/came.py')
  write('node_modules/x.js')
  await until(() => expect([...told].sort()).toEqual(['inner/came.py', 'inner/deep/part.py', 'worker.py']))
  rmSync(project, { recursive: true })
  await until(() => expect(presence).toEqual([true, false]))
})

test('a folder that is not wanted is neither watched nor looked into, with all below it', async () => {
  const { project, write, told, toldBefore, listener } = setup()
  const isWatched = (folder: string) => folder !== 'inner'
  onTestFinished(watchProject(project, listener, isWatched).close)
  const looked = new Set<string>()
  const options = { wasThere: false, isWatched }
  onTestFinished(pollFolders(project, { onChange: (path) => looked.add(path), onThere: () => {} }, options))
  write('inner/deep/part.py', 'changed')
  write('other/new.py')
  expect(await toldBefore('last.py')).toEqual(['other', 'other/new.py'])
  await until(() => expect([...looked].sort()).toEqual(['last.py', 'other/new.py', 'worker.py']))
  expect(told()).not.toContain('inner/deep/part.py')
})
