import { join } from 'node:path'
import { Arch, type Configuration } from 'electron-builder'
import { SCHEME } from '../../src-main/app/desktop/deep-link.ts'
import { setFuses } from './fuses.ts'
import { stageCore } from './stage-core.ts'

// Re-exported for tests and main.ts: only files in this folder can resolve the packages installed here.
export { build, Platform } from 'electron-builder'

const ROOT = join(import.meta.dirname, '..', '..')
const CORE = 'out/core'

export const CORE_FOLDER = join(ROOT, CORE)

/**
 * Returns a new object each time, as electron-builder modifies it.
 * @param feed update feed address; without it packages never look for updates
 */
export const configuration = (feed?: string) =>
  ({
    appId: 'dev.drydock.desktop',
    productName: 'Drydock',
    copyright: 'MIT',
    directories: { output: 'dist', buildResources: 'resources/packaging' },
    // Holds the bundled Electron main process; nothing in the archive is opened as a file.
    asar: true,
    files: ['out/shell/**', 'package.json', '!node_modules'],
    // Debian requires an address; this is where each machine serves the pages.
    extraMetadata: { main: 'out/shell/main.js', homepage: 'http://127.0.0.1:8790/' },
    extraResources: [
      { from: CORE, to: 'core' },
      // The line above omits this folder, as `node_modules` is excluded everywhere.
      { from: `${CORE}/node_modules`, to: 'core/node_modules' },
      { from: 'resources/icons', to: 'icons' },
    ],
    // Libraries with native code include a build for each system.
    npmRebuild: false,
    nodeGypRebuild: false,
    beforePack: async ({ electronPlatformName, arch }) => {
      stageCore({
        root: ROOT,
        to: CORE_FOLDER,
        target: { platform: electronPlatformName, arch: Arch[arch] },
      })
    },
    // Before signing, since the signature covers the fuses.
    afterPack: async ({ appOutDir, electronPlatformName, packager }) => {
      await setFuses({
        folder: appOutDir,
        platform: electronPlatformName,
        productName: packager.appInfo.productFilename,
        executableName: 'drydock-desktop',
      })
    },
    protocols: [{ name: 'Drydock', schemes: [SCHEME] }],
    publish: feed === undefined ? null : [{ provider: 'generic' as const, url: feed }],
    linux: {
      executableName: 'drydock-desktop',
      icon: 'resources/icons',
      category: 'Development',
      synopsis: 'Serverless GPU endpoints on your own machine',
      maintainer: 'Drydock <drydock@localhost>',
      target: ['AppImage', 'deb'],
    },
    deb: { fpm: [`${join(import.meta.dirname, 'bin', 'drydock-deb')}=/usr/bin/drydock`] },
    mac: {
      icon: 'resources/icons/512x512.png',
      category: 'public.app-category.developer-tools',
      hardenedRuntime: true,
      target: ['dmg', 'zip'],
    },
    win: { icon: 'resources/icons/256x256.png', target: ['nsis'] },
    nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
  }) satisfies Configuration
