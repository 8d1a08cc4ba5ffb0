/**
 * Unpacks atomically into a new folder, never writing outside it.
 * @throws Error with a reason for the user
 */
export type UnpackArtifact = (file: string, folder: string, signal: AbortSignal) => Promise<void>

export type ReadManifest = (folder: string) => Promise<string | undefined>
