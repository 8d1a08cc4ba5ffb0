import { defineConfig } from 'vite'

const source = (path: string) => `${import.meta.dirname}/${path}`

/** Libraries with programs of their own, which cannot be put into one file; a package holds their folders. */
export const NOT_BUNDLED = ['better-sqlite3', 'dockerode']

/**
 * How the service and the command line are built, in one piece with their libraries. The folder is flat and two levels
 * below the root, so that `../../resources` in the sources means the same there.
 */
export default defineConfig({
  ssr: { noExternal: true, external: NOT_BUNDLED },
  // Libraries that are no modules ask where they are.
  define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
  build: {
    ssr: true,
    outDir: process.env.DRYDOCK_BUILD_TO ?? `${import.meta.dirname}/../out/desktop`,
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      // A file of its own is what is started by its name: threads start themselves.
      input: {
        cli: source('cli/main.ts'),
        'checkpoint-thread': source('storage/checkpoint-thread.ts'),
        'span-thread': source('outbound/span-thread.ts'),
        'answer-what-if': source('threads/answer-what-if.ts'),
        'compare-outputs': source('threads/compare-outputs.ts'),
      },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
