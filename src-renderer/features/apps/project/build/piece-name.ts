import type { BuildView } from '../../../../../src-main/contract/projects.ts'

/** A piece of an artifact. */
export type ArtifactPiece = NonNullable<BuildView['result']>['pieces'][number]

const TOP = '.'

/** What tells a piece from the others. */
export function pieceId({ kind, path }: ArtifactPiece): string {
  return `${kind} ${path}`
}

/** What a piece is called; at the top of the artifact are files of no folder, and what is too small for itself. */
export function pieceName({ kind, path }: ArtifactPiece): string {
  if (path !== TOP) return path
  return kind === 'project' ? 'small files of the project' : 'small files'
}
