import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readImportedFiles } from '../../../../src-main/features/workers/adapters/imported-files.ts'
import { watchCode } from '../../../../src-main/features/workers/adapters/watch-code.ts'
import { expectShortHold } from '../../../support/main-thread.ts'
import { until } from '../../../support/served-service.ts'

/** A folder with files, by their paths. */
function setup(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-handler-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const imported = async (file: string) => [...(await readImportedFiles({ folder, file })).keys()].sort()
  const changes: (readonly string[])[] = []
  const watch = (file: string) => {
    const { close, ready } = watchCode(
      { folder, file },
      {
        onChange: ({ files: changed }) => void changes.push(changed),
        onPolling: (why) => {
          throw new Error(`not watched: ${why}`)
        },
        now: () => Date.now(),
      },
    )
    onTestFinished(close)
    return ready
  }
  return { folder, write, imported, changes, watch }
}

test('the files that a Python handler imports are found, however they are named', async () => {
  const { imported } = setup({
    'handler.py': [
      'import json, tools.texts as texts',
      'from . import near',
      'from models import (',
      '    small,  # the default',
      '    large as other,',
      ')',
      'def handler(job):',
      '    from later import run',
      '    import_module("plugins.one")',
    ].join('\n'),
    'tools/__init__.py': '',
    'tools/texts.py': 'from .. import shared\nfrom .words import split',
    'tools/words.py': '',
    'tools/unused.py': '',
    'near.py': '',
    'shared.py': '',
    'models/small.py': '',
    'models/large.py': '',
    'later.py': '',
    'plugins/one.py': 'import handler',
    'other.py': '',
    'json.txt': '',
  })
  expect(await imported('handler.py')).toEqual([
    'handler.py',
    'later.py',
    'models/large.py',
    'models/small.py',
    'near.py',
    'plugins/one.py',
    'shared.py',
    'tools/__init__.py',
    'tools/texts.py',
    'tools/words.py',
  ])
})

test('a package that is run counts with what it runs first, and a module with the packages that it is in', async () => {
  const { folder } = setup({
    'shop/__init__.py': 'from . import prices',
    'shop/__main__.py': 'from .parts import run',
    'shop/prices.py': '',
    'shop/parts.py': '',
    'shop/unused.py': '',
    'shop/web/__init__.py': 'import near',
    'near.py': '',
  })
  const ofModule = async (file: string) =>
    [...(await readImportedFiles({ folder, file, isModule: true })).keys()].sort()
  const run = ['shop/__init__.py', 'shop/__main__.py', 'shop/parts.py', 'shop/prices.py']
  expect(await ofModule('shop.py')).toEqual(run)
  expect(await ofModule('shop/parts.py')).toEqual(['shop/__init__.py', 'shop/parts.py', 'shop/prices.py'])
  expect(await ofModule('shop/web.py')).toEqual([
    'near.py',
    'shop/__init__.py',
    'shop/prices.py',
    'shop/web/__init__.py',
  ])
  expect(await ofModule('shop/gone.py')).toEqual([])
  expect((await readImportedFiles({ folder, file: 'shop.py' })).size).toBe(0)
})

test('the files that a TypeScript handler imports are found, and none outside its folder', async () => {
  const { imported } = setup({
    'handler.ts':
      "import { a } from './a.ts'\nexport * from './lib'\nconst b = await import('./b.mjs')\nimport '../out.ts'",
    'a.ts': "import fs from 'node:fs'\nconst c = require('./c')",
    'b.mjs': '',
    'c.js': '',
    'lib/index.ts': '',
    'd.ts': '',
  })
  expect(await imported('handler.ts')).toEqual(['a.ts', 'b.mjs', 'c.js', 'handler.ts', 'lib/index.ts'])
})

test('a change of the handler or of what it imports is reported, and of nothing else in its folder', async () => {
  const { write, changes, watch } = setup({
    'handler.py': 'import lib.part',
    'lib/part.py': 'A = 1',
    'other.py': '',
    'node_modules/lib/part.py': '',
  })
  await watch('handler.py')
  write('other.py', 'B = 1')
  write('out.json', '{}')
  write('lib/unused.py', '')
  write('lib/part.py', 'A = 2')
  await until(() => expect(changes).toEqual([['lib/part.py']]))
  write('handler.py', 'import lib.part\nC = 1')
  await until(() => expect(changes).toEqual([['lib/part.py'], ['handler.py']]))
})

test('a new import of a saved handler is watched too, even if its file comes later', async () => {
  const { write, changes, watch } = setup({ 'handler.py': '', 'late/part.py': 'A = 1' })
  await watch('handler.py')
  write('handler.py', 'import late.part, missing')
  await until(() => expect(changes).toEqual([['handler.py', 'late/part.py']]))
  write('late/part.py', 'A = 2')
  await until(() => expect(changes.at(-1)).toEqual(['late/part.py']))
  write('missing.py', '')
  await until(() => expect(changes.at(-1)).toEqual(['missing.py']))
})

test('a module of a package is watched with what it imports from the folder above', async () => {
  const { write, changes, watch } = setup({
    'shop/web.py': 'from . import parts\nimport near',
    'shop/parts.py': '',
    'near.py': '',
  })
  await watch('shop/web.py')
  write('near.py', 'A = 1')
  await until(() => expect(changes).toEqual([['near.py']]))
  write('shop/parts.py', 'A = 1')
  await until(() => expect(changes.at(-1)).toEqual(['shop/parts.py']))
})

test('Python compiles what was saved anew, also twice within a second', async () => {
  const cached = '__pycache__/part.cpython-312.pyc'
  const others = '__pycache__/parts.cpython-312.pyc'
  const { folder, write, changes, watch } = setup({
    'handler.py': 'import part',
    'part.py': '',
    [cached]: '',
    [others]: '',
  })
  await watch('handler.py')
  write('part.py', 'A = 1')
  await until(() => expect(changes).toEqual([['part.py']]))
  expect([cached, others].map((path) => existsSync(join(folder, path)))).toEqual([false, true])
})

test('a change is reported although what was compiled before cannot be removed', async () => {
  // Stands for a file of root, as containers leave them.
  const { write, changes, watch } = setup({ 'handler.py': '', '__pycache__/handler.cpython-312.pyc/file': '' })
  await watch('handler.py')
  write('handler.py', 'A = 1')
  await until(() => expect(changes).toEqual([['handler.py']]))
  write('handler.py', 'A = 2')
  await until(() => expect(changes).toEqual([['handler.py'], ['handler.py']]))
})

test('does not report a save without a change or a temporarily missing handler', async () => {
  const { folder, write, changes, watch } = setup({ 'handler.py': 'A = 1' })
  await watch('handler.py')
  write('handler.py', 'A = 1')
  unlinkSync(join(folder, 'handler.py'))
  await until(async () => expect((await readImportedFiles({ folder, file: 'handler.py' })).size).toBe(0))
  write('handler.py', 'A = 1')
  write('handler.py', 'A = 2')
  await until(() => expect(changes).toEqual([['handler.py']]))
})

test.each([
  ['dots', 'h.py', `from ${'.'.repeat(60_000)}`],
  ['lists without an end', 'h.py', 'from a import (\n'.repeat(16_000)],
  ['a deep name', 'h.py', `import ${'a.'.repeat(10_000)}a`],
  ['dots and names', 'h.py', `from ${'.'.repeat(20_000)} import ${'a,'.repeat(20_000)}`],
  ['spaces', 'h.mjs', `from${' '.repeat(60_000)}`],
])('a source that is all %s is read at once', async (_what, file, text) => {
  const { imported } = setup({ [file]: text })
  await expectShortHold(200, () => imported(file))
  expect(await imported(file)).toEqual([file])
})

test('of a source that names any number of modules so many are looked for as a program may have', async () => {
  const { imported } = setup({
    'h.py': `import first\n${Array.from({ length: 200_000 }, (_, at) => `import m${at}`).join('\n')}`.slice(
      0,
      1_000_000,
    ),
    'first.py': '',
    'm75000.py': '',
  })
  expect(await imported('h.py')).toEqual(['first.py', 'h.py'])
})

test('a save removes what was compiled of the source, and no source, wherever the folder of compiled ones leads', async () => {
  const { folder, write, changes, watch } = setup({ 'h.py': 'import a', 'a.py': '', 'a.cpython-312.pyc': '' })
  symlinkSync('.', join(folder, '__pycache__'))
  await watch('h.py')
  write('a.py', 'x = 1')
  await until(() => expect(changes).toEqual([['a.py']]))
  expect(readdirSync(folder).sort()).toEqual(['__pycache__', 'a.py', 'h.py'])
})
