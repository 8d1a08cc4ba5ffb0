/**
 * Where a program looks for its network volume. The variable RUNPOD_MOUNTS says it: endpoints at one path alone, tasks
 * wherever their app wants it. Pure. Source: docs/spec/platform.md, 4, and the public package, volume.py.
 */
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { type VolumeMount, volumeMounts } from '../../contract/platform-settings.ts'
import { VOLUME_TARGET } from '../app/target-config.ts'

type Variables = EndpointConfig['env']

const NAME = 'RUNPOD_MOUNTS'

const ofNetwork = ({ kind }: VolumeMount) => kind === 'network'

// What cannot be read is left to the program, which refuses it.
function mountsIn({ [NAME]: text }: Variables): readonly VolumeMount[] {
  try {
    return volumeMounts.safeParse(JSON.parse(text ?? '[]')).data ?? []
  } catch {
    return []
  }
}

/** The paths at which a container has the volume; the usual one where nothing else is said. */
export function volumePaths(env: Variables): readonly string[] {
  const paths = mountsIn(env).filter(ofNetwork)
  return paths.length === 0 ? [VOLUME_TARGET] : paths.map(({ path }) => path)
}

/**
 * The variables for a process, which shares the paths of this machine: the volume is its folder itself, of which the
 * package tells the app. The usual path stays, as there is a link.
 * @param folder of this machine, absolute; undefined: there is no volume
 */
export function withVolumeFolder(env: Variables, folder: string | undefined): Variables {
  const found = mountsIn(env)
  if (folder === undefined || !found.some((mount) => ofNetwork(mount) && mount.path !== VOLUME_TARGET)) return env
  const led = found.map((mount) =>
    ofNetwork(mount) && mount.path !== VOLUME_TARGET ? { ...mount, path: folder } : mount,
  )
  return { ...env, [NAME]: JSON.stringify(led) }
}
