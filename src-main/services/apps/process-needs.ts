/**
 * What an app that runs on processes needs of this machine: packages that builds leave to images, system packages, and
 * volumes. Containers have them; here they are looked for, and what is missing is told with the line that mends it.
 */
import type { ManifestResource } from '../../contract/manifest.ts'
import { VOLUME_TARGET } from '../../domain/app/target-config.ts'
import type { ProcessMachine } from '../ports/process-machine.ts'

type App = {
  /** Endpoints that run as processes, by name. */
  readonly resources: Readonly<Record<string, ManifestResource>>
  readonly imageRequirements: readonly string[]
  /** Folder of this machine that stands for a network volume. */
  readonly volumeFolder: (name: string) => string
}

/** What is missing or differs, each a sentence or two for a person. Nothing is changed. */
export async function warnOfProcesses(
  machine: ProcessMachine,
  { resources, imageRequirements, volumeFolder }: App,
): Promise<readonly string[]> {
  const missing = Object.keys(resources).length === 0 ? [] : await machine.missingPackages(imageRequirements)
  const warnings: string[] = []
  if (missing.length > 0) {
    const line = `${machine.python()} -m pip install ${missing.map((text) => `'${text}'`).join(' ')}`
    warnings.push(
      `Builds leave ${missing.join(', ')} to images, and the Python of workers as processes lacks it: ${line}`,
    )
  }
  for (const [name, { systemDependencies }] of Object.entries(resources)) {
    if (systemDependencies.length === 0) continue
    const line = `sudo apt-get install ${systemDependencies.join(' ')}`
    warnings.push(`${name} asks for system packages, which processes take from this machine: ${line}`)
  }
  for (const { name, folder } of volumesOf(resources, volumeFolder)) {
    const why = await machine.whyNotAt(VOLUME_TARGET, folder)
    const is = `Volume ${name} is the folder ${folder}`
    warnings.push(
      why === undefined
        ? `${is}; processes find it at ${VOLUME_TARGET}, which is a link to it.`
        : `${is}, and processes do not find it at ${VOLUME_TARGET}: ${why}. Make the link yourself: sudo ln -sfn ${folder} ${VOLUME_TARGET}`,
    )
  }
  return warnings
}

/** Puts volumes where processes look for them, as far as that is allowed. */
export async function placeVolumes(
  machine: ProcessMachine,
  resources: App['resources'],
  volumeFolder: App['volumeFolder'],
): Promise<void> {
  for (const { folder } of volumesOf(resources, volumeFolder)) await machine.putAt(VOLUME_TARGET, folder)
}

function volumesOf(resources: App['resources'], folderOf: App['volumeFolder']) {
  const names = Object.values(resources).flatMap(({ networkVolumes }) =>
    networkVolumes.flatMap(({ name, id }) => name ?? id ?? []),
  )
  return [...new Set(names)].map((name) => ({ name, folder: folderOf(name) }))
}
