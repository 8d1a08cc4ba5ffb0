import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ModelFolder } from '../../contract/models.ts'
import type { WorkflowLock } from '../../contract/worker-images.ts'
import { createGitSources } from '../../features/worker-images/adapters/git-source.ts'
import { findInput, findModel, hashFile } from '../../features/worker-images/adapters/hash-model.ts'
import { createNodeRegistry } from '../../features/worker-images/adapters/node-registry.ts'
import { createNodeReader } from '../../features/worker-images/adapters/read-node-package.ts'
import { createPythonResolver } from '../../features/worker-images/adapters/resolve-python.ts'
import { makeLock, type Update, updateLock } from '../../features/worker-images/make-lock.ts'
import type { LockPorts } from '../../features/worker-images/ports.ts'
import type { LockRequest } from '../../features/worker-images/rules/lock-request.ts'
import { readRequirements } from '../../features/worker-images/rules/read-requirements.ts'
import { isRemote } from '../../features/worker-images/rules/source-address.ts'
import { sizeText } from '../../lib/text.ts'
import { PYTHON_PACKAGES } from '../../shipped-files/root.ts'
import { cacheFolder } from './create-workflow-image-builder.ts'

const WORKER_REQUIREMENTS = join(PYTHON_PACKAGES, 'comfy_worker/requirements.txt')

export type LockMakerOptions = Pick<LockPorts, 'choose' | 'runsSetUp'> & {
  readonly home: string
  /** False: Python packages stay as they are. */
  readonly resolves: boolean
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
  const { registry, folder, models, known, inputs, choose, home, resolves, runsSetUp, report, signal } = options
  // Without the keys of services: git and uv read what strangers wrote.
  const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => !name.startsWith('SVC_')))
  const ports: LockPorts = {
    git: createGitSources(env, createNodeReader({ packages: PYTHON_PACKAGES, env })),
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
    runsSetUp,
    resolvePython: !resolves
      ? undefined
      : createPythonResolver({
          env,
          uvFolder: join(cacheFolder({ env, home }), 'uv'),
          installing: (name) => report(`installs ${name}`),
        }),
    ofWorker: readRequirements(readFileSync(WORKER_REQUIREMENTS, 'utf8')).requirements.map(({ text }) => text),
  }
  return {
    make: (request: LockRequest) => makeLock(ports, request, { report, signal }),
    update: (lock: WorkflowLock, updates: readonly Update[]) => updateLock(ports, lock, updates, { report, signal }),
  }
}
