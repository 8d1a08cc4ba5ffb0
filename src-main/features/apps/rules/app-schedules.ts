import type { ReleaseKind } from '../../../contract/app.ts'
import { AppError } from '../../../contract/errors.ts'
import type { Manifest, ManifestResource } from '../../../contract/manifest.ts'

export const scheduledIn = ({ resources }: Pick<Manifest, 'resources'>): readonly string[] =>
  Object.keys(resources).filter((name) => resources[name]?.schedule !== undefined)

export function refuseSchedules(scheduled: readonly string[], isOn: boolean): void {
  if (!isOn && scheduled.length > 0) throw new AppError('SCHEDULES_NOT_SUPPORTED', { resources: scheduled.join(', ') })
}

/**
 * Resources with the schedules that apply: none in previews. Without the setting, new code with schedules is refused,
 * and earlier code runs without them. Source: docs/spec/app-deploy.md, 10.
 * @throws AppError SCHEDULES_NOT_SUPPORTED
 */
export function withSchedules(
  manifest: Pick<Manifest, 'resources'>,
  { isOn, isPreview, kind }: { readonly isOn: boolean; readonly isPreview: boolean; readonly kind: ReleaseKind },
): { readonly resources: Readonly<Record<string, ManifestResource>>; readonly warnings: readonly string[] } {
  const scheduled = scheduledIn(manifest)
  if (!isPreview && kind === 'deploy') refuseSchedules(scheduled, isOn)
  if (scheduled.length === 0 || (isOn && !isPreview)) return { resources: manifest.resources, warnings: [] }
  const resources = Object.entries(manifest.resources).flatMap(([name, { schedule, ...resource }]) =>
    schedule !== undefined && resource.isTask === true ? [] : [[name, resource] as const],
  )
  const why = isPreview ? 'previews run no schedules' : 'the setting appSchedules is off'
  return {
    resources: Object.fromEntries(resources),
    warnings: scheduled.map((name) => `The schedule of ${name} does not run: ${why}.`),
  }
}
