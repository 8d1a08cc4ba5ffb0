import { createHash, webcrypto } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { inflateSync } from 'node:zlib'
import { z } from 'zod'
import { catalogFile } from '../contract/catalog.ts'
import { limit } from '../contract/limits.ts'
import { priceTable } from '../contract/what-if.ts'
import type { ReadCatalog } from '../features/apps/ports/build.ts'
import type { ReadPrices } from '../features/what-if/ports.ts'
import type {
  FileTools,
  ReadBuiltInNodeTypes,
  ReadHandlerClasses,
  ReadTemplates,
  WorkflowPorts,
} from '../features/workflows/ports.ts'
import { type PackagesByClass, readPackageIndex } from '../features/workflows/rules/node-packages.ts'
import { errorCode } from '../lib/error-code.ts'
import { sizeText } from '../lib/text.ts'
import { RESOURCES } from './root.ts'

const SOURCE = /\.ts$/

/**
 * Packages contain JavaScript, as Node strips no types below `node_modules`.
 * @param path source relative to `resources`; other file types stay unchanged
 * @returns an absolute path
 */
export function resourceProgram(path: string): string {
  const source = join(RESOURCES, path)
  const built = source.replace(SOURCE, '.js')
  return existsSync(built) ? built : source
}

const UTF8 = new TextDecoder('utf-8')

export const fileTools: FileTools = {
  utf8: (bytes) => UTF8.decode(bytes),
  inflate(bytes, most) {
    try {
      return inflateSync(bytes, { maxOutputLength: most })
    } catch {
      return undefined // damaged, or too large: the port makes no difference
    }
  },
  async sha256(bytes) {
    if (bytes.length <= limit('payloadInRowBytes')) return createHash('sha256').update(bytes).digest('hex')
    return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex')
  },
  createBlake3: async () => (await import('hash-wasm')).createBLAKE3(),
}

/** Name of the index of packages of nodes in the data folder, which the user provides. Source: ours. */
export const PACKAGE_INDEX_FILE = 'node-packages.json'

/**
 * @returns an empty index if the user placed none
 * @throws Error with the reason, for a person
 */
export async function readPackageIndexFile(folder: string): Promise<PackagesByClass> {
  const most = limit('nodePackagesBytes')
  try {
    await using file = await open(join(folder, PACKAGE_INDEX_FILE))
    const { size } = await file.stat()
    if (size > most) throw new Error(`it has ${sizeText(size)}, and ${sizeText(most)} are read`)
    return readPackageIndex(await file.readFile('utf8'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Map()
    throw error
  }
}

function packageIndexOf(folder: () => string): WorkflowPorts['packageIndex'] {
  return {
    read: () => readPackageIndexFile(folder()),
    changedAt: () =>
      stat(join(folder(), PACKAGE_INDEX_FILE)).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      ),
  }
}

const index = z.object({
  templates: z.array(z.object({ id: z.string().regex(/^[a-z0-9-]+$/), name: z.string(), summary: z.string() })),
})
const handlerClasses = z.object({
  classes: z.array(z.string()),
  lists: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
})

const readTemplates: ReadTemplates = async () => {
  const folder = join(RESOURCES, 'workflows')
  const { templates } = index.parse(JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')))
  return Promise.all(
    templates.map(async (template) => ({
      ...template,
      text: await readFile(join(folder, `${template.id}.json`), 'utf8'),
    })),
  )
}

export const readBuiltInNodeTypes: ReadBuiltInNodeTypes = () => readFile(join(RESOURCES, 'node-types.json'), 'utf8')

const readHandlerClasses: ReadHandlerClasses = async (handler) => {
  if (relative(RESOURCES, handler).startsWith('..')) return undefined
  try {
    return handlerClasses.parse(JSON.parse(await readFile(join(dirname(handler), 'classes.json'), 'utf8')))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

export function workflowResources(
  data: () => string,
): Omit<
  WorkflowPorts,
  'readServer' | 'fetchNodeTypes' | 'sizeOfNodeTypes' | 'probeServer' | 'readLastModels' | 'whyNoServer' | 'askServer'
> {
  return {
    tools: fileTools,
    templates: readTemplates,
    builtInNodeTypes: readBuiltInNodeTypes,
    handlerClasses: readHandlerClasses,
    packageIndex: packageIndexOf(data),
  }
}

const SUFFIX = '.json'

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

export const readPrices: ReadPrices = async () =>
  priceTable.parse(JSON.parse(await readFile(join(RESOURCES, 'prices.json'), 'utf8')))
