import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { catalogFile } from '../contract/catalog.ts'
import type { ReadCatalog } from '../services/ports/catalog.ts'
import { RESOURCES, resourceProgram } from './resource-program.ts'

const SUFFIX = '.json'

/** Reads the files of the catalog that this installation has. Their handlers become absolute paths. */
export const readCatalog: ReadCatalog = async () => {
  const folder = join(RESOURCES, 'catalog')
  const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).sort()
  return Promise.all(
    names.map(async (name) => {
      const file = catalogFile.parse(JSON.parse(await readFile(join(folder, name), 'utf8')))
      const handler = file.handler === undefined ? {} : { handler: resourceProgram(file.handler) }
      return { ...file, ...handler, id: name.slice(0, -SUFFIX.length) }
    }),
  )
}
