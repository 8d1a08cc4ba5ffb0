/**
 * Switches in Electron's program that are set when it is packaged, so that nobody can turn it into another one by a
 * variable or an argument. Source: Electron's own list of fuses.
 */
import { join } from 'node:path'
import { type FuseV1Config, FuseV1Options, FuseVersion, flipFuses, getCurrentFuseWire } from '@electron/fuses'

export { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'

/** All of them; packaging an Electron that has another one fails. */
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

/**
 * Sets the switches that the program has; older ones of Electron lack the last.
 * @param fuses what they are set to; those left out stay
 * @throws Error where the program has one that is not decided here, or is no Electron
 */
export async function setFuses(app: PackedApp, fuses: Partial<Record<FuseV1Options, boolean>> = FUSES): Promise<void> {
  const program = programOf(app)
  const present = Object.keys(await getCurrentFuseWire(program)).filter((name) => name !== 'version')
  const undecided = present.filter((fuse) => !(fuse in FUSES))
  if (undecided.length > 0)
    throw new Error(`${program} has fuses that fuses.ts does not decide: number ${undecided.join(', ')} of its wire`)
  const config: FuseV1Config = {
    version: FuseVersion.V1,
    // Programs of Apple's processors do not start with a signature that no longer fits; the real one comes after this.
    resetAdHocDarwinSignature: app.platform === 'darwin',
    ...Object.fromEntries(Object.entries(fuses).filter(([fuse]) => present.includes(fuse))),
  }
  await flipFuses(program, config)
}
