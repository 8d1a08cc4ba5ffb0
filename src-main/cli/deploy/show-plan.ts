import type { DeployPlan, PlannedStep } from '../../contract/app.ts'
import { gitText } from '../../domain/app/git-text.ts'
import { type Colour, type Output, valueText } from '../output.ts'

const MARKS = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  unchanged: ['=', 'gray'],
  delete: ['-', 'red'],
} as const satisfies Record<PlannedStep['action'], readonly [mark: string, colour: Colour]>

const ACTION_WIDTH = Math.max(...Object.keys(MARKS).map((action) => action.length))

/** Prints what a deploy would do, as a diff. @param url address of the service that it goes to */
export function showPlan(output: Output, plan: DeployPlan, url: string): void {
  const { app, environment, makes, runsOn, git, activeGit, steps, warnings } = plan
  output.line()
  output.line(`Plan for ${output.paint('bold', `${app}/${environment}`)} on ${url}, in ${runsOn}:`)
  const names = { app: `app ${app}`, environment: `environment ${environment}` }
  if (makes.length > 0) output.line(`  makes ${makes.map((what) => names[what]).join(' and ')}`)
  if (git !== undefined) output.line(`  code: ${gitText(git)}`)
  if (activeGit !== undefined) output.line(output.paint('gray', `  active now: ${gitText(activeGit)}`))
  const width = Math.max(0, ...steps.map(({ resource }) => resource.length))
  for (const step of steps) output.line(stepLine(output, step, width))
  for (const warning of warnings) output.note(`warning: ${warning}`)
}

function stepLine(output: Output, { resource, action, changes }: PlannedStep, width: number): string {
  const [mark, colour] = MARKS[action]
  const what = `${mark} ${resource.padEnd(width)}  ${action.padEnd(ACTION_WIDTH)}`
  return `  ${output.paint(colour, what)}  ${changes.map(changeText).join(', ')}`.trimEnd()
}

function changeText({ setting, from, to }: PlannedStep['changes'][number]): string {
  return `${setting} ${sideText(from)} -> ${sideText(to)}`
}

const sideText = (value: unknown) => (value === undefined ? 'none' : valueText(value))
