import { type Colour, exceptColours, type Output, valueText } from '../../../../app/cli/output.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { DeployedEndpoint, DeployPlan, PlannedStep, ReleaseStep } from '../../../../contract/app.ts'
import { counted, shellQuoted } from '../../../../lib/text.ts'
import { plainId } from '../../../endpoints/rules/ids.ts'
import { exampleRequest, firstRoute } from '../../rules/examples.ts'
import { gitText } from '../../rules/git-text.ts'

// More lines may scroll off the screen, where nothing can be redrawn; source: a terminal has at least 24.
const REDRAWN_AT_MOST = 20
const STATE_WIDTH = 'unchanged'.length
const CLEAR_LINE = '\x1b[2K'

/**
 * Shows each endpoint on one line, redrawn on a terminal, else printed on change. Shared notes print once, ignoring
 * changes of numbers.
 */
export function showReleaseSteps(output: Output, { stdout }: Pick<Surroundings, 'stdout'>) {
  const columns = !output.json && stdout.isTTY === true ? (stdout.columns ?? 0) : 0
  const shown = new Map<string, string>()
  const tellers = new Map<string, string>()
  let drawn = 0

  function print(steps: readonly ReleaseStep[], width: number): void {
    for (const step of steps) {
      const isStarting = step.state === 'starting'
      const note = isStarting ? step.note?.replace(/\d+/g, '0') : undefined
      const teller = note === undefined ? step.resource : (tellers.get(note) ?? step.resource)
      if (note !== undefined) tellers.set(note, teller)
      const line = stepLine(output, teller === step.resource ? step : { ...step, note: undefined }, { width })
      const key = isStarting ? line.replace(/\d+/g, '0') : line
      if (shown.get(step.resource) === key) continue
      shown.set(step.resource, key)
      output.line(line)
    }
  }

  function redraw(steps: readonly ReleaseStep[], width: number): void {
    const lines = steps.map((step) => stepLine(output, step, { width, columns }))
    const up = drawn === 0 ? '' : `\x1b[${drawn}A`
    stdout.write(up + lines.map((line) => `${CLEAR_LINE}${exceptColours(line)}\n`).join(''))
    drawn = lines.length
  }

  return {
    report(steps: readonly ReleaseStep[]) {
      if (output.json || steps.length === 0) return
      const width = Math.max(...steps.map(({ resource }) => resource.length))
      if (columns > 0 && steps.length <= REDRAWN_AT_MOST) redraw(steps, width)
      else print(steps, width)
    },
    /** Later output stands below the drawn steps, and later steps below that. */
    leave() {
      drawn = 0
    },
  }
}

type StepStyle = { readonly mark: string; readonly colour: Colour; readonly text: string }

function stepLine(
  output: Output,
  step: ReleaseStep,
  { width, columns = Number.POSITIVE_INFINITY }: { readonly width: number; readonly columns?: number },
): string {
  const { mark, colour, text } = styleOf(step)
  const head = ` ${step.resource.padEnd(width)}  ${text.padEnd(STATE_WIDTH)}`
  const [note = ''] = (step.note ?? '').split('\n', 1)
  // Only a line that does not wrap can be redrawn.
  const rest = `${head}  ${note}`.trimEnd().slice(0, columns - 1 - mark.length)
  return `${output.paint(colour, mark)}${rest}`
}

function styleOf({ action, state, note }: ReleaseStep): StepStyle {
  if (state === 'failed') return { mark: '✗', colour: 'red', text: 'failed' }
  if (state === 'waiting' || state === 'starting') return { mark: '·', colour: 'gray', text: state }
  if (action === 'unchanged') return { mark: '=', colour: 'gray', text: 'unchanged' }
  if (action === 'delete') return { mark: '-', colour: 'red', text: note === undefined ? 'deleted' : 'kept' }
  return { mark: '✓', colour: 'green', text: 'ready' }
}

const MARKS = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  unchanged: ['=', 'gray'],
  delete: ['-', 'red'],
} as const satisfies Record<PlannedStep['action'], readonly [mark: string, colour: Colour]>

const ACTION_WIDTH = Math.max(...Object.keys(MARKS).map((action) => action.length))

/**
 * Prints a deploy as a diff.
 * @param plan for a target, what runs the workers is unknown
 * @param url address of the receiving service
 */
export function showPlan(
  output: Output,
  plan: Omit<DeployPlan, 'runsOn'> & Partial<Pick<DeployPlan, 'runsOn'>>,
  url: string,
): void {
  const { app, environment, makes, runsOn, machine, git, activeGit, steps, source, tasks = [], warnings } = plan
  const how = runsOn === undefined ? '' : `, in ${runsOn}${machine === undefined ? '' : ` on ${machine}`}`
  output.line()
  output.line(`Plan for ${output.paint('bold', `${app}/${environment}`)} on ${url}${how}:`)
  const names = { app: `app ${app}`, environment: `environment ${environment}` }
  if (makes.length > 0) output.line(`  creates ${makes.map((what) => names[what]).join(' and ')}`)
  if (git !== undefined) output.line(`  code: ${gitText(git)}`)
  if (activeGit !== undefined) output.line(output.paint('gray', `  active now: ${gitText(activeGit)}`))
  const width = Math.max(0, ...[...steps.map(({ resource }) => resource), ...tasks].map(({ length }) => length))
  for (const step of steps) output.line(planLine(output, step, width))
  const text = `${'task'.padEnd(ACTION_WIDTH)}  each call runs on a worker of its own`
  for (const task of tasks) output.line(`  ${output.paint('gray', `· ${task.padEnd(width)}  ${text}`)}`)
  showSource(output, source)
  for (const warning of warnings) output.note(`warning: ${warning}`)
}

const SOURCE_MARKS = { added: MARKS.create, changed: MARKS.update, removed: MARKS.delete } as const

function showSource(output: Output, source: DeployPlan['source']): void {
  if (source === undefined) return
  const { files, more } = source
  output.line(files.length === 0 ? '  no source files changed' : '  source:')
  for (const { path, change } of files) {
    const [mark, colour] = SOURCE_MARKS[change]
    output.line(`  ${output.paint(colour, `${mark} ${path}`)}`)
  }
  if (more > 0) output.line(`  and ${counted(more, 'file')} more`)
}

function planLine(output: Output, { resource, action, changes }: PlannedStep, width: number): string {
  const [mark, colour] = MARKS[action]
  const what = `${mark} ${resource.padEnd(width)}  ${action.padEnd(ACTION_WIDTH)}`
  return `  ${output.paint(colour, what)}  ${changes.map(changeText).join(', ')}`.trimEnd()
}

function changeText({ setting, from, to }: PlannedStep['changes'][number]): string {
  return `${setting} ${sideText(from)} -> ${sideText(to)}`
}

const sideText = (value: unknown) => (value === undefined ? 'none' : valueText(value))

export function showDeployed(
  output: Output,
  endpoints: readonly DeployedEndpoint[],
  /** Shell code that yields the key, see `keyFromFile`; the key itself is never printed. */
  key: string,
): void {
  const width = Math.max(0, ...endpoints.map(({ resource }) => resource.length))
  const show = (title: string, shown: readonly DeployedEndpoint[]) => {
    if (shown.length === 0) return
    output.line(output.paint('bold', title))
    for (const { resource, url, hostUrl, routes } of shown) {
      output.line(`  ${resource.padEnd(width)}  ${url}`)
      const more = [hostUrl === undefined ? '' : `or ${hostUrl}`, routes.join(', ')].filter((text) => text !== '')
      for (const text of more) output.line(`  ${' '.repeat(width)}  ${output.paint('gray', text)}`)
    }
  }
  show(
    'load-balanced',
    endpoints.filter(({ loadBalanced }) => loadBalanced),
  )
  show(
    'queue-based',
    endpoints.filter(({ loadBalanced }) => !loadBalanced),
  )
  const renamed = endpoints.find(({ id, resource }) => id.startsWith(`${plainId(resource)}-`))
  if (renamed !== undefined) {
    const text = `${renamed.id} has a suffix because another endpoint had the id ${plainId(renamed.resource)} already.`
    output.line(`\n${output.paint('gray', text)}`)
  }
  const request = sampleRequest(endpoints, key)
  if (request !== undefined) output.line(`\nTry:\n  ${request}`)
}

export function keyFromFile(path: string): string {
  return `$(cat ${shellQuoted(path)})`
}

/** Builds a request to paste from the signature, preferring a read-only route. */
function sampleRequest(endpoints: readonly DeployedEndpoint[], key: string): string | undefined {
  const header = `-H "Authorization: Bearer ${key}"`
  const json = `-H 'Content-Type: application/json'`
  const first = firstRoute(endpoints.flatMap(({ routes }) => routes))
  const owner = endpoints.find(({ routes }) => routes.some((route) => route === first))
  if (first !== undefined && owner !== undefined) {
    const { method, path, body = {} } = exampleRequest(first, owner)
    const url = shellQuoted(`${owner.url}${path}`)
    if (method === 'GET') return `curl ${header} ${url}`
    return `curl -X ${method} ${header} ${json} -d ${asBody(body)} ${url}`
  }
  const queue = endpoints.find(({ loadBalanced }) => !loadBalanced)
  if (queue === undefined) return undefined
  const input = queue.examples?.[queue.functions[0] ?? ''] ?? {}
  return `curl ${header} ${json} -d ${asBody({ input })} ${shellQuoted(`${queue.url}/runsync`)}`
}

const asBody = (value: object) => shellQuoted(spaced(value))

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}: ${spaced(each)}`)
    .join(', ')}}`
}
