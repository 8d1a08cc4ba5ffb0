import { resolve } from 'node:path'
import type { ModelFolder } from '../../contract/models.ts'
import { createGitSources } from '../../features/worker-images/adapters/git-source.ts'
import { findInput, findModel, hashFile } from '../../features/worker-images/adapters/hash-model.ts'
import { createNodeRegistry } from '../../features/worker-images/adapters/node-registry.ts'
import { makeLock, updateLock } from '../../features/worker-images/make-lock.ts'
import type { LockPorts } from '../../features/worker-images/ports.ts'
import type { LockRequest } from '../../features/worker-images/rules/lock-request.ts'
import { isRemote } from '../../features/worker-images/rules/source-address.ts'
import { sizeText } from '../../lib/text.ts'

/** `known`: of a file that the service has downloaded. */
export type LockMakerOptions = Pick<LockPorts, 'choose' | 'resolvePython'> & {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly registry: string
  readonly folder: string
  readonly models: readonly ModelFolder[]
  readonly known: (
    path: string,
  ) => { readonly bytes: number; readonly sha256?: string; readonly source?: string } | undefined
  readonly inputs: readonly string[]
  readonly report: (step: string) => void
  readonly signal: AbortSignal
}

export function createLockMaker(options: LockMakerOptions) {
  const { env, registry, folder, models, known, inputs, choose, resolvePython, report, signal } = options
  const ports: LockPorts = {
    git: createGitSources(env),
    registry: createNodeRegistry(registry),
    pathOf: (source) => (isRemote(source) ? source : resolve(folder, source)),
    async findModel(name, directory) {
      const found = await findModel(models, directory, name)
      if (found === undefined) return undefined
      const before = known(found.path)
      const hashed =
        before?.sha256 === undefined
          ? await hashFile(found.path, (bytes) => report(`hashes ${name}, ${sizeText(bytes)}`), signal)
          : { sizeBytes: before.bytes, sha256: before.sha256 }
      const source = before?.source
      return { folder: found.directory, name, ...hashed, ...(source === undefined ? {} : { source }) }
    },
    async readInput(name) {
      const path = await findInput(inputs, name)
      return path === undefined ? undefined : hashFile(path, undefined, signal)
    },
    choose,
    resolvePython,
  }
  return {
    make: (request: LockRequest) => makeLock(ports, request, { report, signal }),
    update: (...[lock, asked]: [Parameters<typeof updateLock>[1], Parameters<typeof updateLock>[2]]) =>
      updateLock(ports, lock, asked, { report, signal }),
  }
}
