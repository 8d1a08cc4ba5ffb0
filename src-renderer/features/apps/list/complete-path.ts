import type { FolderList } from '../../../../src-main/contract/projects.ts'

/** What was typed of a path: the folder that is looked into, and the beginning of a name in it. */
export type TypedPath = {
  /** Undefined: the home folder. */
  readonly folder: string | undefined
  readonly start: string
}

/** Cuts a path at its last slash. */
export function splitPath(path: string): TypedPath {
  const at = path.lastIndexOf('/')
  if (at < 0) return { folder: undefined, start: path }
  return { folder: at === 0 ? '/' : path.slice(0, at), start: path.slice(at + 1) }
}

/** The folders that what was typed may mean: those with an app first. */
export function matchingFolders(folders: FolderList['folders'], start: string): FolderList['folders'] {
  const wanted = start.toLowerCase()
  const found = folders.filter(({ name }) => name.toLowerCase().startsWith(wanted))
  return [...found.filter(({ isApp }) => isApp), ...found.filter(({ isApp }) => !isApp)]
}
