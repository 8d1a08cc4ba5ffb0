/**
 * The modes that the files of an app have in archives and on the disk, whatever they are in the project: a container
 * may read them as another user. Of the rights in the project one counts, that to run a file.
 */

/** Mode of a folder of an app. */
export const FOLDER_MODE = 0o755

/** Mode of a file of an app. */
export function fileMode(isExecutable: boolean): number {
  return isExecutable ? 0o755 : 0o644
}

/** Whether somebody may run a file with this mode. */
export function isExecutableMode(mode: number): boolean {
  return (mode & 0o111) !== 0
}
