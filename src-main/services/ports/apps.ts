/**
 * Unpacks an artifact into a folder that is not there yet, whole or not at all. No byte is written outside of it.
 * @throws Error with the reason, for a person
 */
export type UnpackArtifact = (file: string, folder: string, signal: AbortSignal) => Promise<void>

/** Text of the manifest in a folder with a built app; undefined: there is none. */
export type ReadManifest = (folder: string) => Promise<string | undefined>
