import { type BuildProblem, buildProblem } from '../../../contract/build.ts'
import type { ScanDocument, ScannedEndpoint, ScannedRequirement } from '../../../contract/scan.ts'
import { isPackageName, normaliseName, parseRequirement } from './requirements.ts'

export type CollectedRequirements = {
  readonly wanted: readonly string[]
  readonly names: readonly string[]
  readonly options: readonly InstallerOption[]
  readonly excludes: readonly string[]
  readonly leftOut: readonly string[]
  readonly ofImage: readonly string[]
  readonly problems: readonly BuildProblem[]
}

/** `file` is where the option was found: its paths are relative to that file's folder. */
export type InstallerOption = { readonly name: string; readonly value?: string; readonly file: string }

// Only options that choose the index, by long name; `true`: takes a value.
const OPTIONS: Readonly<Record<string, boolean>> = {
  '--index-url': true,
  '--extra-index-url': true,
  '--find-links': true,
  '--trusted-host': true,
  '--no-index': false,
  '--pre': false,
}
const SHORT: Readonly<Record<string, string>> = { '-i': '--index-url', '-f': '--find-links' }
// Options on source packages, which are never built here, so without effect.
const WITHOUT_EFFECT = ['--prefer-binary', '--only-binary', '--no-binary', '--require-hashes', '--use-feature']

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
 * Adds imports of App workers. A pin on an older `runpod` stays and fails to install, clearer than a failing import.
 * Source: build of the public package runpod 2.0.
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
 * Packages of every base image, never in artifacts. `specified`: docs/spec/app-deploy.md, 5; `observed`: the public
 * tool, whose CPU images lack numpy.
 */
export const EXCLUSION_PROFILES = {
  specified: ['torch', 'torchvision', 'torchaudio', 'numpy', 'triton'],
  observed: ['torch', 'torchvision', 'torchaudio', 'triton'],
} as const satisfies Record<string, readonly string[]>

export type ExclusionProfile = keyof typeof EXCLUSION_PROFILES

/** The SDK, ours and the public one, which every artifact contains anyway. Normalised names. */
const BUILT_IN_PACKAGES: readonly string[] = ['runpod', 'runpod-flash', 'svc']

/** The package of Apps, which resources/python/svc_runtime reads, and the server for its apis. */
const SDK_2 = 'runpod>=2.0.0rc2'
const ROUTES = 'fastapi'

/** Python versions that an app can select. Source: docs/spec/app-deploy.md, 1. */
const PYTHON_VERSIONS: readonly string[] = ['3.10', '3.11', '3.12', '3.13']

// If nobody asks for a version and this machine's is not supported. Source: the public tool's default.
const OTHERWISE = '3.12'

/**
 * Uses the user's choice, the endpoints' common one, else the local version, so that native code also runs in process
 * previews.
 * @param local `X.Y` of the scanning python3
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
