import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Clone } from './clone.ts'

// Stands for Vite: notes that it was called, and puts the pages where it is told. FAKE_VITE says what goes wrong.
const FAKE_VITE = `
const fs = require('node:fs')
fs.appendFileSync('vite-calls.log', 'build\\n')
if (process.env.FAKE_VITE === 'fail') { console.error('no such import'); process.exit(1) }
const out = process.argv[process.argv.indexOf('--outDir') + 1]
fs.mkdirSync(out, { recursive: true })
fs.writeFileSync(out + '/index.html', fs.readFileSync('src-renderer/main.ts'))
`
const BUILDING = 'Building the web pages ...\n'
const DONE = { code: 0, signal: null, stdout: '', stderr: '' }

async function setup() {
  const clone = new Clone()
  clone.write('node_modules/vite/bin/vite.js', FAKE_VITE)
  clone.write('node_modules/vite/package.json', '{ "type": "commonjs" }')
  clone.write('src-renderer/main.ts', 'first')
  clone.write('src-main/contract/job.ts', 'job')
  await clone.setUp()
  const builds = () =>
    existsSync(`${clone.root}/vite-calls.log`) ? clone.read('vite-calls.log').split('\n').length - 1 : 0
  return { clone, builds, pages: (env: NodeJS.ProcessEnv = {}) => clone.setUp(env, ['--pages']) }
}

test('the pages are built once, and again for other sources alone', async () => {
  const { clone, builds, pages } = await setup()
  expect(builds()).toBe(0)
  expect(await pages()).toEqual({ ...DONE, stderr: BUILDING })
  expect(await pages()).toEqual(DONE)
  clone.write('src-renderer/main.ts', 'first')
  clone.write('src-main/cli/other.ts', 'no part of the pages')
  expect(await pages()).toEqual(DONE)
  clone.write('src-renderer/main.ts', 'second')
  expect(await pages()).toEqual({ ...DONE, stderr: BUILDING })
  clone.write('src-main/contract/job.ts', 'another job')
  await pages()
  expect([builds(), clone.read('out/renderer/index.html')]).toEqual([3, 'second'])
})

test('a build that fails says why, and leaves the pages that were there', async () => {
  const { clone, pages } = await setup()
  await pages()
  clone.write('src-renderer/main.ts', 'broken')
  const failed = await pages({ FAKE_VITE: 'fail' })
  expect(failed).toEqual({
    ...DONE,
    code: 1,
    stderr: `${BUILDING}no such import\nThe web pages could not be built: see above. Fix that, then run "npm run build".\n`,
  })
  expect(clone.read('out/renderer/index.html')).toBe('first')
  expect(await pages()).toEqual({ ...DONE, stderr: BUILDING })
  expect(clone.read('out/renderer/index.html')).toBe('broken')
})
