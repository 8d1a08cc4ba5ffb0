import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CliError, usageError } from '../../../../app/cli/cli-error.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import { appName, environmentName } from '../../../../contract/app.ts'
import { type AppTarget, chooseEnvironment, DEFAULT_ENVIRONMENT } from '../../rules/app-environment.ts'

export type TargetOptions = { readonly app?: string; readonly env?: string }

// Marks of a project folder; source: the Python package, which uses them to find the app of a script.
const MARKS = ['.svc', 'pyproject.toml']

export function appOf(given: string | undefined, { env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): string {
  return checkedApp(given || env.SVC_APP || basename(projectFolder(cwd) ?? cwd))
}

export function checkedApp(name: string): string {
  const { success, data, error } = appName.safeParse(name)
  if (success) return data
  const why = error.issues[0]?.message
  throw usageError(`"${name}" is not a valid app name: it ${why}. Name the app with --app or SVC_APP.`)
}

export function checkedEnvironment(name: string): string {
  const { success, error } = environmentName.safeParse(name)
  if (success) return name
  throw usageError(`"${name}" is not a valid environment name: it ${error.issues[0]?.message}.`)
}

export async function deployTarget(client: ServiceClient, app: string, asked: string | undefined): Promise<AppTarget> {
  if (asked !== undefined) checkedEnvironment(asked)
  return { app, environment: chooseEnvironment(asked, await environmentsOf(client, app)) }
}

export async function existingTarget(
  client: ServiceClient,
  { app: given, env: asked }: TargetOptions,
  surroundings: Pick<Surroundings, 'env' | 'cwd'>,
): Promise<AppTarget> {
  const app = appOf(given, surroundings)
  if (asked !== undefined) return { app, environment: checkedEnvironment(asked) }
  const existing = await environmentsOf(client, app)
  if (existing.length === 0)
    throw new CliError('NO_ENVIRONMENT', { app, url: client.url, environment: DEFAULT_ENVIRONMENT })
  const environment = chooseEnvironment(undefined, existing)
  if (existing.includes(environment)) return { app, environment }
  const names = [...existing].sort().join(', ')
  throw usageError(`App ${app} has no environment ${environment}, the default. Choose one of these: ${names}.`)
}

async function environmentsOf(client: ServiceClient, app: string): Promise<readonly string[]> {
  try {
    const { environments } = await client.call('appRead', { path: { app } })
    return environments.map(({ name }) => name)
  } catch (error) {
    if (error instanceof CliError && error.body.code === 'APP_NOT_FOUND') return []
    throw error
  }
}

function projectFolder(start: string): string | undefined {
  for (let at = start; ; at = dirname(at)) {
    if (MARKS.some((mark) => existsSync(join(at, mark)))) return at
    if (dirname(at) === at) return undefined
  }
}
