/** Resolves required packages from a lock file as Node does, without optional ones. */

export type LockedPackages = Readonly<
  Record<string, { readonly dependencies?: Readonly<Record<string, string>>; readonly dev?: boolean }>
>

export function neededFolders(packages: LockedPackages, names: readonly string[]): readonly string[] {
  const found = new Set<string>()
  const visit = (name: string, from: string) => {
    const folder = locate(packages, name, from)
    if (found.has(folder)) return
    found.add(folder)
    for (const dependency of Object.keys(packages[folder]?.dependencies ?? {})) visit(dependency, folder)
  }
  for (const name of names) visit(name, '')
  return [...found].sort()
}

function locate(packages: LockedPackages, name: string, from: string): string {
  for (let at = from; ; at = parentOf(at)) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (folder in packages) return folder
    if (at === '') throw new Error(`the lock file has no package ${name}, which ${from || 'Drydock'} needs`)
  }
}

function parentOf(folder: string): string {
  const at = folder.lastIndexOf('/node_modules/')
  return at < 0 ? '' : folder.slice(0, at)
}
