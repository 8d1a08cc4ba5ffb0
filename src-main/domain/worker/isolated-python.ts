import type { EndpointConfig } from '../../contract/endpoint.ts'

// Options before the program; those with a value of their own, like -m and -c, end the search with that value.
const ISOLATED = /(?:^|[\s/'"(;&|])python[\d.]*\s+(?:-[A-Za-z]+\s+)*(-[A-Za-z]*[IE][A-Za-z]*)(?=\s|$)/

/**
 * The option by which a command line stops Python from reading the environment: `-I` or `-E`. Then a worker of ours
 * cannot be given anything through PYTHONPATH. Source: the options of Python's command line.
 * @returns undefined where it has none
 */
export function isolatingOption(command: string): string | undefined {
  return ISOLATED.exec(command)?.[1]
}

/**
 * What follows for an endpoint whose worker processes run Python so.
 * @returns undefined where nothing does
 */
export function isolationProblem({ command = '', container, loadBalanced }: Program): IsolationProblem | undefined {
  const option = container === undefined && loadBalanced === undefined ? isolatingOption(command) : undefined
  if (option === undefined) return undefined
  return {
    found: `it runs Python with ${option}, so that workers on versions 1.7.12 to 1.10.0 of the public SDK share the job file in their folder`,
    fix: `Remove ${option}, use a later version of the SDK, or set the maximum of workers to 1.`,
  }
}

type Program = Pick<EndpointConfig, 'command' | 'container' | 'loadBalanced'>
type IsolationProblem = { readonly found: string; readonly fix: string }
