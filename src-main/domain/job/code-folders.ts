import type { EndpointConfig } from '../../contract/endpoint.ts'

/** A folder with code as workers name it, and where the same files are on this machine. Both absolute, without a slash at the end. */
export type CodeFolder = { readonly inWorker: string; readonly here: string }

/** Where code of an endpoint may be. `isHere`: its workers name files of this machine. */
export type CodeFolders = { readonly isHere: boolean; readonly folders: readonly CodeFolder[] }

type Program = Pick<EndpointConfig, 'handler' | 'container' | 'app'>

// Where a container finds the folder of its handler. Source: container-options.
const HANDLER_FOLDER = '/app'

/**
 * Where the code that an endpoint's workers run is on this machine. Of an app they run a copy; what a person changes is
 * in the project.
 * @param project folder of the project that the app is deployed from; undefined: it is not known here
 */
export function codeFoldersOf({ handler, container, app }: Program, project: string | undefined): CodeFolders {
  const folder = handler === undefined ? undefined : folderOf(handler)
  const mine = app === undefined ? folder : (project ?? folder)
  if (container === undefined) {
    const isCopy = app !== undefined && folder !== undefined && mine !== undefined
    return { isHere: true, folders: isCopy ? [{ inWorker: folder, here: mine }] : [] }
  }
  const volumes = container.volumes
    .filter(({ source }) => source.startsWith('/'))
    .map(({ source, target }) => ({
      inWorker: target,
      here: app !== undefined && target === HANDLER_FOLDER ? (project ?? source) : source,
    }))
  return {
    isHere: false,
    folders: mine === undefined ? volumes : [{ inWorker: HANDLER_FOLDER, here: mine }, ...volumes],
  }
}

/** The file of this machine that a file of a worker is; undefined: it is in an image, or no file. */
export function fileHere(file: string, { isHere, folders }: CodeFolders): string | undefined {
  const found = folders.find(({ inWorker }) => file.startsWith(`${inWorker}/`))
  if (found !== undefined) return `${found.here}${file.slice(found.inWorker.length)}`
  return isHere && /^(?:\/|[A-Za-z]:[\\/])/.test(file) ? file : undefined
}

const folderOf = (file: string) => file.slice(0, Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')))
