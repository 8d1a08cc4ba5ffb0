/** The folders of models as a ComfyUI is told of them: in a container, or on this machine. */
import type { ModelFolder } from '../../contract/models.ts'
import { foldersOf, MODEL_DIRECTORIES, presentDirectory } from './layout.ts'

/** Where containers have the folders, one below the other by number. */
const MOUNT_ROOT = '/opt/drydock/models'

/** Where a ComfyUI image looks for further folders; source: the public image worker, whose server is in /comfyui. */
export const PATHS_FILE = '/comfyui/extra_model_paths.yaml'

/** Where containers have a folder. @param index of it, from 0 on */
export const mountOf = (index: number): string => `${MOUNT_ROOT}/${index + 1}`

/** A folder, where it is seen, and what directories it has. */
export type SeenFolder = {
  readonly folder: ModelFolder
  readonly seenAt: string
  readonly directories: readonly string[]
}

/**
 * The text of an extra_model_paths.yaml. Texts in it are quoted as JSON quotes them, which YAML reads.
 * @param withVolume names the folders of a network volume too, which the file of the public image names
 */
export function modelPathsYaml(
  folders: readonly SeenFolder[],
  { withVolume }: { readonly withVolume: boolean },
): string {
  const sections = folders.map(({ folder, seenAt, directories }, index) => {
    const names = [...new Set([...MODEL_DIRECTORIES, ...directories].map(presentDirectory))]
    const lines = names.flatMap((name) => {
      const paths = foldersOf(folder, name)
      return paths.length === 0 ? [] : [`  ${JSON.stringify(name)}: ${JSON.stringify(paths.join('\n'))}`]
    })
    return [`drydock_${index + 1}:`, `  base_path: ${JSON.stringify(seenAt)}`, ...lines].join('\n')
  })
  const volume = withVolume ? [VOLUME] : []
  return `# Written by Drydock: the folders of models, as its settings name them.\n${[...sections, ...volume].join('\n')}\n`
}

const VOLUME = [
  'network_volume:',
  '  base_path: "/runpod-volume"',
  ...MODEL_DIRECTORIES.map((name) => {
    const paths = foldersOf({ path: '/' }, name).map((one) => `models/${one}`)
    return `  ${JSON.stringify(name)}: ${JSON.stringify(paths.join('\n'))}`
  }),
].join('\n')
