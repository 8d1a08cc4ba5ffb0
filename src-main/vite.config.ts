import { defineConfig } from 'vite'

const source = (path: string) => `${import.meta.dirname}/${path}`

/** Libraries with programs of their own, which cannot be bundled; a package contains their folders. */
export const NOT_BUNDLED = ['better-sqlite3', 'dockerode']

/**
 * Builds the service and the command line, bundled with their libraries. The folder is flat and two levels below the
 * root, so that `../../resources` in the sources means the same there.
 */
export default defineConfig({
  ssr: { noExternal: true, external: NOT_BUNDLED },
  // CommonJS libraries ask for their own path by these names.
  define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
  build: {
    ssr: true,
    outDir: process.env.DRYDOCK_BUILD_TO ?? `${import.meta.dirname}/../out/desktop`,
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      // Each file that is started by its path is an entry: threads start themselves.
      input: {
        cli: source('cli/main.ts'),
        'checkpoint-thread': source('storage/checkpoint-thread.ts'),
        'span-thread': source('outbound/span-thread.ts'),
        'answer-what-if': source('threads/answer-what-if.ts'),
        'compare-outputs': source('threads/compare-outputs.ts'),
        'read-in-thread': source('threads/read-in-thread.ts'),
      },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
