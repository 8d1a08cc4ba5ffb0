import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { BuildFailure, buildProblem } from '../../../contract/build.ts'
import type { HashEndpoints, HashFiles } from '../ports/build.ts'
import { comparePaths, fingerprintFrame } from '../rules/manifest.ts'
import type { OurPackages } from './pack-artifact.ts'
import { listFiles, readFiles, unreadable } from './read-files.ts'

export const hashFiles: HashFiles = async (project, paths, signal, onFile) => {
  const hash = createHash('sha256')
  const files = [...paths].sort(comparePaths).map((name) => ({ name, path: join(project, name) }))
  for await (const { name, path, size, content } of readFiles(files, signal)) {
    hash.update(fingerprintFrame(Buffer.from(name), size))
    const own = onFile && createHash('sha256')
    const update = (bytes: Uint8Array) => {
      hash.update(bytes)
      own?.update(bytes)
    }
    if (content === undefined) await hashLarge({ update }, { name, path, size })
    else update(content)
    if (own !== undefined) onFile?.(name, own.digest('hex'))
  }
  return hash.digest('hex')
}

async function hashLarge(
  hash: { update(bytes: Uint8Array): unknown },
  { name, path, size }: { readonly name: string; readonly path: string; readonly size: number },
): Promise<void> {
  let read = 0
  try {
    for await (const piece of createReadStream(path)) {
      read += piece.length
      hash.update(piece)
    }
  } catch (error) {
    throw unreadable(name, error)
  }
  if (read !== size) throw new BuildFailure([buildProblem('FILE_CHANGED', {}, { file: name })])
}

// SHA-256 over everything that an endpoint's worker may load: its scanned Python files, plus other files and packages
// for all endpoints.

// Builds add a line to it, and no worker reads it.
const NOT_READ = /(?:^|\/)\.gitignore$/

export function createEndpointHasher({ pythonPackages, sdk }: OurPackages): HashEndpoints {
  return async ({ project, scan, handlersFolder, pythonVersion, packages }, signal) => {
    const data = scan.files.filter((file) => !file.endsWith('.py') && !NOT_READ.test(file))
    const ours = sdk.map(async (name) => {
      const folder = join(pythonPackages, name)
      return hashFiles(folder, await listFiles(folder), signal)
    })
    const shared = [pythonVersion, packages, await hashFiles(project, data, signal), await Promise.all(ours)]
    const found = scan.endpoints.map(async ({ name, kind, sdk, sources, handlerFile }): Promise<[string, string][]> => {
      // An image does not contain the app's files; the settings name the image.
      if (name !== null && kind === 'image') return [[name, digest(kind)]]
      if (name === null || !sources || (handlerFile === undefined && sdk !== 2)) return []
      const handler = handlerFile === undefined ? '' : await hashFiles(handlersFolder, [handlerFile], signal)
      return [[name, digest([shared, sources.sha256, handler])]]
    })
    return Object.fromEntries((await Promise.all(found)).flat())
  }
}

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')
