/** The files that a browser loads for the first page, of the pages as they are built. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const BUILT = join(import.meta.dirname, '..', '..', 'out', 'renderer')

type Chunk = {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly isEntry?: boolean
}

/** Names of the first files of each section, and what a browser loads for one: the files of all imported chunks too. */
export function readBundles() {
  const chunks: Readonly<Record<string, Chunk>> = JSON.parse(
    readFileSync(join(BUILT, '.vite', 'manifest.json'), 'utf8'),
  )
  const entry = Object.values(chunks).find(({ isEntry }) => isEntry) as Chunk
  return {
    sections: (entry.dynamicImports ?? []).filter((source) => /\/\w+Pages\.tsx$/.test(source)),
    filesOf(section: string) {
      const loaded = new Set([entry, chunks[section] as Chunk])
      for (const { imports = [] } of loaded) for (const source of imports) loaded.add(chunks[source] as Chunk)
      const files = [...new Set([...loaded].flatMap(({ file, css = [] }) => [file, ...css]))]
      const sizes = files.map((file) => gzipSync(readFileSync(join(BUILT, file))).length)
      return { files, compressedBytes: sizes.reduce((sum, size) => sum + size, 0) }
    },
  }
}
