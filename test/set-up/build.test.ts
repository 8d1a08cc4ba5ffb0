import { existsSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Clone, ended, printed as untilPrinted } from './clone.ts'

// Stands in for Vite: logs the part, and copies a source file into the output folder. FAKE_VITE selects a failure.
const FAKE_VITE = `
const fs = require('node:fs')
const isProgram = process.argv.includes('src-main/vite.config.ts')
const [part, source, entry] = isProgram ? ['program', 'src-main/app/cli/main.ts', 'cli.js'] : ['pages', 'src-renderer/main.ts', 'index.html']
fs.appendFileSync('vite-calls.log', part + '\\n')
if (process.env.FAKE_VITE === 'fail') { console.error('no such import'); process.exit(1) }
const build = () => {
  const out = process.env.DRYDOCK_BUILD_TO
  fs.mkdirSync(out, { recursive: true })
  fs.writeFileSync(out + '/' + entry, fs.readFileSync(source))
}
if (process.env.FAKE_VITE === 'for-each-other') {
  const bothRun = () => fs.readFileSync('vite-calls.log', 'utf8').split('\\n').length === 3
  const wait = setInterval(() => { if (bothRun()) { clearInterval(wait); build() } }, 5)
} else if (process.env.FAKE_VITE === 'until-told') {
  const wait = setInterval(() => { if (fs.existsSync('go-on')) { clearInterval(wait); build() } }, 5)
} else build()
`
const BUILT = (parts: string) =>
  expect.stringMatching(new RegExp(`^Building ${parts} \\.\\.\\. \\d+\\.\\d s\nSet-up took \\d+\\.\\d s\\.\n$`))
const BUILT_PAGES = BUILT('the web pages')
const BUILT_PROGRAM = BUILT('the program')
const DONE = { code: 0, signal: null, stdout: '', stderr: '' }

const MAIN = 'src-main/app/cli/main.ts'
const OTHER_FILE = 'src-main/app/headless/main.ts'
const printing = (text: string) => `process.stdout.write('${text}')\n`

async function setup() {
  const clone = new Clone(printing('first'))
  clone.write('node_modules/vite/bin/vite.js', FAKE_VITE)
  clone.write('node_modules/vite/package.json', '{ "type": "commonjs" }')
  clone.write('src-renderer/main.ts', 'first')
  clone.write('src-main/contract/job.ts', 'job')
  clone.write(OTHER_FILE, 'server')
  await clone.setUp()
  const builds = () => {
    const log = existsSync(`${clone.root}/vite-calls.log`) ? clone.read('vite-calls.log').trimEnd().split('\n') : []
    return {
      pages: log.filter((part) => part === 'pages').length,
      program: log.filter((part) => part === 'program').length,
    }
  }
  return {
    clone,
    builds,
    build: (env: NodeJS.ProcessEnv = {}) => clone.setUp(env, ['--build']),
    printed: async () => (await ended(clone.start('src-main/app/cli/drydock.mjs'))).stdout,
  }
}

test('pages and program are built once, and each again only when its own sources change', async () => {
  const { clone, builds, build } = await setup()
  expect(builds()).toEqual({ pages: 0, program: 0 })
  expect(await build()).toEqual({ ...DONE, stderr: BUILT('the web pages and the program') })
  expect(await build()).toEqual(DONE)
  clone.write('src-renderer/main.ts', 'first')
  expect(await build()).toEqual(DONE)
  clone.write(OTHER_FILE, 'no part of the pages')
  expect(await build()).toEqual({ ...DONE, stderr: BUILT_PROGRAM })
  clone.write('src-renderer/main.ts', 'second')
  expect(await build()).toEqual({ ...DONE, stderr: BUILT_PAGES })
  clone.write('src-main/contract/job.ts', 'another job')
  await build()
  expect(builds()).toEqual({ pages: 3, program: 3 })
  expect(clone.read('out/renderer/index.html')).toBe('second')
})

test('pages and program are built side by side', async () => {
  const { builds, build } = await setup()
  expect(await build({ FAKE_VITE: 'for-each-other' })).toMatchObject({ code: 0 })
  expect(builds()).toEqual({ pages: 1, program: 1 })
})

test('the second of two concurrent set-ups waits for the build of the first', async () => {
  const { clone, builds } = await setup()
  const start = () => clone.start('src-main/app/cli/set-up.mjs', ['--build'], { FAKE_VITE: 'until-told' })
  const first = start()
  const firstEnd = ended(first)
  await untilPrinted(first, 'stderr', 'Building')
  const second = start()
  const secondEnd = ended(second)
  await untilPrinted(second, 'stderr', 'Waiting for it')
  clone.write('go-on', '')
  expect(await firstEnd).toEqual({ ...DONE, stderr: BUILT('the web pages and the program') })
  expect(await secondEnd).toEqual({ ...DONE, stderr: 'Another process is setting up this clone. Waiting for it ...\n' })
  expect(builds()).toEqual({ pages: 1, program: 1 })
})

test('a failed build says why, and keeps the previous pages', async () => {
  const { clone, build } = await setup()
  await build()
  clone.write('src-renderer/main.ts', 'broken')
  const failed = await build({ FAKE_VITE: 'fail' })
  expect({ ...failed, stderr: failed.stderr.replace(/\d+\.\d s/, '? s') }).toEqual({
    ...DONE,
    code: 1,
    stderr: `Building the web pages ... ? s\nno such import\nThe web pages could not be built: see above. Fix the cause, then run "npm run build".\n`,
  })
  expect(clone.read('out/renderer/index.html')).toBe('first')
  expect(await build()).toEqual({ ...DONE, stderr: BUILT_PAGES })
  expect(clone.read('out/renderer/index.html')).toBe('broken')
})

test('the launcher runs the built program if it is up to date, and the sources otherwise', async () => {
  const { clone, build, printed } = await setup()
  expect(await printed()).toBe('first')
  await build()
  clone.write('out/desktop/cli.js', printing('built'))
  expect(await printed()).toBe('built')

  clone.write(OTHER_FILE, 'server with a change')
  expect(await printed()).toBe('first')
  clone.write(OTHER_FILE, 'server')
  expect(await printed()).toBe('built')

  clone.write('src-main/http/new.ts', '')
  expect(await printed()).toBe('first')
  rmSync(`${clone.root}/src-main/http/new.ts`)
  expect(await printed()).toBe('built')
  rmSync(`${clone.root}/${OTHER_FILE}`)
  expect(await printed()).toBe('first')
})

test('npm start builds, starts, and tells the start when it began', async () => {
  const { clone } = await setup()
  clone.write(MAIN, 'process.stdout.write(JSON.stringify([process.argv.slice(2), process.env.DRYDOCK_BEGUN_AT]))\n')
  const before = Date.now()
  const { stdout, stderr } = await ended(clone.start('src-main/app/cli/start.mjs', ['--port', '0']))
  expect(stderr).toEqual(BUILT('the web pages and the program'))
  const [argv, begunAt] = JSON.parse(stdout)
  expect(argv).toEqual(['start', '--port', '0'])
  expect(Number(begunAt)).toBeGreaterThanOrEqual(before - 1)
  expect(Number(begunAt)).toBeLessThanOrEqual(Date.now())
})

test('a dangling link, such as the lock file of an editor, does not stop a start', async () => {
  const { clone, build, printed } = await setup()
  await build()
  clone.write('out/desktop/cli.js', printing('built'))
  symlinkSync('nowhere', `${clone.root}/src-main/app/.#main.ts`)
  expect(await printed()).toBe('built')
  expect(await build()).toEqual(DONE)
})

test('a change is seen even if the file has an old modification time', async () => {
  const { clone, build, printed } = await setup()
  await build()
  clone.write('out/desktop/cli.js', printing('built'))
  clone.write(MAIN, printing('second'))
  utimesSync(`${clone.root}/${MAIN}`, new Date(0), new Date(0))
  expect(await printed()).toBe('second')
})

test('a change is seen even if the clock was ahead when the program was built', async () => {
  const { clone, build, printed } = await setup()
  await build()
  clone.write('out/desktop/cli.js', printing('built'))
  const ahead = new Date(Date.now() + 3_600_000)
  utimesSync(`${clone.root}/out/desktop.sources`, ahead, ahead)
  expect(await printed()).toBe('built')
  utimesSync(`${clone.root}/out/desktop.sources`, ahead, ahead)
  clone.write(OTHER_FILE, 'server with a change')
  expect(await printed()).toBe('first')
  expect(await build()).toEqual({ ...DONE, stderr: BUILT_PROGRAM })
})

test('a build removes the folder of a killed build, but not that of a running one', async () => {
  const { clone, build } = await setup()
  const dead = clone.start('src-main/app/cli/main.ts')
  await ended(dead)
  clone.write(`out/renderer.${dead.pid}/index.html`, '')
  clone.write(`out/renderer.${process.pid}/index.html`, '')
  await build()
  expect(existsSync(`${clone.root}/out/renderer.${dead.pid}`)).toBe(false)
  expect(existsSync(`${clone.root}/out/renderer.${process.pid}`)).toBe(true)
})
