import type { FolderList } from '../../../src-main/contract/projects.ts'

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

/** What a list of paths offers. `marked`: what is looked for is in it, or it is that. */
export type PathEntry = {
  readonly name: string
  readonly path: string
  readonly kind: 'folder' | 'file'
  readonly marked: boolean
}

/** What is in a folder: what is marked comes first, then folders, then files. */
export function entriesOf({ folders, files = [] }: Pick<FolderList, 'folders' | 'files'>): readonly PathEntry[] {
  // Where a file is looked for, a folder with an app is nothing special.
  const marksApps = files.length === 0
  const all: readonly PathEntry[] = [
    ...folders.map(({ isApp, ...rest }) => ({ ...rest, kind: 'folder' as const, marked: isApp && marksApps })),
    ...files.map(({ isHandler, ...rest }) => ({ ...rest, kind: 'file' as const, marked: isHandler })),
  ]
  return [...all.filter(({ marked }) => marked), ...all.filter(({ marked }) => !marked)]
}

/** The entries that what was typed may mean, in their order. */
export function matchingEntries(entries: readonly PathEntry[], start: string): readonly PathEntry[] {
  const wanted = start.toLowerCase()
  return entries.filter(({ name }) => name.toLowerCase().startsWith(wanted))
}
