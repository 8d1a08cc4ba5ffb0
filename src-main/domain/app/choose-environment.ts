/** What `drydock deploy` makes when there is none. Source: app-deploy, Deploy. */
export const DEFAULT_ENVIRONMENT = 'production'

/**
 * Which environment of an app is meant: the one asked for, else the only one, else `production` where there is none.
 * @param asked name that the user gave
 * @param existing names of the app's environments
 */
export function chooseEnvironment(
  asked: string | undefined,
  existing: readonly string[],
): { readonly name: string } | { readonly problem: string } {
  if (asked !== undefined) return { name: asked }
  const [only, ...others] = existing
  if (only === undefined) return { name: DEFAULT_ENVIRONMENT }
  if (others.length === 0) return { name: only }
  return { problem: `The app has several environments: ${[...existing].sort().join(', ')}. Choose one with --env.` }
}
