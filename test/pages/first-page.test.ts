import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { PAGE_SECTIONS } from '../../src-main/contract/pages.ts'

const BUILT = join(import.meta.dirname, '..', '..', 'out', 'renderer')

// Source: docs/spec/targets.md, 1.
const FIRST_BUNDLE_BYTES = 350 * 1024

type Chunk = {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly isEntry?: boolean
}

const chunks: Readonly<Record<string, Chunk>> = JSON.parse(readFileSync(join(BUILT, '.vite', 'manifest.json'), 'utf8'))
const entry = Object.values(chunks).find(({ isEntry }) => isEntry) as Chunk
const pages = (entry.dynamicImports ?? []).filter((source) => /\/\w+Pages\.tsx$/.test(source))

// A browser loads the files of these chunks and of all chunks that they import.
function filesOf(first: readonly Chunk[]): ReadonlySet<string> {
  const loaded = new Set(first)
  for (const { imports = [] } of loaded) for (const source of imports) loaded.add(chunks[source] as Chunk)
  return new Set([...loaded].flatMap(({ file, css = [] }) => [file, ...css]))
}

test('each section is a bundle of its own', () => {
  expect(pages).toHaveLength(PAGE_SECTIONS.length)
})

test.each(pages)('%s as the first page loads at most 25 files and 350 KiB, compressed', (source) => {
  const files = filesOf([entry, chunks[source] as Chunk])
  expect(files.size).toBeLessThanOrEqual(25)
  expect([...files].filter((file) => /\.css$/.test(file))).not.toEqual([])
  const sizes = [...files].map((file) => gzipSync(readFileSync(join(BUILT, file))).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_BUNDLE_BYTES)
})
