import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { CliError, unreadable } from '../../../app/cli/cli-error.ts'
import type { WorkflowLock } from '../../../contract/worker-images.ts'
import { readLock } from '../rules/lock-file.ts'

export type LockFile = { readonly lock: WorkflowLock; readonly graphFile: string | undefined }

/**
 * Reads a lock; the graph is next to it.
 * @throws CliError FILE_UNREADABLE, FILE_INVALID
 */
export async function readLockFile(file: string, cwd: string): Promise<LockFile> {
  const path = resolve(cwd, file)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error)
  })
  const lock = lockIn(text, path)
  const graphFile = lock.workflow && resolve(dirname(path), lock.workflow.file)
  const found = { lock, graphFile }
  // A lock of a stranger could put any file of this machine into the image.
  if (graphFile !== undefined && (await leaves(dirname(path), graphFile)) && (await isOtherGraph(found, graphFile)))
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

/** Whether the graph changed after it was locked, so that the image may lack what it needs. */
export async function isOtherGraph({ lock: { workflow } }: LockFile, graphFile: string): Promise<boolean> {
  const bytes = await readFile(graphFile)
  return createHash('sha256').update(bytes).digest('hex') !== workflow?.sha256
}
