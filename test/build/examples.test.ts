/** The examples and the app of `drydock init`: they build without a word, and what was built runs. */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { manifest } from '../../src-main/contract/manifest.ts'
import type { WheelContent } from '../support/wheels.ts'
import { runningApp } from './running-app.ts'
import { setup } from './support.ts'

const RESOURCES = fileURLToPath(new URL('../../resources/', import.meta.url))

// Stands for the package of that name, so that no index is asked.
const TABULATE: WheelContent = {
  name: 'tabulate',
  version: '0.9.0',
  files: { 'tabulate.py': 'def tabulate(rows, headers):\n    return [headers, *rows]\n' },
}

type Expected = {
  /** `kind name: functions`, in the order of the manifest. */
  readonly endpoints: readonly string[]
  readonly packages?: readonly string[]
  readonly callers?: readonly string[]
}

const APPS: Readonly<Record<string, Expected>> = {
  'examples/hello': { endpoints: ['queue hello: hello'] },
  'examples/mixed': {
    endpoints: ['queue clean: clean', 'queue keywords: keywords', 'queue mood: mood', 'routes reviews: health, review'],
    callers: ['reviews'],
  },
  'examples/class-and-streaming': {
    endpoints: ['queue storyteller: Storyteller', 'queue typewriter: typewriter'],
  },
  'examples/dependencies': { endpoints: ['queue report: report'], packages: ['tabulate 0.9.0'] },
  'examples/two-load-balanced': {
    endpoints: ['routes badges: badge', 'routes notes: list_notes, add_note, read_note, change_note, remove_note'],
  },
  'templates/app': {
    endpoints: [
      'routes api: health, shout',
      'queue countdown: countdown',
      'queue greet: greet',
      'queue text-stats: TextStats',
      'queue welcome: welcome',
    ],
    callers: ['welcome'],
  },
}

/** A copy of the app, so that nothing is written into the source tree. */
function copyOf(app: string) {
  const made = setup({ files: {}, wheels: [TABULATE] })
  cpSync(join(RESOURCES, app), made.project, {
    recursive: true,
    filter: (path) => !/[/\\](\.svc|__pycache__)$/.test(path),
  })
  return made
}

test.each(Object.entries(APPS))(
  '%s builds without a warning, with the same fingerprint and bytes wherever it lies',
  async (app, { endpoints, packages = [], callers = [] }) => {
    const [{ build }, other] = [copyOf(app), copyOf(app)]
    const result = await build()
    expect(await other.build()).toMatchObject({ fingerprint: result.fingerprint, sha256: result.sha256 })
    expect(result.warnings).toEqual([])
    expect(result.packages.map(({ name, version }) => `${name} ${version}`)).toEqual(packages)
    const { resources, image_requirements: ofImage } = manifest.parse(JSON.parse(readFileSync(result.manifest, 'utf8')))
    const told = Object.entries(resources).map(
      ([name, { is_load_balanced: routes, functions }]) =>
        `${routes ? 'routes' : 'queue'} ${name}: ${functions.map((found) => found.name).join(', ')}`,
    )
    expect(told).toEqual(endpoints)
    expect(Object.entries(resources).flatMap(([name, one]) => (one.makesRemoteCalls ? [name] : []))).toEqual(callers)
    // None needs a card or what only some image has, so all of them run on any machine.
    expect(Object.values(resources).filter(({ gpuIds }) => gpuIds !== undefined)).toEqual([])
    expect(ofImage).toEqual([])
  },
)

test('there is no example that the table lacks', () => {
  const there = readdirSync(join(RESOURCES, 'examples')).map((name) => `examples/${name}`)
  expect(there.sort()).toEqual(
    Object.keys(APPS)
      .filter((app) => app.startsWith('examples/'))
      .sort(),
  )
})

/** Builds a copy of the app and runs it. */
async function running(app: string) {
  const { build, artifact } = copyOf(app)
  await build()
  return runningApp(artifact)
}

test('hello greets', async () => {
  const { job } = await running('examples/hello')
  expect(await job('hello', { name: 'Ada' })).toMatchObject({ status: 'COMPLETED', output: { greeting: 'Hello, Ada' } })
})

test('mixed answers a request with what three queues made of it', async () => {
  const { json } = await running('examples/mixed')
  expect(await json('reviews', 'GET', '/health')).toEqual({ status: 'ok' })
  const text = '<p>Great lamp,&nbsp;good light. A lamp for reading!</p>'
  expect(await json('reviews', 'POST', '/reviews', { text, most: 2 })).toEqual({
    text: 'Great lamp, good light. A lamp for reading!',
    mood: 'praise',
    score: 2,
    keywords: ['lamp', 'reading'],
  })
})

test('class-and-streaming tells a tale at once and word by word', async () => {
  const { job, stream } = await running('examples/class-and-streaming')
  const words = (await stream('storyteller', { method: 'write', words: 8, seed: 7 })) as readonly string[]
  expect(words).toHaveLength(8)
  const { output } = await job('storyteller', { method: 'tell', words: 8, seed: 7 })
  expect(output).toEqual({ text: words.join(' ') })
  expect(await stream('typewriter', { text: 'ab', pause_s: 0 })).toEqual([
    { position: 0, letter: 'a' },
    { position: 1, letter: 'b' },
  ])
})

test('dependencies finds its package next to its code', async () => {
  const { job } = await running('examples/dependencies')
  const csv = readFileSync(join(RESOURCES, 'examples/dependencies/sales.csv'), 'utf8')
  expect((await job('report', { csv, by: 'fruit', of: 'sold' })).output).toEqual({
    rows: 3,
    table: [
      ['fruit', 'rows', 'sum of sold', 'mean'],
      ['apple', 2, 8, 4],
      ['pear', 2, 5, 2.5],
      ['plum', 1, 12, 12],
    ],
  })
})

test('two-load-balanced answers at two addresses', async () => {
  const { json, request } = await running('examples/two-load-balanced')
  expect(await json('notes', 'POST', '/notes', { text: 'milk' })).toEqual({ id: 1, text: 'milk' })
  expect(await json('notes', 'PUT', '/notes/1', { text: 'oats' })).toEqual({ id: 1, text: 'oats' })
  expect(await json('notes', 'GET', '/notes')).toEqual([{ id: 1, text: 'oats' }])
  expect(await json('notes', 'DELETE', '/notes/1')).toEqual({ id: 1, text: 'oats' })
  const gone = await request('notes', '/notes/1')
  expect([gone.status, await gone.json()]).toMatchObject([404, { detail: 'there is no note 1' }])
  const badge = await request('badges', '/badges/build?value=%3Cgood%3E')
  expect([badge.status, badge.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  expect(await badge.text()).toContain('build: &lt;good&gt;</text>')
})
