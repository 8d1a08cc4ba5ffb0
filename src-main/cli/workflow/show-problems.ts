import type { Problem } from '../../domain/workflow/problem.ts'
import { CliError } from '../cli-error.ts'
import type { Output } from '../output.ts'
import { plainWords } from '../plain-words.ts'

/** Prints problems, the errors first. */
export function showProblems(output: Output, problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const sorted = [...errorsOf(problems), ...problems.filter(({ severity }) => severity === 'warning')]
  output.table(
    ['', 'CODE', 'NODE', 'INPUT', 'WHAT TO DO'],
    sorted.map(({ severity, code, node = '', input = '', message }) =>
      [output.paint(severity === 'error' ? 'red' : 'yellow', severity), code, node, input, message].map(
        (cell, column) => (column < 2 ? cell : plainWords(cell)),
      ),
    ),
  )
}

/** Prints problems beside the output, a line each. */
export function noteProblems(output: Output, problems: readonly Problem[]): void {
  for (const { severity, code, message } of problems) output.note(plainWords(`${severity} ${code}: ${message}`))
}

/** Ends the command where a graph is wrong. @throws CliError WORKFLOW_INVALID */
export function refuseErrors(file: string, problems: readonly Problem[]): void {
  const errors = errorsOf(problems)
  const [first] = errors
  if (first === undefined) return
  const more = errors.length === 1 ? '' : ` There are ${errors.length} errors in all.`
  throw new CliError('WORKFLOW_INVALID', { file, why: `${first.message}${more}` })
}

function errorsOf(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ severity }) => severity === 'error')
}
