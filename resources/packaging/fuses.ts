/**
 * Switches in Electron's program that are set when it is packaged, so that nobody can turn it into another one by a
 * variable or an argument. Source: Electron's own list of fuses.
 */
import { join } from 'node:path'
import { type FuseV1Config, FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses'

export { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'

/** All of them; one that a later Electron adds makes the packaging fail until it is decided here. */
export const FUSES = {
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  // Needs a snapshot of its own, which there is none of.
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // The default: code in WebAssembly that reads past its memory ends there.
  [FuseV1Options.WasmTrapHandlers]: true,
} as const

/** An application that was put together, before it is signed. */
export type PackedApp = {
  readonly folder: string
  /** As Electron names it. */
  readonly platform: string
  readonly productName: string
  readonly executableName: string
}

/** The program that holds the switches. */
export function programOf({ folder, platform, productName, executableName }: PackedApp): string {
  if (platform === 'darwin') return join(folder, `${productName}.app`)
  return join(folder, platform === 'win32' ? `${productName}.exe` : executableName)
}

/** Sets the switches. @throws Error where one of them is not decided here, or the program is no Electron */
export async function setFuses(app: PackedApp): Promise<void> {
  const config: FuseV1Config = {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: true,
    // Programs of Apple's processors do not start with a signature that no longer fits; the real one comes after this.
    resetAdHocDarwinSignature: app.platform === 'darwin',
    ...FUSES,
  }
  await flipFuses(programOf(app), config)
}
