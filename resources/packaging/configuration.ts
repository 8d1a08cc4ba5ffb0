/** What electron-builder makes of it, for each system. */
import { join } from 'node:path'
import { Arch, type Configuration } from 'electron-builder'
import { SCHEME } from '../../src-main/electron/deep-link.ts'
import { setFuses } from './fuses.ts'
import { stageCore } from './stage-core.ts'

// Re-exported for tests and main.ts: only files in this folder find the packages installed here.
export { build, Platform } from 'electron-builder'

const ROOT = join(import.meta.dirname, '..', '..')
const CORE = 'out/core'

/** Where the core is put together, for as long as a package is made. */
export const CORE_FOLDER = join(ROOT, CORE)

/**
 * The configuration, new each time, as electron-builder writes into it; its hooks put the core together and set the
 * fuses.
 * @param feed address where packages look for newer ones; without it they never look
 */
export const configuration = (feed?: string) =>
  ({
    appId: 'dev.drydock.desktop',
    productName: 'Drydock',
    copyright: 'MIT',
    directories: { output: 'dist', buildResources: 'resources/packaging' },
    // The archive: what Electron's main process runs, in one piece with its libraries. Nothing in it is opened as a
    // file.
    asar: true,
    files: ['out/shell/**', 'package.json', '!node_modules'],
    // Debian asks for an address; this is where the pages are on each machine.
    extraMetadata: { main: 'out/shell/main.js', homepage: 'http://127.0.0.1:8790/' },
    extraResources: [
      { from: CORE, to: 'core' },
      // Left out of the line above, as folders of this name are everywhere.
      { from: `${CORE}/node_modules`, to: 'core/node_modules' },
      { from: 'resources/icons', to: 'icons' },
    ],
    // Libraries with programs of their own bring them along for each system.
    npmRebuild: false,
    nodeGypRebuild: false,
    beforePack: async ({ electronPlatformName, arch }) => {
      stageCore({
        root: ROOT,
        to: CORE_FOLDER,
        target: { platform: electronPlatformName, arch: Arch[arch] },
      })
    },
    // Before the signature, which covers it.
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
