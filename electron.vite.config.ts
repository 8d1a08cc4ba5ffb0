import { defineConfig } from 'electron-vite'

const source = (path: string) => `${import.meta.dirname}/src-main/app/desktop/${path}`

const OUT = process.env.DRYDOCK_BUILD_TO ?? 'out/shell'

/**
 * Builds the desktop window, because Electron's Node does not strip types. src-main/vite.config.ts builds the service
 * that the window starts, and src-renderer/vite.config.ts builds the pages that the service sends to the window.
 */
export default defineConfig({
  main: {
    build: {
      outDir: OUT,
      emptyOutDir: true,
      // The archive of a package then holds these files alone.
      externalizeDeps: false,
      rolldownOptions: {
        input: { main: source('main.ts') },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: OUT,
      emptyOutDir: false,
      // A sandboxed preload can load nothing but Electron.
      externalizeDeps: false,
      rolldownOptions: {
        input: { preload: source('preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
})
