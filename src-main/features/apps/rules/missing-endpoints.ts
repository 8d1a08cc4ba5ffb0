import type { RunsOn } from '../../../contract/app.ts'
import type { Manifest } from '../../../contract/manifest.ts'

/** Endpoints of an active release that were deleted since. Previews without containers leave out ready images. */
export function missingEndpoints(
  { resources }: { readonly resources: Readonly<Record<string, Pick<Manifest['resources'][string], 'imageName'>>> },
  runsOn: RunsOn,
  present: readonly string[],
): readonly string[] {
  return Object.entries(resources)
    .filter(([name, { imageName }]) => !present.includes(name) && !(runsOn === 'processes' && imageName !== undefined))
    .map(([name]) => name)
}

export function missingText(missing: readonly string[]): string {
  return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing: deploy again`
}
