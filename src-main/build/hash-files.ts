import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { BuildFailure, buildProblem } from '../contract/build.ts'
import { comparePaths, fingerprintFrame } from '../domain/app/fingerprint.ts'
import type { HashFiles } from '../services/ports/build.ts'
import { readFiles, unreadable } from './read-files.ts'

/** The fingerprint of a project: SHA-256 over its files in the order of their paths. See domain/app/fingerprint.ts. */
export const hashFiles: HashFiles = async (project, paths, signal) => {
  const hash = createHash('sha256')
  const files = [...paths].sort(comparePaths).map((name) => ({ name, path: join(project, name) }))
  for await (const { name, path, size, content } of readFiles(files, signal)) {
    hash.update(fingerprintFrame(Buffer.from(name), size))
    if (content === undefined) await hashLarge(hash, { name, path, size })
    else hash.update(content)
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
  // Its length was hashed before it.
  if (read !== size) throw new BuildFailure([buildProblem('FILE_CHANGED', {}, { file: name })])
}
