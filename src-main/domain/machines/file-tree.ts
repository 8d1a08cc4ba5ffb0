/**
 * The manifest of a tree that is sent to another machine: a line of JSON for each entry, in the order of the paths. The
 * other side is resources/python/svc_files/_manifest.py; the SHA-256 of the text is the id of the tree.
 */
import { comparePaths } from '../app/manifest.ts'

/** Content of a file, in bytes. */
export type Content = { readonly sha256: string; readonly size: number; readonly executable?: true }

/** An entry: a file, a symbolic link, or a folder without anything in it. */
export type TreeEntry = { readonly path: string } & (Content | { readonly link: string } | { readonly folder: true })

/** Lines of a manifest by their paths. */
export type ManifestLines = ReadonlyMap<string, string>

/** What has to be said of a tree to who has another one, or none. */
export type ManifestChanges = { readonly added: string; readonly removed: readonly string[] }

/** The lines, in order. */
export function manifestLines(entries: readonly TreeEntry[]): ManifestLines {
  const sorted = entries.toSorted((a, b) => comparePaths(a.path, b.path))
  return new Map(sorted.map((entry) => [entry.path, `${JSON.stringify(entry)}\n`]))
}

/** The whole text. */
export function manifestText(lines: ManifestLines): string {
  return [...lines.values()].join('')
}

/** @param base lines that the other side has; undefined: none */
export function manifestChanges(lines: ManifestLines, base: ManifestLines | undefined): ManifestChanges {
  const added = [...lines].filter(([path, line]) => base?.get(path) !== line)
  return {
    added: added.map(([, line]) => line).join(''),
    removed: [...(base?.keys() ?? [])].filter((path) => !lines.has(path)),
  }
}

/**
 * Whether a symbolic link leads out of its tree, by its text. In a container it would lead to another file than here, or
 * to none.
 * @param path of the link, within the tree
 */
export function leadsOut(path: string, link: string): boolean {
  if (link === '' || link.startsWith('/') || /^[A-Za-z]:|\\/.test(link)) return true
  let depth = path.split('/').length - 1
  for (const part of link.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '' && part !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}
