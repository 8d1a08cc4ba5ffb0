import { defineConfig } from 'electron-vite'

const source = (path: string) => `${import.meta.dirname}/src-main/${path}`

const OUT = process.env.DRYDOCK_BUILD_TO ?? 'out/desktop'

/** Libraries with programs of their own, which cannot be put into one file; a package holds their folders. */
export const NOT_BUNDLED = ['better-sqlite3', 'dockerode']

/**
 * How the program is built: what Electron runs has to be JavaScript, since its Node takes no types away, and a few files
 * start in half the time of the sources. The folder is flat and two levels below the root, so that `../../resources` in
 * the sources means the same there. The pages are not built here: the service gives its window those of out/renderer.
 */
export default defineConfig({
  main: {
    build: {
      outDir: OUT,
      emptyOutDir: true,
      // The archive of a package then holds these files alone.
      externalizeDeps: false,
      rolldownOptions: {
        external: NOT_BUNDLED,
        // A file of its own is what is started by its name: threads start themselves.
        input: {
          main: source('electron/main.ts'),
          service: source('electron/service-process.ts'),
          cli: source('cli/main.ts'),
          'checkpoint-thread': source('storage/checkpoint-thread.ts'),
          'span-thread': source('outbound/span-thread.ts'),
          'answer-what-if': source('threads/answer-what-if.ts'),
          'compare-outputs': source('threads/compare-outputs.ts'),
        },
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
        input: { preload: source('electron/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
})
