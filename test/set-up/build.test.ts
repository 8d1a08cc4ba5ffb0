import { existsSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Clone, ended } from './clone.ts'

// Stands for Vite and electron-vite: notes that it was called, and puts a file of the sources where it is told.
// FAKE_VITE says what goes wrong.
const fakeTool = (notes: string, source: string, entry: string) => `
const fs = require('node:fs')
fs.appendFileSync('${notes}', 'build\\n')
if (process.env.FAKE_VITE === 'fail') { console.error('no such import'); process.exit(1) }
const out = process.env.DRYDOCK_BUILD_TO
fs.mkdirSync(out, { recursive: true })
fs.writeFileSync(out + '/${entry}', fs.readFileSync('${source}'))
`
const BUILDING_PAGES = 'Building the web pages ...\n'
const BUILDING_PROGRAM = 'Building the program ...\n'
const DONE = { code: 0, signal: null, stdout: '', stderr: '' }

const MAIN = 'src-main/cli/main.ts'
const OTHER_FILE = 'src-main/server/main.ts'
const printing = (text: string) => `process.stdout.write('${text}')\n`

async function setup() {
  const clone = new Clone(printing('first'))
  const tools = [
    ['vite', 'vite', 'src-renderer/main.ts', 'index.html'],
    ['electron-vite', 'electron-vite', MAIN, 'cli.js'],
  ] as const
  for (const [name, program, source, entry] of tools) {
    clone.write(`node_modules/${name}/bin/${program}.js`, fakeTool(`${name}-calls.log`, source, entry))
    clone.write(`node_modules/${name}/package.json`, '{ "type": "commonjs" }')
  }
  clone.write('src-renderer/main.ts', 'first')
  clone.write('src-main/contract/job.ts', 'job')
  clone.write(OTHER_FILE, 'server')
  await clone.setUp()
  const builds = (name: 'vite' | 'electron-vite') =>
    existsSync(`${clone.root}/${name}-calls.log`) ? clone.read(`${name}-calls.log`).split('\n').length - 1 : 0
  return {
    clone,
    builds,
    build: (env: NodeJS.ProcessEnv = {}) => clone.setUp(env, ['--build']),
    printed: async () => (await ended(clone.start('src-main/cli/drydock.mjs'))).stdout,
  }
}

test('pages and program are built once, and each again for other sources of its own alone', async () => {
  const { clone, builds, build } = await setup()
  expect([builds('vite'), builds('electron-vite')]).toEqual([0, 0])
  expect(await build()).toEqual({ ...DONE, stderr: BUILDING_PAGES + BUILDING_PROGRAM })
  expect(await build()).toEqual(DONE)
  clone.write('src-renderer/main.ts', 'first')
  expect(await build()).toEqual(DONE)
  clone.write(OTHER_FILE, 'no part of the pages')
  expect(await build()).toEqual({ ...DONE, stderr: BUILDING_PROGRAM })
  clone.write('src-renderer/main.ts', 'second')
  expect(await build()).toEqual({ ...DONE, stderr: BUILDING_PAGES })
  clone.write('src-main/contract/job.ts', 'another job')
  await build()
  expect([builds('vite'), builds('electron-vite'), clone.read('out/renderer/index.html')]).toEqual([3, 3, 'second'])
})

test('a build that fails says why, and leaves the pages that were there', async () => {
  const { clone, build } = await setup()
  await build()
  clone.write('src-renderer/main.ts', 'broken')
  const failed = await build({ FAKE_VITE: 'fail' })
  expect(failed).toEqual({
    ...DONE,
    code: 1,
    stderr: `${BUILDING_PAGES}no such import\nThe web pages could not be built: see above. Fix that, then run "npm run build".\n`,
  })
  expect(clone.read('out/renderer/index.html')).toBe('first')
  expect(await build()).toEqual({ ...DONE, stderr: BUILDING_PAGES })
  expect(clone.read('out/renderer/index.html')).toBe('broken')
})

test('the launcher runs the built program where it is of these sources, and else the sources', async () => {
  const { clone, build, printed } = await setup()
  expect(await printed()).toBe('first')
  await build()
  clone.write('out/desktop/cli.js', printing('built'))
  expect(await printed()).toBe('built')

  clone.write(OTHER_FILE, 'server with a change')
  expect(await printed()).toBe('first')
  clone.write(OTHER_FILE, 'server')
  expect(await printed()).toBe('built')

  clone.write('src-main/server/new.ts', '')
  expect(await printed()).toBe('first')
  rmSync(`${clone.root}/src-main/server/new.ts`)
  expect(await printed()).toBe('built')
  rmSync(`${clone.root}/${OTHER_FILE}`)
  expect(await printed()).toBe('first')
})

test('a file that leads nowhere, as an editor leaves one beside what it edits, stops no start', async () => {
  const { clone, build, printed } = await setup()
  await build()
  clone.write('out/desktop/cli.js', printing('built'))
  symlinkSync('nowhere', `${clone.root}/src-main/server/.#main.ts`)
  expect(await printed()).toBe('built')
  expect(await build()).toEqual(DONE)
})

test('a change is seen whatever time of change its file claims', async () => {
  const { clone, build, printed } = await setup()
  await build()
  clone.write('out/desktop/cli.js', printing('built'))
  clone.write(MAIN, printing('second'))
  utimesSync(`${clone.root}/${MAIN}`, new Date(0), new Date(0))
  expect(await printed()).toBe('second')
})
