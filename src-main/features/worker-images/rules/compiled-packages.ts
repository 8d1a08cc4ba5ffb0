import { parse, stringify } from 'smol-toml'
import { pylock } from '../../../contract/python-files.ts'
import type { ImageConflict, LockedPython } from '../../../contract/worker-images.ts'
import { normaliseName } from '../../apps/rules/requirements.ts'
import type { Asked } from './python-conflicts.ts'
import { readWheelName } from './wheel-files.ts'

export function readCompiled(
  toml: string,
  annotated: string,
  {
    provides,
    sources,
  }: {
    readonly provides: Readonly<Record<string, string>>
    readonly sources: Readonly<Record<string, string>>
  },
): LockedPython[] {
  const wanted = readAnnotations(annotated, sources)
  return pylock
    .parse(parse(toml))
    .packages.filter(({ name }) => provides[normaliseName(name)] === undefined)
    .map(({ name, version, vcs, archive, sdist, wheels }) => {
      const files = wheels.length > 0 ? wheels : [sdist ?? archive].filter((one) => one !== undefined)
      const source =
        vcs === undefined
          ? (archive?.url ?? archive?.path)
          : `${vcs.type}+${vcs.url}@${vcs['commit-id']}${vcs.subdirectory === undefined ? '' : `#subdirectory=${vcs.subdirectory}`}`
      const sizes = files.flatMap(({ size }) => size ?? [])
      return {
        name,
        version: version ?? readWheelName(source ?? '')?.version ?? '0',
        ...(source === undefined ? {} : { source }),
        ...(sizes.length === 0 ? {} : { sizeBytes: Math.max(...sizes) }),
        sha256: [...new Set(files.flatMap(({ hashes }) => hashes?.sha256 ?? []))].sort(),
        wantedBy: [...(wanted.get(normaliseName(name)) ?? [])].sort(),
      }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function pylockOf(packages: readonly Pick<LockedPython, 'name' | 'version'>[]): string {
  const those = packages.map(({ name, version }) => ({ name, version }))
  return stringify({ 'lock-version': '1.0', 'created-by': 'drydock', packages: those })
}

export function pinned(toml: string): string {
  return pylock
    .parse(parse(toml))
    .packages.map(({ name, version }) => (version === undefined ? '' : `${name}==${version}\n`))
    .join('')
}

export function checkHashes(packages: readonly LockedPython[], asked: readonly Asked[]): ImageConflict[] {
  return asked.flatMap(({ from, name, text, sha256 }) => {
    const found = packages.find((one) => one.name === name)
    if (found === undefined || sha256.length === 0 || found.sha256.some((hash) => sha256.includes(hash))) return []
    return {
      code: 'python_missing',
      blocks: true,
      message: `${from} asks for ${text} by its hashes, but no file of ${found.name} ${found.version} for Linux x86_64 has one of them.`,
      choices: [`Remove the hashes of ${text} in the lock.`, `Use another version of ${from}, or leave it out.`],
    }
  })
}

const PACKAGE = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:==| @ )/
const VIA = /^\s+#\s+(?:via\s*)?(.*)$/

function readAnnotations(text: string, sources: Readonly<Record<string, string>>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  let current = new Set<string>()
  for (const line of text.split(/\r?\n/)) {
    const name = PACKAGE.exec(line)?.[1]
    if (name !== undefined) {
      current = new Set()
      found.set(normaliseName(name), current)
      continue
    }
    const via = VIA.exec(line)?.[1]?.trim() ?? ''
    if (via === '' || via.startsWith('-c ')) continue
    current.add(via.startsWith('-r ') ? (sources[via.slice(3)] ?? via) : via)
  }
  return found
}
