/**
 * The fingerprints of single endpoints: SHA-256 over all that a worker of one may load. The scanner says which Python
 * files these are. Other files may be read by anybody, and so may packages, so they count for all endpoints.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { HashEndpoints } from '../services/ports/build.ts'
import type { OurPackages } from './artifact-entries.ts'
import { hashFiles } from './hash-files.ts'
import { listFiles } from './list-files.ts'

// Builds add a line to it, and no worker reads it.
const NOT_READ = /(?:^|\/)\.gitignore$/

/** Makes what hashes them. */
export function createEndpointHasher({ pythonPackages, sdk }: OurPackages): HashEndpoints {
  return async ({ project, scan, handlersFolder, pythonVersion, packages }, signal) => {
    const data = scan.files.filter((file) => !file.endsWith('.py') && !NOT_READ.test(file))
    const ours = sdk.map(async (name) => {
      const folder = join(pythonPackages, name)
      return hashFiles(folder, await listFiles(folder), signal)
    })
    const shared = [pythonVersion, packages, await hashFiles(project, data, signal), await Promise.all(ours)]
    const found = scan.endpoints.map(async ({ name, kind, sources, handlerFile }): Promise<[string, string][]> => {
      // What an image holds is none of the app's files; which image it is stands in the settings.
      if (name !== null && kind === 'image') return [[name, digest(kind)]]
      if (name === null || !sources || handlerFile === undefined) return []
      const handler = await hashFiles(handlersFolder, [handlerFile], signal)
      return [[name, digest([shared, sources.sha256, handler])]]
    })
    return Object.fromEntries((await Promise.all(found)).flat())
  }
}

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')
