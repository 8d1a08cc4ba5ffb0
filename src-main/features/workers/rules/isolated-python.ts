import type { EndpointConfig } from '../../../contract/endpoint.ts'

const ISOLATED = /(?:^|[\s/'"(;&|])python[\d.]*\s+(?:-[A-Za-z]+\s+)*(-[A-Za-z]*[IE][A-Za-z]*)(?=\s|$)/

/**
 * Finds `-I` or `-E`, which ignore PYTHONPATH, by which our worker is configured. Source: Python's command-line
 * options.
 */
export function isolatingOption(command: string): string | undefined {
  return ISOLATED.exec(command)?.[1]
}

export function isolationProblem({ command = '', container, loadBalanced }: Program): IsolationProblem | undefined {
  const option = container === undefined && loadBalanced === undefined ? isolatingOption(command) : undefined
  if (option === undefined) return undefined
  return {
    found: `it runs Python with ${option}, so that workers on versions 1.7.12 to 1.10.0 of the public SDK share the job file in their folder`,
    fix: `Remove ${option}, use a later version of the SDK, or set the maximum number of workers to 1.`,
  }
}

type Program = Pick<EndpointConfig, 'command' | 'container' | 'loadBalanced'>
type IsolationProblem = { readonly found: string; readonly fix: string }
