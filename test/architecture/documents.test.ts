import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type DeadReference, findDeadReferences, readTree } from './documents.ts'

const ROOT = join(import.meta.dirname, '..', '..')

test('citations, links and names of files in documents and comments lead somewhere', () => {
  const tree = readTree(ROOT)
  expect(findDeadReferences(tree)).toEqual([])
  expect(Object.keys(tree.documents)).toEqual(expect.arrayContaining(['README.md', 'docs/spec/job-api.md']))
  expect(Object.keys(tree.sources)).toContain('resources/python/svc/_calls.py')
})

/** A planted text, and a page with two headings and a row. */
function found(planted: { readonly documents?: Record<string, string>; readonly sources?: Record<string, string> }) {
  const documents = { 'docs/spec/page.md': '# A page\n\n## 1. Limits\n\n| 1.2 | a row |\n', ...planted.documents }
  const sources = { 'src-main/features/keys/rules/auth.ts': '', ...planted.sources }
  const paths = new Set([...Object.keys(documents), ...Object.keys(sources), 'docs', 'src-main/features/keys/rules'])
  const dead = findDeadReferences({ documents, sources, exists: (path) => paths.has(path) })
  return dead.map(({ at, what }: DeadReference) => `${at} ${what}`)
}

test('planted: a citation without a page or without its heading', () => {
  const text = [
    '/** Source: docs/spec/gone.md, 1. */',
    '/** Source: docs/spec/page.md, 1 and 3. */',
    '/**',
    ' * Source: docs/spec/page.md,',
    ' * 1.7; ours for the rest.',
    ' */',
    "const limit = { source: 'docs/spec/page.md, 1.2: 10 s' }",
  ].join('\n')
  expect(found({ sources: { 'src-main/a.ts': text } })).toEqual([
    'src-main/a.ts:1 docs/spec/gone.md',
    'src-main/a.ts:2 docs/spec/page.md, 3',
    'src-main/a.ts:4 docs/spec/page.md, 1.7',
  ])
})

test('planted: a source that no reader of the repository has', () => {
  const text = '// Source: issue 6, item 1.\n// source: editor research, 2\n// Source: RFC 9110, 7.6.1; ours.\n'
  expect(found({ sources: { 'src-main/a.ts': text } })).toEqual([
    'src-main/a.ts:1 Source: issue',
    'src-main/a.ts:2 source: editor research',
  ])
})

test('planted: a link without its page or heading', () => {
  const text =
    '[a](spec/page.md#1-limits) [b](spec/page.md#gone) [c](gone.md) [d](https://example.com) [e](#here)\n# Here\n'
  expect(found({ documents: { 'docs/a.md': text } })).toEqual(['docs/a.md:1 spec/page.md#gone', 'docs/a.md:1 gone.md'])
})

test('planted: a name of a file that is gone', () => {
  const text =
    'see `features/keys/rules/auth.ts`, `auth.ts`, `lib/gone.ts`, `gone.ts`, `handler.py`\n```\nfeatures/keys/rules/auth ─ lib/away\n```\n'
  expect(found({ documents: { 'docs/a.md': text } })).toEqual([
    'docs/a.md:1 lib/gone.ts',
    'docs/a.md:1 gone.ts',
    'docs/a.md:3 lib/away',
  ])
})
