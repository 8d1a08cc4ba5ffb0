import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ge } from '@renovatebot/pep440'
import { AppError } from '../../../contract/errors.ts'
import { installPythonPackage } from '../../../lib/node/install-python-package.ts'
import { runProgram } from '../../../lib/node/run-program.ts'

const OLDEST = '0.7.0'
const CHECK_LIMIT_MS = 20_000

/**
 * uv of the PATH, else of the Python index, which stays in `folder`.
 * @throws AppError NOT_DONE if it cannot be installed
 */
export async function findUv({
  env,
  folder,
  installing,
  signal,
}: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly folder: string
  readonly installing?: ((name: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
}): Promise<string> {
  const end = await runProgram({ command: 'uv', args: ['--version'], env, limitMs: CHECK_LIMIT_MS, signal })
  const version = end.kind === 'ended' ? /^uv (\d[\w.]*)/.exec(end.stdout)?.[1] : undefined
  if (version !== undefined && ge(version, OLDEST)) return 'uv'
  const program = (at: string) => join(at, 'bin', 'uv')
  const isComplete = (at: string) =>
    stat(program(at)).then(
      (found) => found.isFile(),
      () => false,
    )
  const why = await installPythonPackage({
    name: 'uv',
    folder,
    isComplete,
    env,
    signal,
    ...(installing && { installing }),
  })
  if (why !== undefined)
    throw new AppError('NOT_DONE', { why: `uv ${OLDEST} or later is needed, and installing it failed: ${why}` })
  return program(folder)
}
