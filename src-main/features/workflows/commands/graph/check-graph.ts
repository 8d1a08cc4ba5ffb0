import { CliError } from '../../../../app/cli/cli-error.ts'
import type { Output } from '../../../../app/cli/output.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { Problem } from '../../rules/problem.ts'
import { type CheckedPayload, indexOfService, namePackages } from './graph-facts.ts'
import type { GraphFile } from './read-graph-file.ts'

export function showProblems(output: Output, problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const sorted = [...errorsOf(problems), ...problems.filter(({ severity }) => severity === 'warning')]
  output.table(
    ['', 'CODE', 'NODE', 'INPUT', 'WHAT TO DO'],
    sorted.map(({ severity, code, node = '', input = '', message }) => [
      output.paint(severity === 'error' ? 'red' : 'yellow', severity),
      ...[code, node, input, message],
    ]),
  )
}

export function noteProblems(output: Output, problems: readonly Problem[]): void {
  for (const { severity, code, message } of problems) output.note(`${severity} ${code}: ${message}`)
}

export function refuseErrors(file: string, problems: readonly Problem[]): void {
  const errors = errorsOf(problems)
  const [first] = errors
  if (first === undefined) return
  const more = errors.length === 1 ? '' : ` There are ${errors.length} errors in total.`
  throw new CliError('WORKFLOW_INVALID', { file, why: `${first.message}${more}` })
}

function errorsOf(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ severity }) => severity === 'error')
}

/**
 * Reports problems before a service gets the graph; missing classes' packages are warnings without a JSON field.
 * @throws CliError WORKFLOW_INVALID
 */
export async function evaluateGraph(
  graph: Pick<GraphFile, 'form' | 'raw' | 'name'>,
  { payload, problems }: CheckedPayload,
  { client, output }: { readonly client: ServiceClient; readonly output: Output },
): Promise<void> {
  if (!output.json)
    noteProblems(output, await namePackages(problems, payload, { graph, index: indexOfService(client), output }))
  refuseErrors(graph.name, problems)
}
