/** Fixed file modes, as a container may read files as another user; only the execute right is kept. */

export const FOLDER_MODE = 0o755

export function fileMode(isExecutable: boolean): number {
  return isExecutable ? 0o755 : 0o644
}

export function isExecutableMode(mode: number): boolean {
  return (mode & 0o111) !== 0
}
