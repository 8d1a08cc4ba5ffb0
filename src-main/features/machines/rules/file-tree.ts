/**
 * Manifest of a transferred tree, one JSON line per entry in path order, whose SHA-256 is the tree's id; see
 * resources/python/svc_files/_manifest.py.
 */
import { comparePaths } from '../../apps/rules/manifest.ts'

export type Content = { readonly sha256: string; readonly size: number; readonly executable?: true }

export type TreeEntry = { readonly path: string } & (Content | { readonly link: string } | { readonly folder: true })

export type ManifestLines = ReadonlyMap<string, string>

export type ManifestChanges = { readonly added: string; readonly removed: readonly string[] }

export function manifestLines(entries: readonly TreeEntry[]): ManifestLines {
  const sorted = entries.toSorted((a, b) => comparePaths(a.path, b.path))
  return new Map(sorted.map((entry) => [entry.path, `${JSON.stringify(entry)}\n`]))
}

export function manifestText(lines: ManifestLines): string {
  return [...lines.values()].join('')
}

/**
 * Lists added lines and removed paths.
 * @param base lines of the other side; undefined: none
 */
export function manifestChanges(lines: ManifestLines, base: ManifestLines | undefined): ManifestChanges {
  const added = [...lines].filter(([path, line]) => base?.get(path) !== line)
  return {
    added: added.map(([, line]) => line).join(''),
    removed: [...(base?.keys() ?? [])].filter((path) => !lines.has(path)),
  }
}

/**
 * True for a link that leaves its tree, which would resolve differently in a container.
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
