/** New named volumes belong to root, so other worker users could not write; folders from the image keep their owner. */
import { pipeline } from 'node:stream'
import type Docker from 'dockerode'
import { extract } from 'tar-stream'
import { removeContainer } from './container-worker.ts'
import { NOT_FOUND, statusOf } from './engine-messages.ts'
import type { Mount } from './mounts.ts'
import { type ArchiveEntry, tarArchive } from './tar-archive.ts'

type Volume = Pick<Mount, 'source'>

export const isOwnVolume = ({ type, readOnly }: Mount) => type === 'volume' && !readOnly

export async function findFreshVolumes(
  docker: Pick<Docker, 'getVolume'>,
  mounts: readonly Mount[],
): Promise<readonly Volume[]> {
  const named = mounts.filter(isOwnVolume)
  const isFresh = await Promise.all(
    named.map(({ source }) =>
      docker
        .getVolume(source)
        .inspect()
        .then(
          () => false,
          (error) => statusOf(error) === NOT_FOUND,
        ),
    ),
  )
  return named.filter((_mount, at) => isFresh[at])
}

const INSIDE = '/drydock-volumes'

/**
 * Opens root's fresh volumes to all users via a container that never runs, as the worker's root may be read-only.
 * Rejects with the engine's words.
 * @param like image and labels to copy
 */
export async function openToAll(
  docker: Pick<Docker, 'createContainer'>,
  volumes: readonly Volume[],
  like: Pick<Docker.ContainerCreateOptions, 'Image' | 'Labels'>,
): Promise<void> {
  if (volumes.length === 0) return
  const Mounts = volumes.map(({ source }, at) => ({
    ...{ Type: 'volume' as const, Source: source, Target: `${INSIDE}/${at}`, ReadOnly: false },
  }))
  const between = await docker.createContainer({ ...like, HostConfig: { NetworkMode: 'none', Mounts } })
  try {
    const folders: ArchiveEntry[] = []
    for (const at of volumes.keys())
      if (await isOfRootAlone(between, `${INSIDE}/${at}`)) folders.push({ path: `${at}/`, mode: FOR_ALL })
    if (folders.length > 0) await between.putArchive(await tarArchive(folders), { path: INSIDE })
  } finally {
    await removeContainer(between, (error) => {
      throw error
    })
  }
}

const FOR_ALL = 0o777
const OTHERS_WRITE = 0o002

async function isOfRootAlone(container: Docker.Container, path: string): Promise<boolean> {
  const entries = extract()
  pipeline(await container.getArchive({ path }), entries, () => {}) // the loop throws its error
  for await (const { header } of entries) return header.uid === 0 && ((header.mode ?? 0) & OTHERS_WRITE) === 0
  return false
}
