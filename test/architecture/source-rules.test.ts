import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findInSources, readSources, SOURCE_RULES, type SourceRuleName } from './source-rules.ts'

const ROOT = join(import.meta.dirname, '..', '..')

interface Planted {
  readonly path: string
  readonly text: string
  /** Findings in the order of the text; empty for a look-alike that must be left alone. */
  readonly finds: readonly string[]
}

const PLANTED: Readonly<Record<SourceRuleName, readonly Planted[]>> = {
  'no clock and no chance in lib, contract, rules and services: take a Clock or newId as an argument': [
    {
      path: 'src-main/features/jobs/rules/job-record.ts',
      text: 'const a = Date.now()\nconst b = new Date()\nconst c = Date()\nconst d = Math.random()\n',
      finds: ['Date.now', 'new Date()', 'Date()', 'Math.random'],
    },
    {
      path: 'src-main/features/jobs/claim.ts',
      text: [
        `import { randomUUID as uuid } from 'node:crypto'`,
        `import { setTimeout as sleep } from 'node:timers/promises'`,
        'const timer = setTimeout(() => {}, 1)',
        'const later = globalThis.setInterval',
        'const each = { setImmediate }',
        'const key = process.env.SVC_KEY',
        'const signal = AbortSignal.timeout(5)',
        'const id = crypto.randomUUID()',
      ].join('\n'),
      finds: [
        'randomUUID',
        'node:timers/promises',
        'setTimeout',
        'setInterval',
        'setImmediate',
        'process.env',
        'AbortSignal.timeout',
        'crypto.randomUUID',
      ],
    },
    {
      path: 'src-main/features/jobs/rescue.ts',
      text: [
        'type Clock = { setTimeout(ms: number): void; now(): number }',
        'const use = (clock: Clock, at: number) => [clock.setTimeout(5), clock.now(), new Date(at).toISOString()]',
        `const text = 'Date.now() and setTimeout' // Math.random()`,
      ].join('\n'),
      finds: [],
    },
    { path: 'src-main/runtimes/process/start.ts', text: 'const now = Date.now()\n', finds: [] },
  ],
  'SQL only in stores': [
    {
      path: 'src-main/features/jobs/routes/v2.ts',
      text: [
        `const a = 'SELECT * FROM jobs'`,
        'const b = `INSERT INTO jobs VALUES (1)`',
        `const c = "UPDATE jobs SET state = 'x'"`,
        `const d = \`DELETE FROM jobs WHERE id = \${id}\``,
        `const e = 'PRAGMA user_version'`,
      ].join('\n'),
      finds: ['SELECT *', 'INSERT INTO', 'UPDATE jobs SET', 'DELETE FROM', 'PRAGMA user_version'],
    },
    {
      path: 'src-main/features/jobs/routes/v2.ts',
      text: `// SELECT * FROM jobs\nconst a = 'select one of them'\nconst b = 'UPDATE the client'\n`,
      finds: [],
    },
    { path: 'src-main/features/jobs/store/job-store.ts', text: `const a = 'SELECT * FROM jobs'\n`, finds: [] },
  ],
  'only http/server/listen.ts opens a port': [
    {
      path: 'src-main/runtimes/process/gateway.ts',
      text: [
        'const server = createServer(answer)',
        'server.listen(0)',
        'const a = net.createServer()',
        'const b = new http.Server()',
        'a.listen(gatewayPort)',
        'a.listen({ host, port: 1 })',
      ].join('\n'),
      finds: ['createServer', 'server.listen', 'net.createServer', 'http.Server', 'a.listen', 'a.listen'],
    },
    { path: 'src-main/http/server/listen.ts', text: 'createServer(answer).listen(0)\n', finds: [] },
    {
      path: 'src-main/features/jobs/queue/read-stream.ts',
      text: `const listen = (port: number) => port\nlisten(1)\nwaiters.listen(jobId, () => wake())\n`,
      finds: [],
    },
  ],
  'pages import code with loadCode, which loads a lost file again': [
    {
      path: 'src-renderer/ui/editor/LazyEditors.tsx',
      text: `const once = () => import('./Once.tsx')\nconst again = () => loadCode(() => import('./Again.tsx'))\n`,
      finds: [`import('./Once.tsx')`],
    },
    { path: 'src-main/app/cli/main.ts', text: `const once = await import('./once.ts')\n`, finds: [] },
  ],
  'a docstring says something': [
    {
      path: 'src-main/features/keys/keys.ts',
      text: '/** Makes them. */\nexport function createKeys() {}\n/** The book. */\nexport type Book = string\n',
      finds: ['Makes them.', 'The book.'],
    },
    {
      path: 'src-main/features/jobs/book.ts',
      text: '/** Makes the book of leases. */\nexport function createBook() {}\n/** The book. */\ntype Book = string\n',
      finds: [],
    },
  ],
  'a skipped test says why: call skip(condition, reason) of the test context': [
    {
      path: 'test/docker/run.test.ts',
      text: `test.skip('a', () => {})\ndescribe.skipIf(!docker)('b', () => {})\nit.concurrent.only('c', () => {})\n`,
      finds: ['test.skip', 'describe.skipIf', 'it.concurrent.only'],
    },
    {
      path: 'test/docker/stop.test.ts',
      text: `beforeEach(({ skip }) => skip(!docker, 'no Docker engine'))\ntest('a', (context) => context.skip('why'))\n`,
      finds: [],
    },
  ],
}

test('the source tree keeps to the rules', () => {
  const sources = readSources(ROOT)
  expect(findInSources(sources).map(({ rule, at, what }) => `${at} ${what} (${rule})`)).toEqual([])
  expect(Object.keys(sources)).toContain('src-main/app/cli/drydock.mjs')
})

test.each(Object.entries(PLANTED))('planted: %s', (rule, planted) => {
  expect(Object.keys(SOURCE_RULES)).toContain(rule)
  for (const { path, text, finds } of planted) {
    const found = findInSources({ [path]: text }).filter((finding) => finding.rule === rule)
    expect({ path, finds: found.map(({ what }) => what) }).toEqual({ path, finds })
  }
  expect(planted.some(({ finds }) => finds.length > 0)).toBe(true)
})

test('a finding says the line', () => {
  const found = findInSources({ 'src-main/lib/clock.ts': '\n\nconst now = Date.now()\n' })
  expect(found.map(({ at }) => at)).toEqual(['src-main/lib/clock.ts:3'])
})
