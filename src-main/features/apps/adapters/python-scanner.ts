import { BuildFailure, buildProblem } from '../../../contract/build.ts'
import { type ScanDocument, scanDocument } from '../../../contract/scan.ts'
import { runProgram } from '../../../lib/node/run-program.ts'
import type { ScanProject } from '../ports/build.ts'

export type Python = {
  readonly packages: string
  readonly env: Readonly<Record<string, string | undefined>>
}

// Hundreds of times the duration for 2,000 files; source: ours, for a sleeping disk or slow share.
const SCAN_LIMIT_MS = 120_000
const VERSION_LIMIT_MS = 10_000
const PROGRAM = 'python3'

/** Reads a project's source with `python3 -m svc_build scan`, which never imports user code. */
export function createPythonScanner({ packages, env }: Python): ScanProject {
  return async ({ project, handlersFolder, allowLinksTo = [], signal }) => {
    const handlers = handlersFolder === undefined ? [] : ['--handlers', handlersFolder]
    const links = allowLinksTo.flatMap((folder) => ['--allow-links-to', folder])
    const end = await runProgram({
      command: PROGRAM,
      // Without packages in the user's home, which could replace Python's own.
      args: ['-s', '-m', 'svc_build', 'scan', project, ...handlers, ...links],
      // Not the project, whose files would shadow Python's own.
      cwd: packages,
      env: { ...env, PYTHONPATH: packages, PYTHONUTF8: '1' },
      limitMs: SCAN_LIMIT_MS,
      signal,
    })
    if (end.kind === 'missing') throw new BuildFailure([buildProblem('PYTHON_MISSING')])
    if (end.kind === 'late') throw failed(`it took longer than ${SCAN_LIMIT_MS / 1000} s.`)
    if (end.exitCode !== 0) throw failed(end.stderr.trim() || `python3 ended with exit code ${end.exitCode}.`)
    return readDocument(end.stdout)
  }
}

/** `X.Y` of python3; undefined: missing or unknown. Never rejects: the scan reports what is missing. */
export async function localPython(env: Python['env'], signal?: AbortSignal): Promise<string | undefined> {
  const args = ['-S', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])']
  const end = await runProgram({ command: PROGRAM, args, env, limitMs: VERSION_LIMIT_MS, signal }).catch(
    () => undefined,
  )
  return end?.kind === 'ended' && end.exitCode === 0 ? end.stdout.trim() : undefined
}

function readDocument(text: string): ScanDocument {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw failed('the scanner printed no JSON. Please report it.', error)
  }
  const read = scanDocument.safeParse(document)
  if (read.success) return read.data
  const [first] = read.error.issues
  throw failed(`the scanner's document is wrong at ${first?.path.join('.')}: ${first?.message}. Please report it.`)
}

function failed(why: string, cause?: unknown): BuildFailure {
  return new BuildFailure([buildProblem('SCAN_FAILED', { why })], { cause })
}
