import { BUILD_STEPS, type BuildEvent, type BuildProblem } from '../../../contract/build.ts'
import type { PreviewEvent } from '../../../contract/preview-events.ts'
import type { BuildView, PreviewView } from '../../../contract/projects.ts'
import { assertNever } from '../../../lib/assert-never.ts'
import { counted, keepEnds } from '../../../lib/text.ts'

export function buildBegun(startedAt: number): BuildView {
  const steps = BUILD_STEPS.map((step) => ({ step, state: 'waiting' as const }))
  return { state: 'running', startedAt, steps, problems: [], warnings: [] }
}

export function buildWith(view: BuildView, event: BuildEvent): BuildView {
  return { ...view, steps: view.steps.map((step) => (step.step === event.step ? stepWith(step, event) : step)) }
}

type Step = BuildView['steps'][number]

function stepWith(step: Step, event: BuildEvent): Step {
  switch (event.kind) {
    case 'started':
      return { step: step.step, state: 'running' }
    case 'progress':
      return { ...step, text: event.text }
    case 'ended':
      return { step: step.step, state: 'done', tookMs: event.tookMs, text: event.summary }
    default:
      return assertNever(event)
  }
}

export function buildStopped(
  view: BuildView,
  {
    state,
    endedAt,
    problems,
  }: {
    readonly state: 'failed' | 'cancelled'
    readonly endedAt: number
    readonly problems: readonly BuildProblem[]
  },
): BuildView {
  const left = state === 'failed' ? 'failed' : 'waiting'
  return {
    ...view,
    state,
    endedAt,
    problems: [...problems],
    steps: view.steps.map((step) => (step.state === 'running' ? { ...step, state: left } : step)),
  }
}

type Note = PreviewView['notes'][number]

// Newest notes that are kept. Source: the contract.
const NOTES = 500
// In characters: followers get all notes ten times a second, and the log has the whole line.
const NOTE_LENGTH = 2000

export function previewBegun(startedAt: number): PreviewView {
  return { state: 'starting', startedAt, steps: [], endpoints: [], problems: [], notes: [] }
}

export function previewWith(view: PreviewView, event: PreviewEvent, at: number): PreviewView {
  const note = (kind: Note['kind'], text: string, more: Partial<Note> = {}) =>
    noted(view, { at, kind, text, ...more }).notes
  switch (event.event) {
    case 'up':
      return { ...view, url: event.url, notes: note('info', `The service of the preview is running at ${event.url}.`) }
    case 'variables':
      return { ...view, notes: note('info', variablesText(event)) }
    case 'preparing':
      return { ...view, steps: [...event.steps] }
    case 'live': {
      const { release, runsOn, endpoints, tookMs, files } = event
      const text = view.release === undefined ? `Live: ${counted(endpoints.length, 'endpoint')}` : changeText(event)
      const warnings = event.warnings.filter((text) => !view.notes.some((reported) => reported.text === text))
      const live = { ...sound(view), release, runsOn, endpoints: [...endpoints], steps: [] }
      const reported = noted(
        { ...live, state: unlessStopping(view, 'live') },
        { at, kind: 'live', text, tookMs, files: [...files] },
      )
      return warnings.reduce((after, text) => noted(after, { at, kind: 'warning', text }), reported)
    }
    case 'as before': {
      const text = `The source is back at release ${event.release}, which is live.`
      return { ...sound(view), state: unlessStopping(view, 'live'), steps: [], notes: note('info', text) }
    }
    case 'build failed': {
      const problems = event.problems.map((problem) => ({ ...problem }))
      const why = `The latest save does not build. ${goesOn(event.answers)}`
      return { ...broken(view), problems, why, notes: note('error', why) }
    }
    case 'release failed': {
      const why = `The latest save does not start: ${ended(event.why)} ${goesOn(event.answers)}`
      return { ...broken(view), problems: [], why, notes: note('error', why) }
    }
    case 'given up': {
      const text = `Release ${event.release} was not ready yet and is cancelled for the newer save.`
      return { ...view, steps: [], notes: note('info', text) }
    }
    case 'warning':
      return { ...view, notes: note('warning', event.message) }
    case 'log':
      return { ...view, notes: note('log', event.line.line, { endpoint: event.endpoint }) }
    case 'stopping':
      return { ...view, state: 'stopping' }
    case 'ended':
      return view
    default:
      return assertNever(event)
  }
}

export function previewStopping(view: PreviewView): PreviewView {
  return { ...view, state: 'stopping' }
}

export function previewEnded(view: PreviewView, why: string | undefined, at: number): PreviewView {
  const { url: _url, release: _release, why: _why, ...rest } = view
  const over = { ...rest, state: 'ended' as const, steps: [], endpoints: [], problems: [] }
  if (why === undefined)
    return noted(over, {
      at,
      kind: 'info',
      text: 'The preview has ended. Its workers, its queue and its code are removed.',
    })
  return noted({ ...over, why }, { at, kind: 'error', text: why })
}

function noted(view: PreviewView, note: Note): PreviewView {
  return { ...view, notes: [...view.notes.slice(-(NOTES - 1)), { ...note, text: keepEnds(note.text, NOTE_LENGTH) }] }
}

function sound({ why: _why, ...view }: PreviewView): PreviewView {
  return { ...view, problems: [] }
}

function broken(view: PreviewView): PreviewView {
  return { ...view, state: unlessStopping(view, 'broken'), steps: [] }
}

// Work in progress still reports its end after a requested stop.
function unlessStopping({ state }: PreviewView, next: 'live' | 'broken'): PreviewView['state'] {
  return state === 'stopping' ? state : next
}

function changeText({ because, files, changed }: PreviewEvent & { readonly event: 'live' }): string {
  const what = because === 'variables' ? 'Variables' : files.length === 0 ? 'The source' : listed(files)
  return `${what} changed, ${counted(changed, 'endpoint')}`
}

function listed(files: readonly string[]): string {
  return files.length > 3 ? `${files.length} files` : files.join(', ')
}

function variablesText({ names, leftOut }: PreviewEvent & { readonly event: 'variables' }): string {
  const taken = names.length === 0 ? 'No variables from .env' : `Variables from .env: ${names.join(', ')}`
  return leftOut.length === 0 ? `${taken}.` : `${taken}. Not for workers, so left out: ${leftOut.join(', ')}.`
}

function goesOn(answers: number | undefined): string {
  return answers === undefined
    ? 'Fix it and save: the preview tries again.'
    : `Release ${answers} keeps answering; the next save tries again.`
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
