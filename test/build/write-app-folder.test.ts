import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAppFolderWriter } from '../../src-main/app/app-builder/create-app-builder.ts'
import { onlyWheelsOf, type WheelContent } from '../support/wheels.ts'
import { appWith, archiveTexts, leftIn, problemsOf, setup as projectSetup } from './support.ts'

const TINY: WheelContent = {
  name: 'tiny',
  files: { 'tiny/__init__.py': 'def main():\n    return 1\n', 'tiny/data.txt': 'x', 'shared.py': 'theirs' },
  script: 'tiny',
}

function setup(options: Parameters<typeof projectSetup>[0] = {}) {
  const given = projectSetup(options)
  const placer = createAppFolderWriter({ env: { ...process.env, ...onlyWheelsOf(join(given.root, 'wheels')) } })
  const folder = join(given.root, 'code', '1')
  const place = (signal?: AbortSignal) =>
    placer({ project: given.project, app: 'demo', output: folder }, () => {}, signal)
  return { ...given, folder, place }
}

/** All files of a folder: text by name, as archives are read. */
function textsIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(folder.length + 1), readFileSync(path, 'latin1')]
    }),
  )
}

const isExecutable = (path: string) => (statSync(path).mode & 0o111) !== 0

test('a placed app has the files of its artifact, with packages and a file that both have', async () => {
  const files = { ...appWith('tiny'), 'data/words.txt': 'a b', 'empty.txt': '', 'shared.py': 'ours', '.env': 'S=1' }
  const { build, place, artifact, folder } = setup({ files, wheels: [TINY] })
  const packed = await build()
  const placed = await place()
  const texts = textsIn(folder)
  // All endpoints of a preview follow one folder, so that none has a fingerprint of its own.
  const packedTexts = Object.entries(archiveTexts(artifact)).map(([path, text]) => [
    path,
    path === 'svc_manifest.json' ? text.replace(/^ *"fingerprint": .*\n/gm, '') : text,
  ])
  expect(texts).toEqual(Object.fromEntries(packedTexts))
  expect(texts).toMatchObject({ 'shared.py': 'ours', 'tiny/data.txt': 'x', 'data/words.txt': 'a b' })
  const { bytes: _bytes, sha256: _sha256, ...same } = packed
  expect(placed).toEqual({
    ...same,
    artifact: folder,
    packagesCached: true,
    steps: expect.anything(),
    tookMs: expect.any(Number),
  })
})

test('a name that the package would not deploy fails a build, and is a warning in a preview', async () => {
  const { build, place } = setup({
    files: {
      'main.py': `import runpod\n\napp = runpod.App("demo")\n\n\n@app.queue(name="up", cpu="cpu3c-1-2")\ndef up():\n    return 1\n\n\n@app.task(name="go", cpu="cpu3c-1-2")\ndef go():\n    return 1\n`,
    },
    wheels: [{ name: 'runpod', version: '2.0.0', files: { 'runpod/__init__.py': '' } }],
  })
  const message = "resource name 'up' is too short to deploy; queue and api names must be at least 3 characters"
  const problem = { code: 'NAME_TOO_SHORT', message, file: 'main.py', line: expect.any(Number) }
  expect(await problemsOf(build())).toEqual([problem])
  expect((await place()).warnings).toEqual([problem])
})

test('executable files stay so, and everybody may read the files', async () => {
  const { place, project, folder, write } = setup()
  write({ 'run.sh': '#!/bin/sh\n', 'private.txt': 'x' })
  chmodSync(join(project, 'run.sh'), 0o700)
  chmodSync(join(project, 'private.txt'), 0o600)
  await place()
  expect([isExecutable(join(folder, 'run.sh')), isExecutable(join(folder, 'worker.py'))]).toEqual([true, false])
  expect((statSync(join(folder, 'private.txt')).mode & 0o777).toString(8)).toBe('644')
})

test('packages are linked, and a later save leaves what was placed alone', async () => {
  const { place, folder, write, project } = setup({ files: appWith('tiny'), wheels: [TINY] })
  await place()
  const [set = ''] = leftIn(project).packages
  const inSet = statSync(join(project, '.svc', 'packages', set, 'site', 'tiny', 'data.txt'))
  expect(statSync(join(folder, 'tiny', 'data.txt')).ino).toBe(inSet.ino)
  const before = readFileSync(join(folder, 'worker.py'), 'utf8')
  write({ 'worker.py': 'changed' })
  expect(readFileSync(join(folder, 'worker.py'), 'utf8')).toBe(before)
})

test('a build that fails, or is given up, leaves no folder', async () => {
  const { place, root, project } = setup()
  const giveUp = new AbortController()
  giveUp.abort(new Error('given up'))
  await expect(place(giveUp.signal)).rejects.toThrow('given up')
  writeFileSync(
    join(project, 'worker.py'),
    'from svc import Endpoint\n\n\n@Endpoint(name="a", gpu="NOPE")\ndef a(): ...\n',
  )
  expect(await problemsOf(place())).toMatchObject([{ file: 'worker.py', line: 4 }])
  expect(existsSync(join(root, 'code'))).toBe(false)
})

test('a folder that is there already is refused, and stays as it is', async () => {
  const { place, folder, root, write } = setup()
  await place()
  const before = textsIn(folder)
  write({ 'more.py': 'x = 1\n' })
  await expect(place()).rejects.toThrow('ENOTEMPTY')
  expect(textsIn(folder)).toEqual(before)
  expect(readdirSync(join(root, 'code'))).toEqual(['1'])
})
