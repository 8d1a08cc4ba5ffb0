/** What an app is built with: what is installed for it, what is left out, and its version of Python. */
import { type BuildProblem, buildProblem } from '../../contract/build.ts'
import type { ScanDocument, ScannedEndpoint, ScannedRequirement } from '../../contract/scan.ts'
import { isPackageName, normaliseName, parseRequirement } from './requirements.ts'

/** What is to be installed for an app. */
export type CollectedRequirements = {
  /** Requirement strings, each once, sorted. */
  readonly wanted: readonly string[]
  /** Normalised names of the wanted ones. */
  readonly names: readonly string[]
  /** Lines for the installer, like `--index-url URL`, in the order of the files. */
  readonly options: readonly InstallerOption[]
  /** Normalised names that are left out, also when another package brings them. */
  readonly excludes: readonly string[]
  /** Those of them that the app itself asked for. */
  readonly leftOut: readonly string[]
  /** What it asked for of them: requirement strings, each once, sorted. The image of its workers needs them. */
  readonly ofImage: readonly string[]
  readonly problems: readonly BuildProblem[]
}

/** An option of the installer. `file`: where it stands, as its paths are relative to that file's folder. */
export type InstallerOption = { readonly name: string; readonly value?: string; readonly file: string }

// Which index is asked, and nothing that changes what is built; `true`: takes a value. Short forms by their long ones.
const OPTIONS: Readonly<Record<string, boolean>> = {
  '--index-url': true,
  '--extra-index-url': true,
  '--find-links': true,
  '--trusted-host': true,
  '--no-index': false,
  '--pre': false,
}
const SHORT: Readonly<Record<string, string>> = { '-i': '--index-url', '-f': '--find-links' }
// Wishes about source packages, which are never built here anyway.
const WITHOUT_EFFECT = ['--prefer-binary', '--only-binary', '--no-binary', '--require-hashes', '--use-feature']

/**
 * Joins requirements.txt and every endpoint's `dependencies`, without what is left out and what is built in.
 * @param excludes names as the user gives them, beside those of the profile
 */
export function collectRequirements({
  scan,
  excludes = [],
  profile = 'specified',
}: {
  readonly scan: Pick<ScanDocument, 'endpoints' | 'requirements'>
  readonly excludes?: readonly string[]
  readonly profile?: ExclusionProfile
}): CollectedRequirements {
  const problems: BuildProblem[] = []
  for (const text of excludes.filter((name) => !isPackageName(name)))
    problems.push(buildProblem('EXCLUDE_INVALID', { text }))
  const left = new Set([...EXCLUSION_PROFILES[profile], ...excludes.map(normaliseName)])
  const wanted = new Map<string, string>()
  const ofImage = new Map<string, string>()
  const options: InstallerOption[] = []
  // The package of Apps is none of ours.
  const isBuiltIn = (name: string) =>
    BUILT_IN_PACKAGES.includes(name) && !(name === 'runpod' && scan.endpoints.some(({ sdk }) => sdk === 2))
  for (const found of linesOf(scan)) {
    const { text, file, line } = found
    if (found.isOption) {
      const option = readOption(found)
      if ('name' in option) options.push({ ...option, file })
      else if (option.why !== undefined)
        problems.push(buildProblem('OPTION_UNKNOWN', { text, why: option.why }, { file, line }))
      continue
    }
    const read = parseRequirement(text)
    if ('why' in read) problems.push(buildProblem('REQUIREMENT_INVALID', { text, why: read.why }, { file, line }))
    else if (left.has(read.name)) ofImage.set(read.text, read.name)
    else if (!isBuiltIn(read.name)) wanted.set(read.text, read.name)
  }
  return {
    wanted: [...wanted.keys()].sort(),
    names: [...new Set(wanted.values())].sort(),
    options,
    excludes: [...left].sort(),
    leftOut: [...new Set(ofImage.values())].sort(),
    ofImage: [...ofImage.keys()].sort(),
    problems,
  }
}

function linesOf(scan: Pick<ScanDocument, 'endpoints' | 'requirements'>): readonly ScannedRequirement[] {
  const ofEndpoints = scan.endpoints
    .filter(({ kind }) => kind !== 'client' && kind !== 'image')
    .flatMap(({ settings, file, line }) =>
      (settings.dependencies ?? []).map((text) => ({ text, file, line, isOption: false })),
    )
  const all = [...scan.requirements, ...ofEndpoints]
  return [...all, ...requirementsOfSdk2(scan, all)]
}

/**
 * What workers of an App import beside its own packages. A wish for an older `runpod` stays and fails to install, which
 * says more than an App that does not import. Source: the public package runpod 2.0, its build.
 */
function requirementsOfSdk2(
  { endpoints }: Pick<ScanDocument, 'endpoints'>,
  wanted: readonly ScannedRequirement[],
): readonly ScannedRequirement[] {
  const ofApp = endpoints.filter(({ sdk }) => sdk === 2)
  const [first] = ofApp
  if (first === undefined) return []
  const isWanted = (name: string) => wanted.some(({ text }) => nameOf(text) === name)
  const needsRoutes = ofApp.some(({ kind }) => kind === 'load-balanced') && !isWanted(ROUTES)
  const { file, line } = first
  return [SDK_2, ...(needsRoutes ? [ROUTES] : [])].map((text) => ({ text, file, line, isOption: false }))
}

function nameOf(text: string): string | undefined {
  const read = parseRequirement(text)
  return 'why' in read ? undefined : read.name
}

/** The option of a line; `{}`: one that says nothing here. */
function readOption({ text }: ScannedRequirement): { name: string; value?: string } | { why?: string } {
  const [, given = '', value] = /^(--?[A-Za-z-]+)(?:[\s=]+(.+))?$/.exec(text) ?? []
  const name = SHORT[given] ?? given
  if (WITHOUT_EFFECT.includes(name)) return {}
  if (name === '-e' || name === '--editable') return { why: 'it is a path; put the code into the project itself' }
  const takesValue = OPTIONS[name]
  if (takesValue === undefined) return { why: `known are ${Object.keys(OPTIONS).join(', ')}` }
  if (takesValue !== (value !== undefined)) return { why: takesValue ? 'its value is missing' : 'it takes no value' }
  return value === undefined ? { name } : { name, value: value.trim() }
}

/**
 * Packages that every base image has, by profile: they are never put into an artifact. `specified` is what the
 * docs/spec/app-deploy.md, 5 says; `observed` is what the public tool does, whose images for CPUs have no numpy.
 */
export const EXCLUSION_PROFILES = {
  specified: ['torch', 'torchvision', 'torchaudio', 'numpy', 'triton'],
  observed: ['torch', 'torchvision', 'torchaudio', 'triton'],
} as const satisfies Record<string, readonly string[]>

/** Name of a profile. */
export type ExclusionProfile = keyof typeof EXCLUSION_PROFILES

/** The SDK itself, ours and the public one: an artifact brings it along in any case. Normalised names. */
const BUILT_IN_PACKAGES: readonly string[] = ['runpod', 'runpod-flash', 'svc']

/** The package of Apps, as resources/python/svc_runtime reads it, and what serves the routes of their apis. */
const SDK_2 = 'runpod>=2.0.0rc2'
const ROUTES = 'fastapi'

/** Python versions that an app can have. Source: docs/spec/app-deploy.md, 1. */
const PYTHON_VERSIONS: readonly string[] = ['3.10', '3.11', '3.12', '3.13']

// Where neither the user nor the app says one and this machine's is not supported; source: the public tool's default.
const OTHERWISE = '3.12'

/**
 * The Python version of an app: the user's word, else the one that its endpoints agree on, else that of this machine,
 * so that packages with native code also run where previews run without containers.
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
