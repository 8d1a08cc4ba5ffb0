/**
 * Paths of network volumes from RUNPOD_MOUNTS: one for endpoints, any for tasks. Source: docs/spec/platform.md, 4, and
 * the public package, volume.py.
 */
import type { EndpointConfig } from '../../../contract/endpoint.ts'
import { type VolumeMount, volumeMounts } from '../../../contract/platform-settings.ts'
import { plainJson } from '../../../lib/json/plain.ts'
import { VOLUME_TARGET } from '../../apps/rules/endpoint-config.ts'

type Variables = EndpointConfig['env']

const NAME = 'RUNPOD_MOUNTS'

const ofNetwork = ({ kind }: VolumeMount) => kind === 'network'

const mountsIn = ({ [NAME]: text }: Variables): readonly VolumeMount[] =>
  volumeMounts.safeParse(plainJson(text ?? '[]')).data ?? []

export function volumePaths(env: Variables): readonly string[] {
  const paths = mountsIn(env).filter(ofNetwork)
  return paths.length === 0 ? [VOLUME_TARGET] : paths.map(({ path }) => path)
}

/**
 * A process uses the local folder itself; a link keeps the usual path.
 * @param folder absolute; undefined: no volume
 */
export function withVolumeFolder(env: Variables, folder: string | undefined): Variables {
  const found = mountsIn(env)
  if (folder === undefined || !found.some((mount) => ofNetwork(mount) && mount.path !== VOLUME_TARGET)) return env
  const led = found.map((mount) =>
    ofNetwork(mount) && mount.path !== VOLUME_TARGET ? { ...mount, path: folder } : mount,
  )
  return { ...env, [NAME]: JSON.stringify(led) }
}
