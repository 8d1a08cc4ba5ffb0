/**
 * Files of a remote container. Handler folders, release code, our packages and certificate authorities are sent;
 * volumes, folders and models are remote. Source: docs/spec/machines.md, 5.
 */
import { basename, dirname, relative, sep } from 'node:path'
import { CODE_FOLDER } from '../../contract/container.ts'
import { isOfModels, PATHS_FILE } from '../../features/models/rules/layout.ts'
import type { MountedSpec } from '../docker/engine-host.ts'
import { BUNDLE_FILE, givesEngine, type Mount, RUNTIME_FOLDER } from '../docker/mounts.ts'
import type { Watch } from '../port.ts'
import { UNWATCHED } from './machine-options.ts'
import type { FolderToSend, RemoteFiles } from './remote-files.ts'
import { findRemoteEngine, remoteFolder } from './remote-host.ts'
import type { SshLink } from './ssh-link.ts'

export type RemoteMountsOptions = {
  readonly machine: string
  /** A remote folder; undefined: the worker does without. Rejects with a sentence. */
  readonly ownFolder: (volume: Volume) => Promise<Mount | undefined>
  readonly files: Pick<RemoteFiles, 'send'>
  readonly pythonPath: string
  readonly networkVolumes: string
  readonly bundle: () => Promise<string>
}

type Volume = NonNullable<MountedSpec['container']>['volumes'][number]

export function createRemoteMounts(options: RemoteMountsOptions) {
  const { machine, ownFolder, files, pythonPath, networkVolumes, bundle } = options
  const ours: FolderToSend = { path: pythonPath, kind: 'packed', isFixed: true, owner: 'svc_worker' }

  async function sentTo(target: string, folder: FolderToSend, watch: Watch): Promise<Mount> {
    const { source } = await files.send(folder, watch)
    const path = folder.only === undefined ? source : `${source}/${folder.only}`
    return { type: 'bind', source: path, target, readOnly: true }
  }

  const sentFile = (target: string, path: string, watch: Watch) =>
    sentTo(target, { path: dirname(path), only: basename(path), kind: 'packed', owner: target }, watch)

  async function codeOf({ handler, container, app, endpointId }: MountedSpec, watch: Watch): Promise<readonly Mount[]> {
    if (handler === undefined) return []
    const path = dirname(handler)
    const folder =
      app === undefined ? ({ path, kind: 'project', owner: endpointId } as const) : release(path, endpointId)
    const code = await sentTo(CODE_FOLDER, folder, watch)
    return container?.image === undefined ? [code] : [code, await sentTo(RUNTIME_FOLDER, ours, watch)]
  }

  function folderToSend({ source, target, readOnly }: Volume, spec: MountedSpec): FolderToSend | undefined {
    if (isWithin(source, pythonPath))
      return { ...ours, path: source, owner: `svc_worker ${relative(pythonPath, source)}` }
    if (spec.app !== undefined && target === CODE_FOLDER && readOnly) return release(source, spec.endpointId)
    if (spec.handler === undefined || !isWithin(source, dirname(spec.handler))) return undefined
    if (!readOnly)
      throw new Error(
        `the volume ${source}:${target} is a folder of the handler, which is sent to ${machine} and can only be read there. Use a named volume, or a folder of ${machine}`,
      )
    return { path: source, kind: 'packed', owner: `${spec.endpointId} ${target}` }
  }

  async function volumeOf(volume: Volume, spec: MountedSpec, watch: Watch): Promise<Mount | undefined> {
    const { source, target, readOnly } = volume
    if (!source.startsWith('/')) return { type: 'volume', source, target, readOnly }
    // Workers write to it, so it is a remote volume shared by apps.
    if (isWithin(source, networkVolumes))
      return { type: 'volume', source: `drydock-volume-${basename(source)}`, target, readOnly }
    if (target === PATHS_FILE) return sentFile(target, source, watch)
    // Models are too large to send, wherever they are.
    const folder = isOfModels(target) ? undefined : folderToSend(volume, spec)
    if (folder !== undefined) return sentTo(target, folder, watch)
    return ownFolder(volume)
  }

  async function all(spec: MountedSpec, watch: Watch): Promise<readonly Mount[]> {
    const volumes: Mount[] = []
    for (const volume of spec.container?.volumes ?? []) {
      const found = await volumeOf(volume, spec, watch)
      if (found !== undefined) volumes.push(found)
    }
    const authorities = spec.callsHosts === undefined ? [] : [await sentFile(BUNDLE_FILE, await bundle(), watch)]
    return [...(await codeOf(spec, watch)), ...volumes, ...authorities]
  }

  return {
    send: async (spec: MountedSpec, watch: Watch): Promise<void> => void (await all(spec, watch)),
    find: (spec: MountedSpec): Promise<readonly Mount[]> => all(spec, UNWATCHED),
  }
}

export function foldersBySsh({
  machine,
  link,
}: {
  readonly machine: string
  readonly link: Pick<SshLink, 'connection'>
}): RemoteMountsOptions['ownFolder'] {
  return async ({ source, target, readOnly }) => {
    const connection = await link.connection()
    const [real, engine] = await Promise.all([remoteFolder(connection, source), findRemoteEngine(connection, machine)])
    if (givesEngine(real === undefined ? [source] : [source, real], { sockets: [engine], ignoreCase: false }))
      throw new Error(
        `the volume ${source}:${target} would give the container control of the Docker engine of ${machine}. Choose a folder that does not contain its socket`,
      )
    if (real !== undefined) return { type: 'bind', source: real, target, readOnly }
    if (isOfModels(target)) return undefined
    throw new Error(`the volume ${source}:${target}: there is no ${source} on ${machine}. Create it there first`)
  }
}

const release = (path: string, owner: string): FolderToSend => ({ path, kind: 'packed', isFixed: true, owner })

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}
