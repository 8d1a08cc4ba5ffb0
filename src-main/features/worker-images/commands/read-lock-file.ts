import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { basename, dirname, resolve, sep } from 'node:path'
import { CliError, unreadable } from '../../../app/cli/cli-error.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { WorkflowLock } from '../../../contract/worker-images.ts'
import { readGraphFile } from '../../workflows/commands/graph/read-graph-file.ts'
import { graphHash } from '../adapters/hash-model.ts'
import { readLock } from '../rules/lock-file.ts'

export { graphHash }

export type LockFile = { readonly lock: WorkflowLock; readonly graphFile: string | undefined }

const GRAPH = /\.(json|png|webp)$/i

export function lockBeside(file: string, cwd: string): string {
  if (!GRAPH.test(file)) return file
  const lock = file.replace(GRAPH, '.lock.yaml')
  if (existsSync(resolve(cwd, lock))) return lock
  throw new CliError('FILE_UNREADABLE', {
    file: lock,
    why: `${file} has no lock yet. Make one: drydock workflow lock ${file}`,
  })
}

/** Undefined: the argument names neither a lock nor a workflow. */
export const lockNamed = (file: string, cwd: string): string | undefined =>
  GRAPH.test(file) || /\.ya?ml$/i.test(file) ? lockBeside(file, cwd) : undefined

export async function readLockFile(file: string, surroundings: Surroundings): Promise<LockFile> {
  const path = resolve(surroundings.cwd, file)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw unreadable(path, error)
    const why = `there is no such file. Lock the workflow first: drydock workflow lock ${basename(path).replace(/\.lock\.ya?ml$/, '.json')}`
    throw new CliError('FILE_UNREADABLE', { file: path, why }, { cause: error })
  })
  const lock = lockIn(text, path)
  const graphFile = lock.workflow && resolve(dirname(path), lock.workflow.file)
  const found = { lock, graphFile }
  // A lock of a stranger could put any file of this machine into the image.
  const isAway = graphFile !== undefined && (await leaves(dirname(path), graphFile))
  if (isAway && (await isOtherGraph(found, graphFile, surroundings).catch(() => true)))
    throw new CliError('FILE_INVALID', {
      file: path,
      why: `its workflow ${graphFile} is outside its folder, and is not the one that was locked. Lock it again`,
    })
  return found
}

async function leaves(folder: string, file: string): Promise<boolean> {
  const [real, within] = await Promise.all([realpath(file), realpath(folder)]).catch(() => [])
  return real !== undefined && within !== undefined && !real.startsWith(within.endsWith(sep) ? within : within + sep)
}

function lockIn(text: string, file: string): WorkflowLock {
  try {
    return readLock(text)
  } catch (error) {
    throw new CliError('FILE_INVALID', { file, why: (error as Error).message }, { cause: error })
  }
}

async function isOtherGraph(
  { lock: { workflow } }: LockFile,
  graphFile: string,
  surroundings: Surroundings,
): Promise<boolean> {
  const { raw } = await readGraphFile(graphFile, surroundings)
  return graphHash(raw) !== workflow?.sha256
}
