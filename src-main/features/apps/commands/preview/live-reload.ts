/**
 * Builds, releases and waits for the next save; changes meanwhile are batched. Only the signal ends it: errors are
 * reported, and the next save retries.
 */
import type { ProjectChange } from '../../../../app/app-builder/watch-app.ts'
import { CliError } from '../../../../app/cli/cli-error.ts'
import type { ReleaseCreate, ReleaseProgress } from '../../../../contract/app.ts'
import { BuildFailure, type BuildProblem, type BuiltApp } from '../../../../contract/build.ts'
import { problemLine } from '../build-app.ts'
import { type BuiltCode, type ChangeQueue, type CodeFolders, concernedEndpoints } from './changed-code.ts'
import type { ReportPreview } from './show-preview.ts'

export type WantedRelease = Pick<ReleaseCreate, 'source' | 'first'>

export type LiveReloadParts = {
  readonly changes: ChangeQueue
  readonly folders: CodeFolders
  readonly build: (folder: string, signal: AbortSignal) => Promise<BuiltApp>
  readonly updateVariables: () => Promise<number>
  readonly release: (wanted: WantedRelease, giveUp: AbortSignal, signal: AbortSignal) => Promise<ReleaseProgress>
  readonly workerStarts: () => Promise<readonly number[]>
  readonly report: ReportPreview
  readonly now: () => number
}

// ms that a release may continue after the next save. Source: ours; most are ready by then, others would delay newer
// code.
const GIVE_UP_AFTER_MS = 1000

/**
 * @param onLive called after each release, before its report
 * @throws CliError if the first release has wrong options, which no save can fix
 */
export async function liveReload(
  parts: LiveReloadParts,
  onLive: (progress: ReleaseProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  let state = NOTHING_LIVE
  let change: ProjectChange | undefined = { files: [], at: parts.now() }
  while (change !== undefined && !signal.aborted) {
    try {
      state = await takeOver({ ...parts, onLive }, withChange(state, change.files), change, signal)
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    change = await parts.changes.next(signal)
  }
}

type Parts = LiveReloadParts & { readonly onLive: (progress: ReleaseProgress) => void }
type Built = { readonly fingerprint: string; readonly variables: number; readonly code: BuiltCode }

async function takeOver(
  parts: Parts,
  state: PreviewState,
  change: ProjectChange,
  signal: AbortSignal,
): Promise<PreviewState> {
  const { folders, report } = parts
  const folder = folders.next()
  const built = await build(parts, state, folder, signal)
  if (built === undefined) return { ...state, hasFailed: true }
  switch (nextStep(state, built)) {
    case 'release code': {
      const from = parts.now()
      const first = state.live && concernedEndpoints(state.live.code, built.code, state.changed)
      const next = await release(parts, { state, built, change, wanted: { source: { folder }, first } }, signal)
      if (next.hasFailed) await folders.drop(folder)
      else folders.live(folder, from, parts.now())
      await folders.tidy(await parts.workerStarts())
      return next
    }
    case 'release variables':
      await folders.drop(folder)
      return release(parts, { state, built, change, wanted: { source: { active: true } } }, signal)
    case 'say as before':
      await folders.drop(folder)
      if (state.live !== undefined) report({ event: 'as before', release: state.live.release })
      return { ...state, hasFailed: false, changed: [] }
    case 'nothing':
      await folders.drop(folder)
      return { ...state, changed: [] }
  }
}

async function build(
  parts: Parts,
  state: PreviewState,
  folder: string,
  signal: AbortSignal,
): Promise<Built | undefined> {
  const { folders, report } = parts
  try {
    const variables = await parts.updateVariables()
    const { fingerprint, warnings, ...code } = await parts.build(folder, signal)
    if (state.live === undefined)
      for (const warning of warnings) report({ event: 'warning', message: problemLine(warning) })
    return { fingerprint, variables, code }
  } catch (error) {
    signal.throwIfAborted()
    await folders.drop(folder)
    report({ event: 'build failed', problems: problemsOf(error), ...answers(state) })
    return undefined
  }
}

async function release(
  parts: Parts,
  {
    state,
    built,
    change,
    wanted,
  }: {
    readonly state: PreviewState
    readonly built: Built
    readonly change: ProjectChange
    readonly wanted: WantedRelease
  },
  signal: AbortSignal,
): Promise<PreviewState> {
  const { report } = parts
  const failed = { ...state, hasFailed: true }
  const outcome = await releaseUnlessHanging(parts, state, wanted, signal)
  signal.throwIfAborted()
  if ('refused' in outcome) {
    report({ event: 'release failed', why: outcome.refused, ...answers(state) })
    return failed
  }
  const { progress, isGivenUp } = outcome
  const { number, state: became, runsOn, reason = 'it did not become active' } = progress.release
  if (became !== 'active') {
    if (isGivenUp) report({ event: 'given up', release: number })
    else report({ event: 'release failed', release: number, why: reason, ...answers(state) })
    return failed
  }
  parts.onLive(progress)
  report({
    event: 'live',
    release: number,
    tookMs: parts.now() - change.at,
    files: change.files,
    because: 'folder' in wanted.source ? 'code' : 'variables',
    runsOn,
    warnings: progress.warnings,
    endpoints: progress.endpoints,
    changed: wanted.first?.length ?? progress.steps.filter(({ action }) => action !== 'unchanged').length,
    ...(built.code.appFile === undefined ? {} : { appFile: built.code.appFile }),
  })
  return { live: { release: number, ...built }, hasFailed: false, changed: [] }
}

async function releaseUnlessHanging(
  { changes, release: begin }: Parts,
  { live }: PreviewState,
  wanted: WantedRelease,
  signal: AbortSignal,
): Promise<{ readonly progress: ReleaseProgress; readonly isGivenUp: boolean } | { readonly refused: string }> {
  const giveUp = new AbortController()
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  let timer: NodeJS.Timeout | undefined
  // Not the first one: its image may be downloading, and another release would start that again.
  if (live !== undefined) {
    void changes.whenWaiting(either).then(() => {
      if (!either.aborted) timer = setTimeout(() => giveUp.abort(), GIVE_UP_AFTER_MS)
    })
  }
  try {
    const progress = await begin(wanted, giveUp.signal, signal)
    return { progress, isGivenUp: giveUp.signal.aborted }
  } catch (error) {
    if (live === undefined || signal.aborted || !(error instanceof CliError)) throw error
    return { refused: error.message }
  } finally {
    over.abort()
    clearTimeout(timer)
  }
}

function answers({ live }: PreviewState): { readonly answers?: number } {
  return live === undefined ? {} : { answers: live.release }
}

function problemsOf(error: unknown): readonly BuildProblem[] {
  if (error instanceof BuildFailure) return error.problems
  const code = error instanceof CliError ? error.code : 'UNEXPECTED'
  return [{ code, message: error instanceof Error ? error.message : String(error) }]
}

// Releases new code, or new variables with the old code. An unchanged save is skipped unless an error is shown.

type Live = {
  readonly release: number
  readonly fingerprint: string
  readonly variables: number
  readonly code: BuiltCode
}

type PreviewState = {
  readonly live: Live | undefined
  readonly hasFailed: boolean
  /** Relative paths that changed since the active build; undefined: unknown. */
  readonly changed: readonly string[] | undefined
}

export const NOTHING_LIVE: PreviewState = { live: undefined, hasFailed: false, changed: undefined }

export function withChange(state: PreviewState, files: readonly string[]): PreviewState {
  if (state.changed === undefined || files.length === 0) return { ...state, changed: undefined }
  return { ...state, changed: [...new Set([...state.changed, ...files])] }
}

type NextStep = 'release code' | 'release variables' | 'say as before' | 'nothing'

export function nextStep(
  {
    live,
    hasFailed,
  }: { readonly live: Pick<Live, 'fingerprint' | 'variables'> | undefined; readonly hasFailed: boolean },
  built: { readonly fingerprint: string; readonly variables: number },
): NextStep {
  if (live === undefined || live.fingerprint !== built.fingerprint) return 'release code'
  if (live.variables !== built.variables) return 'release variables'
  return hasFailed ? 'say as before' : 'nothing'
}
