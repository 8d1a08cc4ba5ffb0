import { PYTHON_PACKAGES } from '../../app-builder/create-app-builder.ts'
import type { ReleaseStep } from '../../contract/app.ts'
import { placed } from '../build-app.ts'
import { keyFromFile, shellQuoted, showDeployed } from '../deploy/show-deployed.ts'
import { counted, duration } from '../format.ts'
import type { Output } from '../output.ts'
import { createStatusLine } from '../status-line.ts'
import type { Surroundings } from '../surroundings.ts'
import type { PreviewEvent, TellPreview } from './preview-event.ts'

type Event<Name extends PreviewEvent['event']> = Extract<PreviewEvent, { readonly event: Name }>

// Names of more files than these say nothing more; they are counted.
const FILES_NAMED = 3

/** Prints what a preview tells: for a person, or as one JSON document each. */
export function showPreview(output: Output, surroundings: Pick<Surroundings, 'stdout'>): TellPreview {
  const status = createStatusLine(output, surroundings)
  let up: Event<'up'> | undefined
  let shown = ''
  const warned = new Set<string>()
  const printers = {
    up(event: Event<'up'>) {
      up = event
      output.line(`Preview of ${output.paint('bold', event.app)} at ${event.url}. Ctrl+C ends it.`)
    },
    variables: ({ names, leftOut }: Event<'variables'>) => {
      const taken = names.length === 0 ? 'no variables' : `${counted(names.length, 'variable')}: ${names.join(', ')}`
      output.note(`from .env: ${taken}`)
      if (leftOut.length > 0) output.note(`not for workers, so left out: ${leftOut.join(', ')}`)
    },
    preparing: ({ release, steps }: Event<'preparing'>) => status(`release ${release}: ${howFar(steps)}`),
    live(event: Event<'live'>) {
      const endpoints = JSON.stringify(event.endpoints)
      const isFirst = shown === ''
      output.line(`${output.paint('green', '✓')} ${isFirst ? firstLine(event) : liveLine(event)}`)
      for (const warning of event.warnings) if (!warned.has(warning)) output.note(warning)
      for (const warning of event.warnings) warned.add(warning)
      if (shown !== endpoints && up !== undefined) showPlaces(output, event, up)
      shown = endpoints
    },
    'as before': ({ release }: Event<'as before'>) =>
      output.line(`${output.paint('green', '✓')} the source is again that of release ${release}, which answers`),
    'build failed'({ problems, answers }: Event<'build failed'>) {
      for (const problem of problems) output.note(placed(problem))
      output.note(output.paint('red', `not built: ${counted(problems.length, 'problem')}. ${goesOn(answers)}`))
    },
    'release failed'({ release, why, answers }: Event<'release failed'>) {
      output.note(why)
      const what = release === undefined ? 'the release could not begin' : `release ${release} did not get ready`
      output.note(output.paint('red', `${what}. ${goesOn(answers)}`))
    },
    'given up': ({ release }: Event<'given up'>) =>
      output.note(`release ${release} was not ready yet, and is given up for the newer save`),
    warning: ({ message }: Event<'warning'>) => output.note(`warning: ${message}`),
    log({ endpoint, line: { level, line } }: Event<'log'>) {
      output.line(`${output.paint('gray', `${endpoint} |`)} ${level === 'ERROR' ? output.paint('red', line) : line}`)
    },
    stopping: () => output.note('stopping ...'),
    ended: () => output.line('The preview has ended. Its workers, its queue and its code are removed.'),
  }
  return (event) => {
    status('')
    if (output.json) output.document(event)
    else (printers[event.event] as (given: PreviewEvent) => void)(event)
  }
}

function howFar(steps: readonly ReleaseStep[]): string {
  const ready = steps.filter(({ state }) => state === 'ready' || state === 'done').length
  const notes = steps.flatMap(({ resource, state, note }) =>
    state === 'starting' && note !== undefined ? [`; ${resource}: ${note}`] : [],
  )
  return `${ready} of ${counted(steps.length, 'endpoint')} ready${notes[0] ?? ''}`
}

function firstLine({ tookMs, runsOn, endpoints }: Event<'live'>): string {
  const on = runsOn === 'containers' ? 'in containers' : 'as processes of this machine'
  return `live after ${duration(tookMs)}: ${counted(endpoints.length, 'endpoint')} ${on}`
}

function liveLine({ tookMs, files, because, changed }: Event<'live'>): string {
  const what =
    because === 'variables'
      ? 'variables'
      : files.length > FILES_NAMED
        ? counted(files.length, 'file')
        : files.join(', ')
  return `live in ${duration(tookMs)}: ${what || 'the source'} changed, ${counted(changed, 'endpoint')}`
}

function goesOn(answers: number | undefined): string {
  return answers === undefined
    ? 'The next save tries again.'
    : `Release ${answers} keeps answering; the next save tries again.`
}

function showPlaces(
  output: Output,
  { endpoints }: Event<'live'>,
  { url, app, environment, keyFile }: Event<'up'>,
): void {
  const key = keyFromFile(keyFile)
  output.line()
  showDeployed(output, endpoints, key)
  const names = `SVC_BASE_URL=${url} SVC_APP=${shellQuoted(app)} SVC_ENV=${environment} SVC_API_KEY="${key}"`
  // Where `svc` is; what was on the path stays there.
  const packages = `PYTHONPATH=${shellQuoted(PYTHON_PACKAGES)}"\${PYTHONPATH:+:$PYTHONPATH}"`
  output.line(`\nFor Python scripts that call its functions:\n  export ${names} ${packages}\n`)
}
