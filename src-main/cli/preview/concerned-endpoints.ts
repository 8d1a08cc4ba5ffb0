/**
 * Whom a change concerns: a release waits for the workers of these endpoints, and the others get the same code when it is
 * active. A wrong answer keeps nobody on old code; it is only not noticed in time that an endpoint does not start.
 */
import type { BuiltApp } from '../../contract/build.ts'

/** What of a build tells whom a change concerns. */
export type BuiltCode = Pick<BuiltApp, 'endpoints' | 'packages' | 'pythonVersion'>

/**
 * Compares a build with the one that answers.
 * @param files relative paths that changed since then; none, or undefined: it is not known which
 * @returns names; undefined: all
 */
export function concernedEndpoints(
  live: BuiltCode,
  built: BuiltCode,
  files: readonly string[] | undefined,
): string[] | undefined {
  // Data may be read by anybody. Of Python files the scanner knows who loads them.
  if (files === undefined || files.length === 0 || !files.every((file) => file.endsWith('.py'))) return undefined
  if (environmentOf(live) !== environmentOf(built)) return undefined
  const before = new Map(live.endpoints.map(({ name, code }) => [name, code]))
  return built.endpoints.flatMap(({ name, code }) => (code !== undefined && code === before.get(name) ? [] : [name]))
}

const environmentOf = ({ packages, pythonVersion }: BuiltCode) => JSON.stringify([pythonVersion, packages])
