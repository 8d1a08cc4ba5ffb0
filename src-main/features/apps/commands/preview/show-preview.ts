import { CliError } from '../../../../app/cli/cli-error.ts'
import { duration, type Output } from '../../../../app/cli/output.ts'
import { createStatusLine } from '../../../../app/cli/progress-line.ts'
import { followToEnd } from '../../../../app/cli/session.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { DeployedEndpoint, ReleaseStep } from '../../../../contract/app.ts'
import { logLine } from '../../../../contract/management.ts'
import type { PreviewEvent } from '../../../../contract/preview-events.ts'
import { counted, shellQuoted } from '../../../../lib/text.ts'
import { PYTHON_PACKAGES } from '../../../../shipped-files/root.ts'
import { problemLine } from '../build-app.ts'
import { keyFromFile, showDeployed } from '../deploy/show-release.ts'

type Event<Name extends PreviewEvent['event']> = Extract<PreviewEvent, { readonly event: Name }>

const FILES_NAMED = 3

export function showPreview(
  output: Output,
  surroundings: Pick<Surroundings, 'stdout' | 'stderr' | 'env'>,
): ReportPreview {
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
      if (shown !== endpoints && up !== undefined) showAddresses(output, event, up)
      shown = endpoints
    },
    'as before': ({ release }: Event<'as before'>) =>
      output.line(`${output.paint('green', '✓')} the source is back at release ${release}, which is live`),
    'build failed'({ problems, answers }: Event<'build failed'>) {
      for (const problem of problems) output.note(problemLine(problem))
      output.note(output.paint('red', `not built: ${counted(problems.length, 'problem')}. ${goesOn(answers)}`))
    },
    'release failed'({ release, why, answers }: Event<'release failed'>) {
      output.note(why)
      const what = release === undefined ? 'the release could not begin' : `release ${release} did not become ready`
      output.note(output.paint('red', `${what}. ${goesOn(answers)}`))
    },
    'given up': ({ release }: Event<'given up'>) =>
      output.note(`release ${release} was not ready yet and is cancelled for the newer save`),
    warning: ({ message }: Event<'warning'>) => output.note(`warning: ${message}`),
    log({ endpoint, line: { level, line } }: Event<'log'>) {
      output.line(`${output.paint('gray', `${endpoint} |`)} ${level === 'ERROR' ? output.paint('red', line) : line}`)
    },
    stopping: () => output.note('stopping ...'),
    ended: ({ left }: Event<'ended'>) =>
      output.line(
        left === undefined
          ? 'The preview has ended. Its workers, its queue and its code are removed.'
          : `The preview has ended. Its queue and its code are removed. ${left}`,
      ),
  }
  return (event) => {
    status('')
    output.result(event, () => (printers[event.event] as (given: PreviewEvent) => void)(event))
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

function showAddresses(
  output: Output,
  { endpoints, appFile }: Event<'live'>,
  { url, app, environment, data, keyFile }: Event<'up'>,
): void {
  const key = keyFromFile(keyFile)
  output.line()
  showDeployed(output, endpoints, key)
  if (appFile !== undefined) {
    // The package prefers this variable over the App's environment.
    const run = `FLASH_ENVIRONMENT=${environment} drydock platform run --data ${shellQuoted(data)}`
    output.line(`\nFor Python scripts that call its functions:\n  ${run} -- python ${shellQuoted(appFile)}\n`)
    return
  }
  const names = `SVC_BASE_URL=${url} SVC_APP=${shellQuoted(app)} SVC_ENV=${environment} SVC_API_KEY="${key}"`
  const packages = `PYTHONPATH=${shellQuoted(PYTHON_PACKAGES)}"\${PYTHONPATH:+:$PYTHONPATH}"`
  output.line(`\nFor Python scripts that call its functions:\n  export ${names} ${packages}\n`)
}

export type ReportPreview = (event: PreviewEvent) => void

// Every worker of the previous release says so at each save.
const LEAVING = /^(this worker will be replaced: )?finishing current jobs, then stopping$/
// Lines of the first workers from before the log was followed; source: ours, more than a start writes.
const FIRST_LINES = 200

export function followLogs(
  client: ServiceClient,
  report: ReportPreview,
  signal: AbortSignal,
): (endpoints: readonly DeployedEndpoint[]) => void {
  const followed = new Set<string>()

  async function follow({ id, resource }: DeployedEndpoint): Promise<void> {
    const lines = followToEnd(client, 'endpointLogs', (after) => ({
      path: { endpointId: id },
      query: { follow: 'true', ...(after === undefined ? { tail: FIRST_LINES } : { after }) },
      signal,
    }))
    try {
      for await (const { event, data } of lines) {
        if (event !== 'line') continue
        const line = logLine.parse(JSON.parse(data))
        if (!LEAVING.test(line.line)) report({ event: 'log', endpoint: resource, line })
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof CliError && error.body.code === 'ENDPOINT_NOT_FOUND') return
      report({ event: 'warning', message: `The output of ${resource} is no longer shown: ${(error as Error).message}` })
    } finally {
      followed.delete(id)
    }
  }

  return (endpoints) => {
    for (const endpoint of endpoints) {
      if (followed.has(endpoint.id)) continue
      followed.add(endpoint.id)
      void follow(endpoint)
    }
  }
}
