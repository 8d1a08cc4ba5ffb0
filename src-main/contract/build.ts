import { filled } from '../lib/text.ts'
/** Events of a build: its steps, problems and result. Source: docs/spec/app-deploy.md, 5. */

export const BUILD_STEPS = ['scan', 'handlers', 'requirements', 'install', 'manifest', 'pack'] as const

export type BuildStep = (typeof BUILD_STEPS)[number]

export type BuildProblem = {
  readonly code: string
  readonly message: string
  readonly file?: string | undefined
  readonly line?: number | undefined
}

/** Problems that begin after discovery: message with `{name}` placeholders. */
export const BUILD_ERRORS = {
  PYTHON_MISSING: 'python3 was not found. Install Python 3.10 or newer, or put it on the PATH.',
  SCAN_FAILED: 'The source could not be read: {why}',
  APP_NAME_DIFFERS:
    'App("{inSource}") is deployed as "{app}", the name of its folder. Its functions find each other, but scripts call "{inSource}": write App("{app}"), or deploy it with SVC_APP={inSource}.',
  // The wording of the package runpod 2.0.0rc2, which checks names when it deploys.
  NAME_TOO_SHORT: "resource name '{name}' is too short to deploy; queue and api names must be at least 3 characters",
  HANDLER_MISSING: 'The handler file of endpoint "{name}" was not written. Please report it.',
  REQUIREMENT_INVALID: '"{text}" is not a valid requirement: {why}.',
  OPTION_UNKNOWN: 'The option "{text}" cannot be used in a build: {why}.',
  EXCLUDE_INVALID:
    '--exclude {text}: that is not the name of a package. Give names separated by commas, like --exclude torch,scipy.',
  PYTHON_UNSUPPORTED: 'Python {version} is not one of {supported}. Choose one with --python.',
  PYTHON_CONFLICT:
    'An app has one Python version, but its endpoints ask for several: {asked}. Give them the same, or choose one with --python.',
  INSTALLER_MISSING:
    'The app needs packages ({packages}), but neither uv nor pip was found. Install uv (https://docs.astral.sh/uv), or pip with `python3 -m ensurepip`.',
  INSTALL_FAILED: 'The packages could not be installed with {installer} (exit code {exitCode}):\n{why}',
  INSTALL_STUCK:
    '{installer} made no progress for {seconds} s{where}. Nothing was changed. Check the network and try again.{offer}',
  OTHER_PYTHON:
    'The packages for Python {version} were chosen by pip of Python {python}, which evaluates conditions like python_version for its own version. Install uv, or pip for Python {version}.',
  ARCHIVE_TOO_LARGE: '{why}',
  FILE_CHANGED: 'The file changed while it was packed. Run the build again.',
  FILE_UNREADABLE: 'The file cannot be read: {why}',
} as const satisfies Record<string, string>

export type BuildErrorCode = keyof typeof BUILD_ERRORS

/** @param at location in the project, if about a file or line */
export function buildProblem(
  code: BuildErrorCode,
  data: Readonly<Record<string, string | number>> = {},
  at: { readonly file?: string; readonly line?: number } = {},
): BuildProblem {
  const message = filled(BUILD_ERRORS[code], data)
  return { code, message, ...at }
}

/** Ends a build with all its problems at once, so that a user can fix them together. */
export class BuildFailure extends Error {
  readonly problems: readonly BuildProblem[]

  constructor(problems: readonly BuildProblem[], options?: ErrorOptions) {
    super(problems.map(({ message }) => message).join('\n'), options)
    this.name = 'BuildFailure'
    this.problems = problems
  }
}

export type BuildEvent =
  | { readonly kind: 'started'; readonly step: BuildStep }
  | { readonly kind: 'progress'; readonly step: BuildStep; readonly text: string }
  | { readonly kind: 'ended'; readonly step: BuildStep; readonly tookMs: number; readonly summary: string }

export type InstalledPackage = { readonly name: string; readonly version: string; readonly bytes: number }

export type BuiltApp = {
  readonly app: string
  /** Absolute paths; the artifact is an archive, or a folder with the same files. */
  readonly artifact: string
  readonly manifest: string
  readonly files: number
  readonly fingerprint: string
  readonly pythonVersion: string
  /** `code`: SHA-256 of settings and loadable files; undefined if those are unknown. */
  readonly endpoints: readonly { readonly name: string; readonly kind: string; readonly code?: string }[]
  readonly tasks: readonly string[]
  /** SDK 2.0: file that declares the App, relative to the project. */
  readonly appFile?: string | undefined
  readonly packages: readonly InstalledPackage[]
  readonly packagesCached: boolean
  /** Names that were left out, because a base image has them or the user asked for it. */
  readonly excluded: readonly string[]
  readonly warnings: readonly BuildProblem[]
  readonly steps: readonly { readonly step: BuildStep; readonly tookMs: number }[]
  readonly tookMs: number
}

export type BuildResult = BuiltApp & {
  readonly bytes: number
  readonly sha256: string
}
