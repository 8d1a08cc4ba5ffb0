/**
 * Electron fuses, set at packaging so that no variable or argument can repurpose the program. Source: Electron's list
 * of fuses.
 */
import { join } from 'node:path'
import { type FuseV1Config, FuseV1Options, FuseVersion, flipFuses, getCurrentFuseWire } from '@electron/fuses'

export { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'

/** All fuses; packaging an Electron that has another one fails. */
export const FUSES = {
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  // Needs a snapshot of its own, which does not exist.
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  [FuseV1Options.WasmTrapHandlers]: true,
} as const

export type PackedApp = {
  readonly folder: string
  readonly platform: string
  readonly productName: string
  readonly executableName: string
}

export function programOf({ folder, platform, productName, executableName }: PackedApp): string {
  if (platform === 'darwin') return join(folder, `${productName}.app`)
  return join(folder, platform === 'win32' ? `${productName}.exe` : executableName)
}

/**
 * Older Electron versions lack the last fuse.
 * @param fuses those left out stay unchanged
 * @throws Error if a fuse is undecided here, or it is not Electron
 */
export async function setFuses(app: PackedApp, fuses: Partial<Record<FuseV1Options, boolean>> = FUSES): Promise<void> {
  const program = programOf(app)
  const present = Object.keys(await getCurrentFuseWire(program)).filter((name) => name !== 'version')
  const undecided = present.filter((fuse) => !(fuse in FUSES))
  if (undecided.length > 0)
    throw new Error(`${program} has fuses that fuses.ts does not decide: number ${undecided.join(', ')} of its wire`)
  const config: FuseV1Config = {
    version: FuseVersion.V1,
    // Apple silicon rejects a program whose signature no longer fits; the real signature follows.
    resetAdHocDarwinSignature: app.platform === 'darwin',
    ...Object.fromEntries(Object.entries(fuses).filter(([fuse]) => present.includes(fuse))),
  }
  await flipFuses(program, config)
}
