import { join } from 'node:path'

export type Paths = {
  readonly main: string
  readonly preload: string
  readonly icon: string
  readonly trayIcon: string
  /** Runs the CLI on Node, because the packaged Electron binary cannot run scripts. */
  readonly commandLine: { readonly program: string; readonly args: string[] }
}

/**
 * Paths in a clone or package, which keeps unpacked files next to its archive.
 * @param here folder of the built main process
 * @param packagedTo resources folder; undefined in a clone
 */
export function packagePaths({
  here,
  packagedTo,
  nodeOfClone = 'node',
  platform = process.platform,
}: {
  readonly here: string
  readonly packagedTo: string | undefined
  readonly nodeOfClone?: string | undefined
  readonly platform?: NodeJS.Platform
}): Paths {
  const core = packagedTo === undefined ? join(here, '..', '..') : join(packagedTo, 'core')
  const icons = packagedTo === undefined ? join(core, 'resources', 'icons') : join(packagedTo, 'icons')
  return {
    main: join(here, 'main.js'),
    preload: join(here, 'preload.cjs'),
    icon: join(icons, '256x256.png'),
    trayIcon: join(icons, platform === 'darwin' ? 'tray/trayTemplate.png' : '32x32.png'),
    commandLine: {
      program:
        packagedTo === undefined
          ? nodeOfClone
          : join(core, 'node_modules', 'node', 'bin', platform === 'win32' ? 'node.exe' : 'node'),
      args: [join(core, 'out', 'desktop', 'cli.js')],
    },
  }
}
