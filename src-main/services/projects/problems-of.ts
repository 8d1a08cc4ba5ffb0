import { BuildFailure, type BuildProblem } from '../../contract/build.ts'
import { AppError } from '../../contract/errors.ts'

// What the system says of a disk or a folder, as a person is told it.
const DISK_FULL = { code: 'DISK_FULL', message: 'The disk is full. Free some space, and try again.' }
const UNWRITABLE = {
  code: 'FOLDER_UNWRITABLE',
  message:
    'The folder of the project cannot be written. A build keeps its packages in .svc there: allow it, or copy the project to where it may be written.',
}
const OF_THE_SYSTEM: Readonly<Record<string, BuildProblem>> = {
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  EACCES: UNWRITABLE,
  EPERM: UNWRITABLE,
  EROFS: UNWRITABLE,
}

/** What a person is told when a project cannot be read or built: problems of its source, or what the system says. */
export function problemsOf(error: unknown): readonly BuildProblem[] {
  if (error instanceof BuildFailure) return error.problems
  if (error instanceof AppError) return [{ code: error.code, message: error.message }]
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = OF_THE_SYSTEM[code]
  return [known ?? { code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) }]
}
