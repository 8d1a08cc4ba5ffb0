/**
 * The loop of a preview: builds what the project holds, releases it beside what answers, and waits for the next save.
 * What changes meanwhile is taken together when that is over; a release that hangs is given up for it. Nothing ends the
 * loop but its signal: an error is reported, and the next save tries again.
 */
import type { ProjectChange } from '../../app-builder/watch-app.ts'
import type { ReleaseCreate, ReleaseProgress } from '../../contract/app.ts'
import { BuildFailure, type BuildProblem, type BuiltApp } from '../../contract/build.ts'
import { problemLine } from '../build-app.ts'
import { CliError } from '../cli-error.ts'
import { type BuiltCode, type ChangeQueue, type CodeFolders, concernedEndpoints } from './changed-code.ts'
import type { ReportPreview } from './show-preview.ts'

/** A release as the loop wants it: its code, and whose workers are waited for. */
export type WantedRelease = Pick<ReleaseCreate, 'source' | 'first'>

/** What the loop works with. */
export type LiveReloadParts = {
  readonly changes: ChangeQueue
  readonly folders: CodeFolders
  /** Builds the app into a folder that is not there yet. */
  readonly build: (folder: string, signal: AbortSignal) => Promise<BuiltApp>
  /** Brings the variables up to date. @returns their version */
  readonly updateVariables: () => Promise<number>
  readonly release: (wanted: WantedRelease, giveUp: AbortSignal, signal: AbortSignal) => Promise<ReleaseProgress>
  /** When each living worker was started, ms since the epoch. */
  readonly workerStarts: () => Promise<readonly number[]>
  readonly report: ReportPreview
  /** ms since the epoch. */
  readonly now: () => number
}

// How long a release may go on after the next save, in ms. Source: ours; most are ready within it, and one that loads a
// model, or hangs, would only delay the newer code.
const GIVE_UP_AFTER_MS = 1000

/**
 * Runs the loop until the signal is aborted.
 * @param onLive is called after each release, before it is reported
 * @throws CliError when the first release cannot even begin: its options are wrong, and no save mends that
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
      // Whatever was under way when the end came fails.
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

/** @returns undefined: nothing to release, for a reason that has been reported */
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

/** Gives a release up that is not ready in time for a newer save. */
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
  // Not the first one: its image may be on its way, which another release would begin again.
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
  // The variables, or the disk: no problem of the source, but mended by the same person.
  const code = error instanceof CliError ? error.code : 'UNEXPECTED'
  return [{ code, message: error instanceof Error ? error.message : String(error) }]
}

// What a preview does with a build. A release is made of new code, or of new variables with the code of before; a save
// that changes neither is passed over, unless an error is on the screen: then it says that all is as before.

/** What answers now: number of the release, fingerprint of its code, version of its variables. */
type Live = {
  readonly release: number
  readonly fingerprint: string
  readonly variables: number
  readonly code: BuiltCode
}

/** What a preview knows. */
type PreviewState = {
  readonly live: Live | undefined
  /** Whether the last try failed. */
  readonly hasFailed: boolean
  /** Relative paths that changed since what answers was built; undefined: not known. */
  readonly changed: readonly string[] | undefined
}

/** Before the first release. */
export const NOTHING_LIVE: PreviewState = { live: undefined, hasFailed: false, changed: undefined }

/** The state with a change that was noticed. @param files none: it is not known which */
export function withChange(state: PreviewState, files: readonly string[]): PreviewState {
  if (state.changed === undefined || files.length === 0) return { ...state, changed: undefined }
  return { ...state, changed: [...new Set([...state.changed, ...files])] }
}

/** What is to be done with a build. */
type NextStep = 'release code' | 'release variables' | 'say as before' | 'nothing'

/** Decides. @param built fingerprint of the code and version of the variables as they are now */
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
