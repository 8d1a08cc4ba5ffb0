/** What an artifact is made of, small enough to be drawn: its packages, and the folders and files of the project. */
import type { ArtifactPiece } from '../../contract/projects.ts'

/** A file of an artifact. `path` from its root, with forward slashes. */
export type ContainedFile = { readonly path: string; readonly bytes: number }

/** A package of an artifact. */
export type ContainedPackage = {
  readonly name: string
  readonly version: string
  readonly bytes: number
  readonly files: number
  /** Top-level modules by which it is imported. */
  readonly modules: readonly string[]
}

/** All that an artifact contains. Sizes as they lie unpacked. */
export type ArtifactContents = {
  readonly project: readonly ContainedFile[]
  /** Handler files, the manifest, and the Python packages that every artifact has. */
  readonly generated: readonly ContainedFile[]
  readonly packages: readonly ContainedPackage[]
  /** Normalised names of the packages that the app itself asks for. */
  readonly wanted: readonly string[]
  /** Top-level modules that the project imports; undefined: it imports what only it knows. */
  readonly imported: readonly string[] | undefined
}

// A piece with a smaller share of all is drawn as a dot. At most 290 have this share, and five more hold what is left: the
// small packages, the root of the project, and the three that are generated.
const SHARE = 1 / 290
/** Path of the piece with all small packages. */
const OTHER_PACKAGES = 'other packages'
/** Path of the piece with what a build writes beside the project. */
const HANDLERS = 'handlers and manifest'

/** The pieces of an artifact, the largest first: at most 300, as the small ones are joined. */
export function artifactPieces({ project, generated, packages }: ArtifactContents): ArtifactPiece[] {
  const all = [...project, ...generated, ...packages]
  const least = all.reduce((sum, { bytes }) => sum + bytes, 0) * SHARE
  return [...packagePieces(packages, least), ...filePieces(project, least), ...generatedPieces(generated)].sort(
    (a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1),
  )
}

function packagePieces(packages: readonly ContainedPackage[], least: number): ArtifactPiece[] {
  const small = packages.filter(({ bytes }) => bytes < least)
  const own = small.length === 1 ? packages : packages.filter(({ bytes }) => bytes >= least)
  const pieces: ArtifactPiece[] = own.map(({ name, version, bytes, files }) => ({
    path: name,
    kind: 'package',
    bytes,
    files,
    version,
  }))
  if (small.length < 2) return pieces
  return [...pieces, { path: OTHER_PACKAGES, kind: 'package', ...sumOf(small) }]
}

/** What is the same in every artifact is of little interest: a piece for each of its folders. */
function generatedPieces(files: readonly ContainedFile[]): readonly ArtifactPiece[] {
  const byFolder = Map.groupBy(files, ({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : HANDLERS))
  return [...byFolder].map(([path, inside]) => ({
    path,
    kind: 'generated',
    bytes: sumOf(inside.map(({ bytes }) => ({ bytes, files: 1 }))).bytes,
    files: inside.length,
  }))
}

/** Large files are pieces; the small ones of a folder are one piece, and where that is small too it goes a folder up. */
function filePieces(files: readonly ContainedFile[], least: number): readonly ArtifactPiece[] {
  const kind = 'project'
  const pieces: ArtifactPiece[] = []
  const folders = new Map<string, { bytes: number; files: number }>()
  const add = (path: string, bytes: number, count: number) => {
    const folder = folders.get(path) ?? { bytes: 0, files: 0 }
    folders.set(path, { bytes: folder.bytes + bytes, files: folder.files + count })
  }
  for (const { path, bytes } of files) {
    if (bytes >= least) pieces.push({ path, kind, bytes, files: 1 })
    else add(parentOf(path), bytes, 1)
  }
  // Parents of folders are added while this runs, so the deepest go first.
  for (let depth = deepest(folders); depth >= 0; depth--) {
    for (const [path, joined] of [...folders].filter(([path]) => depthOf(path) === depth)) {
      if (joined.bytes >= least || path === '.') pieces.push({ path, kind, ...joined })
      else add(parentOf(path), joined.bytes, joined.files)
    }
  }
  return pieces
}

function parentOf(path: string): string {
  const end = path.lastIndexOf('/')
  return end === -1 ? '.' : path.slice(0, end)
}

function depthOf(path: string): number {
  return path === '.' ? 0 : path.split('/').length
}

function deepest(folders: ReadonlyMap<string, unknown>): number {
  return Math.max(0, ...[...folders.keys()].map(depthOf))
}

function sumOf(pieces: readonly { readonly bytes: number; readonly files: number }[]) {
  return {
    bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0),
    files: pieces.reduce((sum, { files }) => sum + files, 0),
  }
}
