import { type BuildProblem, buildProblem } from '../../contract/build.ts'
import type { ScannedEndpoint } from '../../contract/scan.ts'

/** Python versions that an app can have. Source: app-deploy, the Python package. */
const PYTHON_VERSIONS: readonly string[] = ['3.10', '3.11', '3.12', '3.13']

// Where neither the user nor the app says one and this machine's is not supported; source: the public tool's default.
const OTHERWISE = '3.12'

/**
 * The Python version of an app: the user's word, else the one that its endpoints agree on, else that of this machine, so
 * that packages with native code also run where previews run without containers.
 * @param local `X.Y` of the python3 that reads the source
 */
export function choosePythonVersion({
  asked,
  endpoints,
  local,
}: {
  readonly asked?: string | undefined
  readonly endpoints: readonly Pick<ScannedEndpoint, 'name' | 'settings' | 'file' | 'line'>[]
  readonly local?: string | undefined
}): { readonly version: string } | { readonly problem: BuildProblem } {
  const declared = endpoints.filter(({ settings }) => settings.python_version !== undefined)
  const versions = [...new Set(declared.map(({ settings }) => settings.python_version ?? ''))]
  if (asked === undefined && versions.length > 1) {
    const named = declared.map(({ name, settings }) => `"${name}" for ${settings.python_version}`).join(', ')
    const [first] = declared
    const at = first === undefined ? {} : { file: first.file, line: first.line }
    return { problem: buildProblem('PYTHON_CONFLICT', { asked: named }, at) }
  }
  const chosen = asked ?? versions[0]
  if (chosen === undefined)
    return { version: local !== undefined && PYTHON_VERSIONS.includes(local) ? local : OTHERWISE }
  if (PYTHON_VERSIONS.includes(chosen)) return { version: chosen }
  return { problem: buildProblem('PYTHON_UNSUPPORTED', { version: chosen, supported: PYTHON_VERSIONS.join(', ') }) }
}
